"""Protects the commands of episodes in the documentation: a machine is made, the oracle does all of `smoke`, and episodes of it are proven."""

from pathlib import Path

import pytest

from machines.image import Image
from tests.commands import OF_EPISODES, deskmill, documented_arguments


@pytest.mark.slow(minutes=4)
def test_the_documented_commands_of_episodes_play_all_of_smoke_and_prove_a_sample(tmp_path: Path, image: Image) -> None:
    (tmp_path / "machines").symlink_to(image.machines)
    commands = [arguments for arguments in documented_arguments() if arguments[0] in OF_EPISODES]
    said = {}
    for arguments in commands:
        sampled = ("--limit", "3") if arguments == ["prove", "smoke"] else ()  # the whole takes four minutes
        done = deskmill(*arguments, *sampled, data=tmp_path)
        assert done.returncode == 0, (arguments, done.stdout, done.stderr)
        said[" ".join(arguments)] = done.stdout
    assert "10 of 10 succeeded" in said["episodes smoke --agent oracle"]
    assert "3 of 3 episodes proven" in said["prove smoke"]
