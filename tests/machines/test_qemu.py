"""Protects virtual machines: they begin with their snapshot, reach nothing outside, end with their owner, and give the rewards of a sandbox."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

import machines.qemu
import machines.qemu_build
from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
from machines.errors import MachineError, MachineNeeds
from machines.image import Image
from machines.machine import MachineChoice
from machines.qemu import VirtualMachine
from machines.qemu_build import build_disk
from machines.qemu_image import QEMU, Disk, find_disk
from tests.conftest import REPOSITORY, quiet
from tests.machines.test_sandbox import wait_for
from warehouse.layout import DataFolder

needs_qemu = pytest.mark.skipif(
    shutil.which(QEMU) is None and "CI" not in os.environ, reason="QEMU is not installed: apt-get install qemu-system-x86"
)


@pytest.fixture(scope="session")
def disk(image: Image) -> Disk:
    """The virtual machine of the small image, made once for this checkout."""
    return build_disk(image.name, image.machines, print)


@pytest.fixture(scope="module")
def machine(disk: Disk) -> Iterator[VirtualMachine]:
    with VirtualMachine(disk.image) as running:
        yield running


def choice_of(image: Image) -> MachineChoice:
    return MachineChoice("qemu", image.name, image.machines)


@needs_qemu
@pytest.mark.slow(minutes=3)
def test_a_reset_brings_back_files_and_processes(machine: VirtualMachine) -> None:
    machine.client.upload("Documents/left.txt", b"left")
    machine.client.execute(["sh", "-c", "touch /tmp/left; setsid sleep 1000 &"])
    before = machine.client.execute(["date", "+%s"])["output"]
    machine.reset()
    assert machine.client.file("Documents/left.txt") is None and machine.client.file("/tmp/left") is None
    assert machine.client.execute(["pgrep", "sleep"])["output"] == ""
    assert machine.client.state()["windows"] == [] and machine.client.state()["starts"] == 1
    assert int(machine.client.execute(["date", "+%s"])["output"]) >= int(before), "the clock is the host's and not the snapshot's"


@needs_qemu
@pytest.mark.slow(minutes=1)
def test_a_machine_reaches_nothing_outside_and_its_agent_is_not_root(machine: VirtualMachine) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        for address in ("10.0.2.2", "10.0.2.3", "127.0.0.1"):
            connect = f"import socket; socket.create_connection(('{address}', {port}), 3)"
            done = machine.client.execute(["python3", "-c", connect])
            assert done["returncode"] != 0 and "Error" in done["error"]
    assert machine.client.execute(["id", "-u"])["output"] == "1000\n"
    assert machine.client.execute(["unshare", "--user", "true"])["returncode"] != 0
    assert machine.client.execute(["ls", "/opt/deskmill"])["output"].split() == ["home", "machines"], "nothing of the virtual machine is seen"
    assert machine.client.execute(["cat", "/proc/1/environ"])["returncode"] != 0


@needs_qemu
@pytest.mark.slow(minutes=1)
def test_a_machine_that_dies_is_a_fault_of_the_infrastructure(disk: Disk) -> None:
    with VirtualMachine(disk.image) as machine:
        assert machine._process is not None and machine._process.qemu is not None
        machine._process.qemu.kill()
        with pytest.raises(MachineError, match="the guest does not answer"):
            machine.client.observe(["windows"])
        machine.reset()
        assert machine.client.state()["starts"] == 1


@needs_qemu
@pytest.mark.slow(minutes=1)
def test_nothing_is_left_when_its_owner_is_killed(disk: Disk) -> None:
    script = (
        "import sys, time; from pathlib import Path; from machines.machine import MachineChoice\n"
        f"machine = MachineChoice('qemu', {disk.image.name!r}, Path({str(disk.image.machines)!r})).make(); machine.start()\n"
        "print(machine._process.qemu.pid, flush=True); time.sleep(600)"
    )
    owner = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
    assert owner.stdout is not None
    qemu = int(owner.stdout.readline())
    assert psutil.pid_exists(qemu)
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    wait_for(lambda: not psutil.pid_exists(qemu))


@needs_qemu
@pytest.mark.slow(minutes=4)
def test_episodes_have_the_rewards_of_a_sandbox(disk: Disk, data: DataFolder) -> None:
    data.root.mkdir()
    data.machines.symlink_to(disk.image.machines)
    runs = {
        kind: evaluate_episodes("smoke", AgentChoice("oracle"), EpisodeOptions(workers=1, machine=kind, limit=2), data, quiet)
        for kind in ("sandbox", "qemu")
    }
    assert [row["fault"] for run in runs.values() for row in run.rows] == [None] * 4
    rewards = {kind: {row["episode_id"]: row["reward"] for row in run.rows} for kind, run in runs.items()}
    assert rewards["qemu"] == rewards["sandbox"] and set(rewards["qemu"].values()) == {1.0}
    assert runs["qemu"].run_id != runs["sandbox"].run_id


# What follows starts no machine: a disk that only says that it was made.


@pytest.fixture
def pretended(image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Disk:
    """A disk of three bytes with its description, in a folder of machines of the test's own."""
    machines_folder = tmp_path / "machines"
    machines_folder.mkdir()
    for name in ("roots", "homes", "current"):
        (machines_folder / name).symlink_to(image.machines / name) if name != "current" else shutil.copytree(
            image.machines / name, machines_folder / name, symlinks=True, ignore=shutil.ignore_patterns("*.qemu.*")
        )
    own = Image(image.name, machines_folder, image.identity)
    folder = machines_folder / "disks" / "pretended"
    folder.mkdir(parents=True)
    (folder / "disk").write_bytes(b"abc")
    made = {
        "image": image.name, "key": Disk(own, None).key, "kernel": ["linux=6"], "qemu": "7.2", "accelerator": "tcg", "memory_mb": 64, "token": "t",
        "built": "2026-01-01", "sizes": {"disk": 3},
    }  # fmt: skip
    (folder / "made.json").write_text(json.dumps(made))
    Disk(own, None).current.symlink_to(folder)
    monkeypatch.setattr(machines.qemu, "qemu_version", lambda: "7.2")
    monkeypatch.setattr(machines.qemu, "check_host", lambda: None)
    return find_disk(own)


