"""Making the disk and the snapshot of virtual machines: an image and a kernel become a machine whose desktop is up and whose programs were loaded.

All is made in a folder aside and moved to its place when it is complete. Nothing is installed on the host.
"""

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from machines import host
from machines.build import Say, build_image, locked
from machines.errors import MachineError, MachineNeeds
from machines.image import Image, declared
from machines.kernel import Kernel, fetched
from machines.machine import Program
from machines.packages import architecture
from machines.patient_client import PatientClient
from machines.qemu import KVM, check_host
from machines.qemu_image import Disk, Made, code_files, find_disk, guest_start, qemu_version
from machines.qemu_process import Hardware, Process, base_options
from machines.sources import apt_sources

_HERE = Path(__file__).parent
_PROBE_SECONDS = 15.0  # a kernel starts in about one second with KVM; where KVM does not work, it never does
_PROBE_MB = 256
_DESKTOP_SECONDS, _PROGRAM_SECONDS = 300.0, 300.0  # without KVM on a busy host
_SPACE = 1.12  # of the disk, for what the file system needs beside its files
_BLOCK = 4096


def build_disk(name: str, machines: Path, say: Say, again: bool = False, source: str | None = None) -> Disk:
    """Make the virtual machine of an image, and the image itself if it is missing, and use it from now on.

    `again` makes it with the newest kernel, and with the QEMU and the accelerator that are here now. `MachineNeeds` if the host lacks something.
    """
    image = build_image(name, machines, say, source=source)
    disk = find_disk(image)
    if disk.folder is not None and not again:
        return disk
    _check_tools()
    with apt_sources(declared().debian, source) as sources, locked(machines / ".lock"):
        disk = find_disk(image)
        if disk.folder is None or again:
            disk = replace(disk, folder=_made(disk, sources, say))
            _use(disk)
    return disk


def _check_tools() -> None:
    check_host()
    if missing := host.lacking(["mke2fs", "apt-get", "dpkg-deb"]):
        raise MachineNeeds(f"a virtual machine is made with {missing}")
    if architecture() != "amd64":
        raise MachineNeeds(f"virtual machines are made for amd64 hosts, and this one is {architecture()}: use the kind 'sandbox'")


def _made(disk: Disk, sources: Path, say: Say) -> Path:
    """Make everything in a folder aside, move it to its place, and return that. Remove the leftovers of a killed build first."""
    disks = disk.image.machines / "disks"
    making = disks / f".{disk.image.name}.making"
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    making.chmod(0o700)
    try:
        say("fetching the kernel of the virtual machine")
        kernel = fetched(sources, making / "packages")
        shutil.copy(kernel.image, making / "kernel")
        (making / "initrd").write_bytes(kernel.initrd())
        accelerator = "kvm" if _runs_with_kvm(making) else "tcg"
        say("making its disk")
        _make_disk(disk.image, kernel, making)
        shutil.rmtree(kernel.folder)
        say("starting it once " + ("with KVM" if accelerator == "kvm" else "without KVM, which does not work here; this takes some minutes"))
        token = secrets.token_hex(16)
        _make_snapshot(disk.image, Hardware(making, accelerator, declared().virtual_machine.memory_mb, makes=True), token, say)
        made = _described(disk, kernel, accelerator, token, making)
        place = disks / made.identity
        if place.is_dir():  # the same parts, which may have been spoiled
            place.rename(making.with_name(f"{making.name}.old"))
        making.rename(place)
    finally:
        for left in disks.glob(f"{making.name}*"):
            shutil.rmtree(left)
    return place


def _described(disk: Disk, kernel: Kernel, accelerator: str, token: str, folder: Path) -> Made:
    """Write what it was made from into the folder, and return it."""
    sizes = {path.name: path.stat().st_size for path in sorted(folder.iterdir())}
    built = datetime.now(UTC).isoformat(timespec="seconds")
    made = Made(
        image=disk.image.name, key=disk.key, kernel=kernel.packages, qemu=qemu_version(), accelerator=accelerator,
        memory_mb=declared().virtual_machine.memory_mb, token=token, built=built, sizes=sizes,
    )  # fmt: skip
    (folder / "made.json").write_text(json.dumps(made.model_dump(), indent=1) + "\n")
    return made


