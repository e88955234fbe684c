"""Protects what is said where a host cannot run machines: what it lacks, before anything starts, and with nothing written."""

import subprocess
import sys
from pathlib import Path

import pytest

from machines.build import build_image
from machines.errors import MachineNeeds
from machines.sandbox import check_host
from tests.conftest import REPOSITORY

# A user without rights where the kernel gives no user namespaces: the limit is set in a namespace of the test's own.
_FORBIDDEN = 'echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --ambient-caps=-all --inh-caps=-all "$@"'
_WITHOUT_NAMESPACES = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--keep-caps", "sh", "-c", _FORBIDDEN, "sh"]


@pytest.mark.parametrize("arguments", ["machine build smoke", "episodes smoke --agent oracle", "prove smoke"])
def test_without_root_and_user_namespaces_every_command_says_what_machines_need(arguments: str, tmp_path: Path) -> None:
    command = [*_WITHOUT_NAMESPACES, sys.executable, str(REPOSITORY / "deskmill.py"), *arguments.split()]
    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin", "DESKMILL_DATA": str(tmp_path)}, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done.stderr
    assert "needs user namespaces" in done.stderr and "user.max_user_namespaces" in done.stderr
    assert not list(tmp_path.iterdir())


def test_a_tool_that_is_not_there_is_said_with_its_package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineNeeds, match="bwrap, prlimit, unshare, setpriv: apt-get install bubblewrap util-linux"):
        check_host()
    with pytest.raises(MachineNeeds, match="apt-get install mmdebstrap"):
        build_image("smoke", tmp_path / "machines", print)
    assert not list(tmp_path.iterdir())
