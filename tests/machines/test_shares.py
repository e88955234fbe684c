"""Protects the shares of processor time: all that runs in a machine is one group, and the guest server and the desktop go before applications."""

import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from machines import shares
from machines.image import Image
from machines.sandbox import Sandbox

V1 = "32 31 0:29 {root} /sys/fs/cgroup/cpu,cpuacct rw,relatime - cgroup cgroup rw,cpu,cpuacct\n"
V2 = "41 31 0:38 {root} {folder} rw,relatime - cgroup2 cgroup2 rw\n"
SPIN = ["python3", "-c", "while True: pass"]


def running(machine: Sandbox, name: str, number: int) -> list[psutil.Process]:
    """The processes of a machine whose command holds a word, as soon as there are so many."""
    assert machine._process is not None
    until = time.monotonic() + 20
    while True:
        children = psutil.Process(machine._process.pid).children(recursive=True)
        found = [one for one in children if name in " ".join(one.cmdline()) and one.name() != "nice"]
        if len(found) >= number:
            return found
        assert time.monotonic() < until, children
        time.sleep(0.02)


@pytest.fixture(params=["groups", "sessions"])
def spinning(request: pytest.FixtureRequest, image: Image, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A machine in which three processes spin, with control groups and without."""
    if request.param == "sessions":
        monkeypatch.setattr(shares, "place", lambda: None)
    elif shares.place() is None:
        pytest.skip("no control groups can be made here")
    with Sandbox(image) as machine:
        for _ in range(3):
            machine.client.launch(SPIN)
        yield machine


def group_of(process: psutil.Process, is_session: bool) -> str:
    """The session of a process, or its control group."""
    if is_session:
        return Path(f"/proc/{process.pid}/stat").read_text().rpartition(") ")[2].split()[3]
    return next(line for line in Path(f"/proc/{process.pid}/cgroup").read_text().splitlines() if "deskmill" in line)


def test_all_that_runs_in_a_machine_is_one_group_and_ends_with_it(spinning: Sandbox) -> None:
    group = spinning._group
    processes = [*running(spinning, "while True", 3), *running(spinning, "Xvfb", 1)]
    assert len({group_of(process, group is None) for process in processes}) == 1
    spinning.stop()
    assert group is None or not group.exists()


def test_applications_leave_time_to_the_guest_server_and_the_desktop(spinning: Sandbox) -> None:
    assert {one.nice() for one in running(spinning, "while True", 3)} == {10}
    assert {one.nice() for name in ("machines.guest", "Xvfb", "openbox") for one in running(spinning, name, 1)} == {0}


def test_groups_that_a_killed_host_left_are_swept() -> None:
    folder = shares.place()
    if folder is None:
        pytest.skip("no control groups can be made here")
    code = "from machines import shares; print(shares.make())"
    left = Path(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip())
    own = shares.make()
    assert left.is_dir() and own is not None
    assert shares._works(folder) and not left.exists() and own.is_dir()
    shares.leave(own)
    assert not own.exists()


def test_a_folder_in_which_no_group_can_be_made_is_passed_over(tmp_path: Path) -> None:
    assert not shares._works(tmp_path / "nowhere")


@pytest.mark.parametrize(
    ("root", "own", "wanted"),
    [
        ("/", "4:memory:/a\n1:cpu,cpuacct:/\n0::/", "/sys/fs/cgroup/cpu,cpuacct"),
        ("/", "1:cpu,cpuacct:/user.slice", "/sys/fs/cgroup/cpu,cpuacct/user.slice"),
        ("/docker/ab", "1:cpu,cpuacct:/docker/ab", "/sys/fs/cgroup/cpu,cpuacct"),  # a container sees its own part alone
        ("/docker/ab", "1:cpu,cpuacct:/docker/ab/c", "/sys/fs/cgroup/cpu,cpuacct/c"),
    ],
)
def test_in_version_1_groups_stand_below_our_own(root: str, own: str, wanted: str) -> None:
    assert list(shares.candidates(V1.format(root=root), own)) == [Path(wanted)]


@pytest.mark.parametrize(
    ("giving", "limits", "wanted"),
    [
        (["."], {}, ["."]),
        ([".", "user", "user/app"], {}, ["user/app", "user", "."]),
        ([".", "user"], {"user/app/ours/memory.max": "max", "user/app/cpu.max": "max 100000"}, ["user", "."]),
        ([".", "user"], {"user/app/ours/memory.max": "1073741824"}, []),  # our own group has a limit, which a machine must not get around
        ([".", "user"], {"user/cpu.max": "50000 100000"}, ["user"]),
        ([], {}, []),
    ],
)
def test_in_version_2_groups_stand_where_processor_time_is_given_on_and_no_limit_is_left(
    giving: list[str], limits: dict[str, str], wanted: list[str], tmp_path: Path
) -> None:
    (tmp_path / "user/app/ours").mkdir(parents=True)
    for folder in (".", "user", "user/app", "user/app/ours"):
        (tmp_path / folder / "cgroup.subtree_control").write_text("cpu memory\n" if folder in giving else "memory\n")
    for path, limit in limits.items():
        (tmp_path / path).write_text(f"{limit}\n")
    found = list(shares.candidates(V2.format(root="/", folder=tmp_path), "0::/user/app/ours\n"))
    assert found == [tmp_path / folder for folder in wanted]