def _runs_with_kvm(folder: Path) -> bool:
    """Tell whether the kernel in a folder starts with KVM here: a device that can be opened may still hang."""
    if not os.access(KVM, os.R_OK | os.W_OK):
        return False
    command = base_options(folder, "kvm", _PROBE_MB, "accel=kvm", "deskmill.probe")
    try:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=_PROBE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode == 0


def _make_disk(image: Image, kernel: Kernel, folder: Path) -> None:
    """Write a file system of the image's root, our code and the template of the home folder. All files in it belong to root."""
    tree = folder / "tree"
    subprocess.run(["cp", "--archive", "--link", str(image.root), str(tree)], check=True)
    own = tree / "opt" / "deskmill"
    (own / "bin").mkdir(parents=True)
    shutil.copy(kernel.bubblewrap, own / "bin")
    for path in code_files():
        place = own / ("start.py" if path.parent.name == "vm" else f"machines/{path.relative_to(_HERE)}")
        if path.parent.name != "vm" or path.name == "start.py":
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, place)
    shutil.copytree(image.home, own / "home", symlinks=True)
    subprocess.run(["chmod", "-R", "a+rX", str(own)], check=True)
    paths = list(_below(tree))
    size = sum(-(-path.lstat().st_size // _BLOCK) * _BLOCK for path in paths)
    as_root = [] if os.geteuid() == 0 else ["unshare", "--user", "--map-root-user"]
    options = ["-q", "-t", "ext4", "-b", str(_BLOCK), "-O", "^has_journal,^resize_inode", "-m", "0", "-N", str(len(paths) + 100), "-d", str(tree)]
    command = [*as_root, str(host.place("mke2fs")), *options, str(folder / "disk"), f"{int(size * _SPACE) // 2**20 + 32}M"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"mke2fs failed with {done.returncode}: {done.stderr[-1000:]}")
    shutil.rmtree(tree)


def _below(folder: Path) -> Iterator[Path]:
    for place, folders, files in os.walk(folder):
        yield from (Path(place) / name for name in (*folders, *files))


def _make_snapshot(image: Image, hardware: Hardware, token: str, say: Say) -> None:
    """Start the machine, load every program once, begin the desktop anew, and save the machine when nothing moves any more."""
    process = Process(hardware)
    try:
        process.tell({"time": time.time(), "start": guest_start(image, token)})
        with _client(process, token) as client:
            for handle, program in image.programs.items():
                say(f"loading {handle}")
                _load(client, handle, program)
        process.tell({"start": guest_start(image, token)})
        time.sleep(1)  # the old guest server ends at once; the new one answers after seconds
        with _client(process, token) as client:
            client.observe(["screenshot", "tree", "windows", "clipboard"])
            client.settle(1.0, 60.0)
        process.save(hardware.folder / "devices")
    except MachineError as error:
        raise MachineError(f"{error}; the virtual machine said: {process.end().strip()[-2000:] or 'nothing'}") from None
    finally:
        process.end()


@contextlib.contextmanager
def _client(process: Process, token: str) -> Iterator[PatientClient]:
    """Yield a client of the machine once its desktop is up; its connections are closed before the machine is saved."""
    client = PatientClient(f"http://127.0.0.1:{process.port}", token, declared().virtual_machine.slowness)
    try:
        client.wait_until_ready(_DESKTOP_SECONDS, lambda: process.is_alive)
        yield client
    finally:
        client.close()


def _load(client: PatientClient, handle: str, program: Program) -> None:
    """Start a program and end it, so that its files are in the machine's memory; `MachineError` if its window does not come."""
    client.launch(program.command)
    until = time.monotonic() + _PROGRAM_SECONDS
    while not (own := [one for one in client.observe(["windows"]).windows or () if one.window_class.lower() == program.window_class.lower()]):
        if time.monotonic() > until:
            raise MachineError(f"no window of {handle} came up in the virtual machine within {_PROGRAM_SECONDS:.0f} s")
        time.sleep(0.2)
    client.settle(0.5, 30.0)
    client.observe(["tree"])
    client.execute(["kill", "-KILL", *(str(window.process) for window in own if window.process is not None)])


def _use(disk: Disk) -> None:
    """Let new machines begin with this snapshot, by an atomic change of a link."""
    assert disk.folder is not None
    disk.current.parent.mkdir(exist_ok=True)
    aside = disk.current.with_name(f".{disk.current.name}.tmp")
    aside.unlink(missing_ok=True)
    aside.symlink_to(Path("..") / "disks" / disk.folder.name)
    aside.replace(disk.current)
