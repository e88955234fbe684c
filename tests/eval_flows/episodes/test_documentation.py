"""Protects the commands of episodes in the documentation: a machine is made, the oracle does `smoke`, episodes of it are proven, and so on."""

from pathlib import Path

import pytest

from machines.image import Image
from tests.commands import OF_EPISODES, deskmill, documented_arguments

ORACLE = ["episodes", "smoke", "--agent", "oracle"]  # has a test of its own
IMPORTED = "example"  # the suite that a documented command imports, for one that plays it


def cases() -> list[list[list[str]]]:
    """The documented commands that need the image of a machine, each by itself; one that plays the imported suite stands after the import."""
    commands = [arguments for arguments in documented_arguments() if arguments[0] in OF_EPISODES]
    (importing,) = (arguments for arguments in commands if arguments[:2] == ["suite", "import"] and IMPORTED in arguments)
    others = [arguments for arguments in commands if arguments not in (importing, ORACLE)]
    return [[importing, arguments] if arguments[1] == IMPORTED else [arguments] for arguments in others]


@pytest.mark.slow(minutes=0.7)
@pytest.mark.rotates(number=2)
@pytest.mark.parametrize("commands", cases(), ids=lambda commands: " ".join(commands[-1]))
def test_the_documented_commands_of_episodes_run(commands: list[list[str]], tmp_path: Path, image: Image) -> None:
    (tmp_path / "machines").symlink_to(image.machines)
    for arguments in commands:
        done = deskmill(*_sampled(arguments), data=tmp_path)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        if arguments[0] == "prove":
            assert "1 of 1 episodes proven" in done.stdout


@pytest.mark.slow(minutes=0.7)
def test_the_documented_oracle_does_what_it_is_asked(tmp_path: Path, image: Image, pytestconfig: pytest.Config) -> None:
    """All of `smoke` with --whole, otherwise two episodes; a deployment plays all where it rotates."""
    (tmp_path / "machines").symlink_to(image.machines)
    assert ORACLE in documented_arguments()
    limit, expected = ((), 10) if pytestconfig.getoption("--whole") else (("--limit", "2"), 2)
    done = deskmill(*ORACLE, *limit, data=tmp_path)
    assert done.returncode == 0 and f"{expected} of {expected} succeeded" in done.stdout, (done.stdout, done.stderr)


def _sampled(arguments: list[str]) -> list[str]:
    """The same on one episode: the whole would take ten minutes."""
    if arguments[:2] in (["prove", "smoke"], ["episodes", "smoke"]):
        return [*arguments, "--limit", "1"]
    return ["1" if before == "--limit" else word for before, word in zip(["", *arguments], arguments, strict=False)]