def changed(disk: Disk, **fields: object) -> None:
    assert disk.folder is not None
    path = disk.folder / "made.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | fields))


def test_the_identity_follows_what_it_is_made_of_and_not_when(pretended: Disk) -> None:
    choice = choice_of(pretended.image)
    choice.check()
    first = choice.identity
    assert first["disk"] == pretended.made.identity and first["root"] == pretended.image.root.name and first["kind"] == "qemu"
    changed(pretended, token="u", built="2027-01-01")
    assert choice.identity == first
    for field, value in {"kernel": ["linux=7"], "qemu": "8", "accelerator": "kvm", "memory_mb": 65, "key": "other"}.items():
        changed(pretended, **{field: value})
        assert choice.identity != first, field
        changed(pretended, kernel=["linux=6"], qemu="7.2", accelerator="tcg", memory_mb=64, key=pretended.key)


def test_a_disk_that_is_cut_off_is_told(pretended: Disk) -> None:
    assert pretended.folder is not None
    (pretended.folder / "disk").write_bytes(b"ab")
    with pytest.raises(MachineNeeds, match=r"disk is cut off: it has 2 bytes instead of 3; deskmill machine build --kind qemu smoke --again"):
        choice_of(pretended.image).check()
    (pretended.folder / "disk").unlink()
    with pytest.raises(MachineNeeds, match="it has 0 bytes instead of 3"):
        choice_of(pretended.image).check()
    (pretended.folder / "made.json").write_text("{")
    with pytest.raises(MachineNeeds, match=r"made.json cannot be read \(ValidationError\): deskmill machine build --kind qemu smoke --again"):
        choice_of(pretended.image).check()


def test_a_disk_of_another_qemu_or_without_its_kvm_is_told(pretended: Disk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines.qemu, "qemu_version", lambda: "9.0")
    with pytest.raises(MachineNeeds, match=r"built with QEMU 7.2, and this host has 9.0: deskmill machine build --kind qemu smoke --again"):
        choice_of(pretended.image).check()
    changed(pretended, accelerator="kvm", qemu="9.0")
    monkeypatch.setattr(machines.qemu, "KVM", Path("/dev/no-kvm"))
    with pytest.raises(MachineNeeds, match="built with KVM, and /dev/no-kvm cannot be opened here"):
        choice_of(pretended.image).check()


def test_what_is_not_built_is_told_with_what_makes_it(pretended: Disk, tmp_path: Path) -> None:
    pretended.current.unlink()
    with pytest.raises(
        MachineNeeds, match="virtual machine of the image 'smoke' is not built for this version of Deskmill: deskmill machine build --kind qemu smoke"
    ):
        choice_of(pretended.image).check()
    with pytest.raises(MachineNeeds, match="image 'smoke' is not built yet: deskmill machine build smoke"):
        MachineChoice("qemu", "smoke", tmp_path / "empty").check()
    with pytest.raises(MachineNeeds, match="machines of kind 'qemu' have no option 'cpus'; they have ahead"):
        MachineChoice("qemu", "smoke", tmp_path, {"cpus": "2"}).check()


def test_a_host_without_qemu_is_told_what_to_install(image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(MachineNeeds, match="a virtual machine needs qemu-system-x86_64, setpriv: apt-get install qemu-system-x86 util-linux"):
        choice_of(image).check()


def test_a_host_that_is_no_amd64_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machines.qemu_build, "check_host", lambda: None)
    monkeypatch.setattr(machines.qemu_build, "architecture", lambda: "arm64")
    with pytest.raises(MachineNeeds, match="made for amd64 hosts, and this one is arm64: use the kind 'sandbox'"):
        machines.qemu_build._check_tools()


def test_kvm_that_hangs_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The device can be opened, but no kernel starts with it."""
    hanging = tmp_path / QEMU
    hanging.write_text("#!/bin/sh\nexec sleep 60\n")
    hanging.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(machines.qemu_build, "KVM", tmp_path)
    monkeypatch.setattr(machines.qemu_build, "_PROBE_SECONDS", 0.1)
    assert not machines.qemu_build._runs_with_kvm(tmp_path)
    hanging.write_text("#!/bin/sh\n")
    monkeypatch.setattr(machines.qemu_build, "_PROBE_SECONDS", 30.0)
    assert machines.qemu_build._runs_with_kvm(tmp_path)
