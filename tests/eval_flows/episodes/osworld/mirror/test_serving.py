"""Protects how a machine gets a mirror: its files and the server go there before anything opens a page, and the browser gets its flags by either way."""

import json
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.mirror import serving
from eval_flows.episodes.osworld.mirror.folder import read_mirror
from eval_flows.episodes.osworld.mirror.serving import FLAGS, FOLDER, flags_of, serve, with_flags
from machines.errors import MachineError
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.osworld.made import Client, desktop_of
from tests.eval_flows.episodes.osworld.mirror.made import made_mirror

OF_IMAGE = REPOSITORY / "machines" / "root_of" / "osworld" / "etc" / "chromium.d" / "osworld"
ENDED = {"output": "", "error": "", "returncode": 0}
READS_NO_FLAGS = {serving._READS_FLAGS: {**ENDED, "returncode": 1}}
BROWSER = ["--host-resolver-rules=MAP a.org:80 127.0.0.1:1", "--b"]
QUOTED = "'--host-resolver-rules=MAP a.org:80 127.0.0.1:1' --b"


def test_the_files_and_the_server_go_to_the_machine_before_it_is_started(tmp_path: Path) -> None:
    archive, client = read_mirror(made_mirror(tmp_path)).archive, Client()
    assert serve(desktop_of(client), archive) == [], "the image gives the browser the flags"
    assert [one[:2] for one in client.asked[:3]] == [("upload", f"{FOLDER}/mirror.{kind}") for kind in ("zip", "pem", "py")]
    (started, *_), asked = client.asked[3][1:], json.loads(client.asked[3][1][2])
    assert started[:2] == ["python3", f"{FOLDER}/mirror.py"] and asked == {"folder": FOLDER, "ports": list(serving.PORTS)}
    assert client.files[f"{FOLDER}/mirror.zip"] == archive
    rules, key = client.files[FLAGS].decode().splitlines()
    assert "MAP example.com:443 127.0.0.1:47443" in rules and rules.count("MAP ") == 6 and key.startswith("--ignore-certificate-errors-spki-list=")


def test_where_the_image_gives_no_flags_the_steps_do(tmp_path: Path) -> None:
    client = Client(says=READS_NO_FLAGS)
    flags = serve(desktop_of(client), read_mirror(made_mirror(tmp_path)).archive)
    assert flags == [*client.files[FLAGS].decode().splitlines(), "--user-data-dir=/home/user/.config/chromium"]


def test_a_server_that_does_not_start_is_a_fault_of_the_machine(tmp_path: Path) -> None:
    class Refuses(Client):
        def execute(self, command: list[str] | str, shell: bool = False) -> Mapping[str, Any]:  # type: ignore[override]
            return {**ENDED, "error": "Address already in use", "returncode": 1}

    with pytest.raises(MachineError, match="the mirror of sites could not be served: Address already in use"):
        serve(desktop_of(Refuses()), read_mirror(made_mirror(tmp_path)).archive)


@pytest.mark.parametrize(
    ("command", "shell", "given"),
    [
        (["google-chrome", "--a"], False, ["google-chrome", *BROWSER, "--a"]),
        (["env", "A=b", "chromium", "https://a.org"], False, ["env", "A=b", "chromium", *BROWSER, "https://a.org"]),
        (["pkill", "chrome"], False, ["pkill", "chrome"]),
        (["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"], False, ["socat", "tcp-listen:9222,fork", "tcp:localhost:1337"]),
        ("google-chrome --a", False, f"google-chrome {QUOTED} --a"),
        (["google-chrome", "--a"], True, f"google-chrome {QUOTED} --a"),
        ("pkill chromium; A=b /usr/bin/chromium --a &", True, f"pkill chromium; A=b /usr/bin/chromium {QUOTED} --a &"),
        (["bash", "-c", "google-chrome"], False, ["bash", "-c", f"google-chrome {QUOTED}"]),
        (["bash", "-c", "echo a && ls"], False, ["bash", "-c", "echo a && ls"]),
        ("vlc https://a.org/?b=1&c=2", True, "vlc https://a.org/?b=1&c=2"),
        ([], False, []),
    ],
)  # fmt: skip
def test_the_browser_of_a_command_gets_the_flags_and_no_other_program_does(command: Any, shell: bool, given: Any) -> None:
    assert with_flags(command, shell, BROWSER) == given
    assert with_flags(command, shell, ()) == command


def test_the_image_reads_the_flags_of_the_place_where_they_are_written(tmp_path: Path) -> None:
    """By the shell that Debian's script of Chromium has; it reads the file in the same way."""
    flags = flags_of(["a.org", "b.org"], "key=")
    (tmp_path / "flags").write_text("".join(f"{flag}\n" for flag in flags))
    assert FLAGS in OF_IMAGE.read_text()
    (tmp_path / "osworld").write_text(OF_IMAGE.read_text().replace(FLAGS, str(tmp_path / "flags")))
    script = f'for file in {tmp_path}/osworld; do . $file; done; printf "%s\\n" "$@"'

    def arguments() -> list[str]:
        return subprocess.run(
            ["sh", "-c", script, "chromium", "--a", "https://a.org"], capture_output=True, text=True, check=True
        ).stdout.splitlines()

    assert sorted(arguments()) == sorted([*flags, "--a", "https://a.org"])
    (tmp_path / "flags").unlink()
    assert arguments() == ["--a", "https://a.org"], "an episode without a mirror"
