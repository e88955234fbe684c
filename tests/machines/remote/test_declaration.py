"""Protects the file of a remote machine: all mistakes are told at once, each with its line, and nothing secret stands in it."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from machines.errors import MachineNeeds
from machines.machine import MachineChoice
from machines.remote.declaration import Declared, Reset, read_declaration
from tests.conftest import REPOSITORY

SOUND = """\
address: http://192.0.2.7:5000
token_variable: GUEST_TOKEN
dialect: deskmill
platform: windows
screen: {width: 1440, height: 900}
user: Docker
home: C:\\Users\\Docker
snapshot: windows-11 2026-10
programs:
  notepad: {command: [notepad.exe], window_class: Notepad}
  calculator:
    command: [calc.exe]
    window_class: ApplicationFrameWindow
reset:
  command: [sh, -c, "true"]
  seconds: 90
"""


def declared(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "vm.yaml"
    path.write_text(text)
    return path


def problems(tmp_path: Path, text: str) -> list[str]:
    path = declared(tmp_path, text)
    with pytest.raises(MachineNeeds) as error:
        read_declaration(path)
    return [line.removeprefix(f"{path}:") for line in str(error.value).splitlines()]


def test_a_sound_file_is_what_the_machine_offers_without_starting_it(tmp_path: Path) -> None:
    choice = MachineChoice("remote", "smoke", tmp_path, {"file": str(declared(tmp_path, SOUND))})
    offers = choice.offers
    assert (offers.platform, offers.user, offers.home, offers.screen) == ("windows", "Docker", "C:\\Users\\Docker", (1440, 900))
    assert offers.leaves_pointer_out, "our guest server does, and others draw it into every picture"
    others = SOUND.replace("dialect: deskmill", "dialect: waa"), SOUND.replace("dialect: deskmill\n", "")
    assert not any(MachineChoice("remote", "", tmp_path, {"file": str(declared(tmp_path, text))}).offers.leaves_pointer_out for text in others)
    assert offers.programs["notepad"].command == ["notepad.exe"] and offers.programs["calculator"].window_class == "ApplicationFrameWindow"
    assert {"move_id", "write", "open_program"} <= offers.actions


def test_equal_machines_are_the_same_and_another_snapshot_is_another(tmp_path: Path) -> None:
    def identity(text: str) -> object:
        return MachineChoice("remote", "", tmp_path, {"file": str(declared(tmp_path, text))}).identity

    assert identity(SOUND) == identity(SOUND.replace("192.0.2.7", "192.0.2.8").replace("GUEST_TOKEN", "OTHER").replace("seconds: 90", "seconds: 9"))
    for before, after in (("2026-10", "2026-11"), ("1440", "1280"), ("[calc.exe]", "[calc.exe, /s]")):
        assert identity(SOUND) != identity(SOUND.replace(before, after))


def test_every_mistake_is_told_at_once_with_its_line(tmp_path: Path) -> None:
    text = (
        SOUND.replace("http://192.0.2.7:5000", "192.0.2.7:5000")
        .replace("windows\nscreen", "dos\nscreen")
        .replace("width: 1440", "width: -1")
        .replace("user: Docker\n", "")
    )
    text = (
        text.replace("    window_class: App", "    window_klass: App")
        .replace("snapshot:", "snapshoot:")
        .replace("  seconds: 90", "  url: http://192.0.2.9/reset")
    )
    assert sorted(problems(tmp_path, text)) == sorted([
        "1: address: an address is wanted such as http://192.0.2.7:5000",
        "4: platform: Input should be 'linux' or 'windows'",
        "5: screen.width: Input should be greater than 0",
        "1: user: is missing",
        "1: snapshot: is missing",
        "7: snapshoot: there is no such key; did you mean snapshot?",
        "10: programs.calculator.window_class: is missing",
        "12: programs.calculator.window_klass: there is no such key; did you mean window_class?",
        "13: reset: either `command` or `url` is wanted",
    ])  # fmt: skip


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        ("C:\\Users\\Docker", "/home/agent", "7: home: an absolute path of windows is wanted"),
        ("platform: windows", "platform: linux", "7: home: an absolute path of linux is wanted"),
        ("token_variable: GUEST_TOKEN\n", "", "1: token_variable: is missing: our guest server answers nobody"),
        ("GUEST_TOKEN", "3f2a-91bc", "2: token_variable: the name of an environment variable is wanted, not the token itself"),
        ("user: Docker", "user: Docker\nuser: Other", "7: user: stands twice"),
        ("reset:\n", "reset: true\nreset2:\n", "14: reset: "),
        ('command: [sh, -c, "true"]', "command: []", "15: reset.command: "),
        ("screen: {width", "screen: [width", "5: this is no YAML"),
        ("http://192.0.2.7:5000", "http://192.0.2.7:99999", "1: address"),
        ("http://192.0.2.7:5000", "ftp://192.0.2.7", "1: address"),
    ],
)
def test_what_does_not_fit_is_told_with_its_line(before: str, after: str, said: str, tmp_path: Path) -> None:
    assert before in SOUND
    assert said in "\n".join(problems(tmp_path, SOUND.replace(before, after)))


def test_a_file_that_is_not_there_or_holds_nothing_is_told(tmp_path: Path) -> None:
    with pytest.raises(MachineNeeds, match="nowhere.yaml: the file of the machine cannot be read: No such file"):
        read_declaration(tmp_path / "nowhere.yaml")
    assert "docs/remote_machines.md has an example" in problems(tmp_path, "")[0]


def test_the_file_is_the_one_option(tmp_path: Path) -> None:
    for options in ({}, {"file": "x", "memory_mb": "4"}):
        with pytest.raises(MachineNeeds, match="want one option, file=FILE"):
            MachineChoice("remote", "", tmp_path, options).make()


def test_what_this_host_lacks_is_told_before_anything_starts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("GUEST_TOKEN", raising=False)
    choice = MachineChoice("remote", "", tmp_path, {"file": str(declared(tmp_path, SOUND.replace("[sh,", "[no-such-command,")))})
    with pytest.raises(MachineNeeds, match="(?s)GUEST_TOKEN is not set.*no-such-command, is not on this host"):
        choice.check()
    monkeypatch.setenv("GUEST_TOKEN", "x")
    MachineChoice("remote", "", tmp_path, {"file": str(declared(tmp_path, SOUND.replace("192.0.2.7:5000", "127.0.0.1:9")))}).check()


@settings(deadline=None)
@given(st.text(max_size=60), st.integers(0, len(SOUND)), st.integers(0, 40))
def test_whatever_the_file_holds_it_is_a_machine_or_its_mistakes_are_told(
    tmp_path_factory: pytest.TempPathFactory, text: str, at: int, cut: int
) -> None:
    path = tmp_path_factory.getbasetemp() / "any.yaml"
    path.write_text(SOUND[:at] + text + SOUND[at + cut :], encoding="utf-8")
    try:
        read_declaration(path)
    except MachineNeeds as error:
        assert str(path) in str(error)


def test_the_page_shows_a_machine_that_can_be_read_and_every_key(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/remote_machines.md").read_text()
    example = page.split("```yaml\n")[1].split("```")[0]
    assert read_declaration(declared(tmp_path, example)).programs
    assert all(f"`{key}`" in page for key in [*Declared.model_fields, *Reset.model_fields])
