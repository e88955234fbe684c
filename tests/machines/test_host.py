"""Protects what is said where a host cannot run machines: what it lacks, before anything starts, and with nothing written."""

import subprocess
import sys
from pathlib import Path

import pytest

import machines.host
import machines.sources
from machines.bubblewrap import guest_command
from machines.build import build_image
from machines.errors import MachineNeeds
from machines.host import lacking
from machines.sandbox import check_host
from machines.sources import apt_sources
from tests.commands import CACHES
from tests.conftest import REPOSITORY

# A user without rights where the kernel gives no user namespaces: the limit is set in a namespace of the test's own.
_FORBIDDEN = 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"'
_WITHOUT_NAMESPACES = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--keep-caps", "sh", "-c", _FORBIDDEN, "sh"]


@pytest.mark.parametrize("arguments", ["machine build smoke", "episodes smoke --agent oracle", "prove smoke"])
def test_without_root_and_user_namespaces_every_command_says_what_machines_need(arguments: str, tmp_path: Path) -> None:
    command = [*_WITHOUT_NAMESPACES, sys.executable, str(REPOSITORY / "deskmill.py"), *arguments.split()]
    environment = {"PATH": "/usr/bin:/bin", "DESKMILL_DATA": str(tmp_path), **CACHES}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "needs user namespaces" in done.stderr and "user.max_user_namespaces" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_tool_that_is_not_there_is_said_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineNeeds, match="bwrap, prlimit, unshare, setpriv: apt-get install bubblewrap util-linux$"):
        check_host()
    with pytest.raises(MachineNeeds, match="apt-get install mmdebstrap"):
        build_image("smoke", tmp_path / "machines", print)
    assert not list(tmp_path.iterdir())


_UBUNTU = 'PRETTY_NAME="Ubuntu 24.04.3 LTS"\nID=ubuntu\nID_LIKE=debian\nVERSION_CODENAME=noble\n'
_FEDORA = 'PRETTY_NAME="Fedora Linux 42"\nID=fedora\n'
_NEXT_DEBIAN = 'PRETTY_NAME="Debian GNU/Linux 13 (trixie)"\nID=debian\nVERSION_CODENAME=trixie\n'


def on_host(release: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "os-release").write_text(release)
    monkeypatch.setattr(machines.host, "_OS_RELEASE", folder / "os-release")


@pytest.mark.parametrize("release", [_UBUNTU, _FEDORA, _NEXT_DEBIAN, ""])
def test_a_host_without_sources_of_the_release_is_told_what_to_give(release: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_host(release, tmp_path, monkeypatch)
    with pytest.raises(MachineNeeds, match=r"Debian bookworm, and this host \(.+\) has no sources of that release: add --source with the address"):
        build_image("smoke", tmp_path / "machines", print)
    with pytest.raises(MachineNeeds, match="--source takes the address of a Debian mirror, or a file of apt sources; 'mirror' is neither"):
        build_image("smoke", tmp_path / "machines", print, source="mirror")
    assert not (tmp_path / "machines").exists()


def test_any_host_takes_packages_from_the_source_that_is_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    on_host(_UBUNTU, tmp_path, monkeypatch)
    keyring = tmp_path / "keyring.gpg"
    monkeypatch.setattr(machines.sources, "_KEYRING", keyring)
    with (
        pytest.raises(MachineNeeds, match="keyring.gpg is missing.*apt-get install debian-archive-keyring"),
        apt_sources("bookworm", "https://mirror/debian"),
    ):
        pass
    keyring.touch()
    with apt_sources("bookworm", "https://mirror/debian") as sources:
        lines = sources.read_text().splitlines()
        assert lines[0] == f"deb [signed-by={keyring}] https://mirror/debian bookworm main" and "bookworm-updates" in lines[1]
    own = tmp_path / "own.list"
    own.write_text("deb https://mirror/debian bookworm main\n")
    with apt_sources("bookworm", str(own)) as sources:
        assert sources == own


def test_what_is_to_install_has_the_names_of_the_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    on_host(_FEDORA, tmp_path, monkeypatch)
    assert lacking(["newuidmap", "bwrap"]) == "newuidmap, bwrap: dnf install bubblewrap shadow-utils"
    on_host(_UBUNTU, tmp_path, monkeypatch)
    assert lacking(["newuidmap", "bwrap"]) == "newuidmap, bwrap: apt-get install bubblewrap uidmap"


def test_an_older_bubblewrap_still_makes_sandboxes() -> None:
    with_it, without = guest_command(1, "/", "/guest", "/home", "agent"), guest_command(1, "/", "/guest", "/home", "agent", nested=True)
    assert [word for word in with_it if word not in without] == ["--disable-userns"]
