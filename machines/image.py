"""The image of a machine: a root file system made once from a declared list of Debian packages, and kept by the hash of that list.

`desktop.yaml` declares it, `home/` is what every home folder begins with. The host needs mmdebstrap to make one; nothing is installed there.
"""

import fcntl
import hashlib
import io
import json
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from machines.errors import MachineError, MachineNeeds

_HERE = Path(__file__).parent
_VERSION = 1  # of the way that images are made
_NOT_NEEDED = ("/usr/share/man/*", "/usr/share/doc/*", "/usr/share/locale/*", "/usr/share/help/*", "/usr/share/info/*")
_FASTER = Path("/usr/share/mmdebstrap/hooks/eatmydata")  # writes without waiting for the disk
_SOURCES = (Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list"))
Say = Callable[[str], None]


class Program(BaseModel):
    """How an application is started, its Debian packages, the class of its windows, and whether it loses keys that are typed at once."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    packages: list[str]
    command: list[str]
    window_class: str
    loses_fast_keys: bool = False


class Declared(BaseModel):
    """`desktop.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    screen: dict[str, int]
    packages: list[str]
    programs: dict[str, Program]
    warm_up: dict[str, list[str]]
    writers: list[list[str]]
    images: dict[str, list[str]]


@cache
def declared() -> Declared:
    """What `desktop.yaml` says."""
    return Declared.model_validate(yaml.safe_load((_HERE / "desktop.yaml").read_text()))


@dataclass(frozen=True)
class Image:
    """An image under a folder of machines, built or not: a root file system, and what home folders begin with, each by its own hash."""

    name: str
    machines: Path

    @property
    def programs(self) -> dict[str, Program]:
        """The programs in it, by handle."""
        return {handle: declared().programs[handle] for handle in declared().images[self.name]}

    @property
    def screen(self) -> dict[str, int]:
        """Width and height in pixels."""
        return declared().screen

    @property
    def packages(self) -> list[str]:
        """The Debian packages in it, sorted; what they depend on comes with them."""
        return sorted({*declared().packages, *(package for program in self.programs.values() for package in program.packages)})

    @property
    def warm_up(self) -> list[list[str]]:
        """Commands that make profiles."""
        return [
            list(command) for command in dict.fromkeys(tuple(declared().warm_up[handle]) for handle in self.programs if handle in declared().warm_up)
        ]

    @property
    def writers(self) -> list[list[str]]:
        """Commands after which settings stand in their files."""
        return declared().writers

    @cached_property
    def root(self) -> Path:
        """The root file system."""
        return self.machines / "roots" / _hash({"version": _VERSION, "debian": _debian(), "packages": self.packages})

    @cached_property
    def home(self) -> Path:
        """What home folders begin with."""
        return self.machines / "homes" / _hash({"root": self.root.name, "warm_up": self.warm_up, "files": _home_files()})

    @property
    def is_built(self) -> bool:
        """Whether it is there, whole."""
        return self.root.is_dir() and self.home.is_dir()


def find_image(name: str, machines: Path) -> Image:
    """The image of that name under the folder of machines; `MachineNeeds` where no image is called so."""
    if name not in declared().images:
        raise MachineNeeds(f"there is no image '{name}'; machines/desktop.yaml declares {', '.join(declared().images)}")
    return Image(name, machines)


def build_image(image: Image, say: Say) -> None:
    """Make what of the image is not there. One at a time: a second call waits for the first and finds it made."""
    if image.is_built:
        return
    _check_tools()
    image.machines.mkdir(parents=True, exist_ok=True)
    with _locked(image.machines / ".lock"):
        if image.is_built:
            return
        _made(image.root, lambda making: _make_root(image, making, say))
        say("making profiles")
        _made(image.home, lambda making: _make_home(image, making))


def _made(folder: Path, make: Callable[[Path], None]) -> None:
    """Make a folder aside and put it in its place whole; a killed attempt is swept first."""
    if folder.is_dir():
        return
    making = folder.with_name(f".{folder.name}.making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir(parents=True)
    make(making)
    making.rename(folder)


def _hash(made_from: object) -> str:
    return hashlib.blake2b(json.dumps(made_from).encode(), digest_size=8).hexdigest()


def _make_root(image: Image, folder: Path, say: Say) -> None:
    """A tar from mmdebstrap, unpacked: everything belongs to whoever builds, and the sandbox mounts it read-only."""
    tar = folder.with_suffix(".tar")
    say(f"fetching and unpacking {len(image.packages)} Debian packages and what they need; this takes some minutes, once")
    options = [word for pattern in _NOT_NEEDED for word in ("--dpkgopt", f"path-exclude={pattern}")]
    sources = next(path for path in _SOURCES if path.is_file())
    hooks = [f"--hook-dir={_FASTER}"] if _FASTER.is_dir() and shutil.which("eatmydata") else []
    command = [
        "mmdebstrap", f"--mode={'root' if os.geteuid() == 0 else 'unshare'}", "--variant=minbase", *options, *hooks,
        '--aptopt=Apt::Install-Recommends "false"',
        "--include", ",".join(image.packages), '--customize-hook=chroot "$1" useradd --uid 1000 --home-dir /home/agent --shell /bin/bash agent',
        '--customize-hook=echo 0123456789abcdef0123456789abcdef > "$1/etc/machine-id"', '--customize-hook=mkdir -p "$1/home/agent" "$1/opt"',
        _debian(), str(tar), str(sources),
    ]  # fmt: skip
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        tar.unlink(missing_ok=True)
        raise MachineError(f"mmdebstrap failed with {done.returncode}:\n{done.stderr[-3000:]}")
    unpack = ["tar", "--extract", "--preserve-permissions", "--no-same-owner", "--exclude", "./dev/*", "--file", str(tar), "--directory", str(folder)]
    subprocess.run(unpack, check=True)
    tar.unlink()


def _make_home(image: Image, folder: Path) -> None:
    """The declared home folder, and on top of it what the programs leave there when they first run."""
    from machines.sandbox import Sandbox

    shutil.copytree(_HERE / "home", folder, dirs_exist_ok=True)
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)
    if not image.warm_up:
        return
    unfinished = Image(image.name, image.machines)
    unfinished.__dict__["home"] = folder  # the sandbox that makes the profiles begins with the declared files alone
    with Sandbox(unfinished) as machine:
        for command in image.warm_up:
            machine.client.execute(command)
        machine.client.execute(["tar", "--create", "--file", "/tmp/home.tar", "--directory", "/home/agent", "."])
        packed = machine.client.file("/tmp/home.tar")
    if packed is None:
        raise MachineError("the home folder of the new image could not be fetched")
    with tarfile.open(fileobj=io.BytesIO(packed)) as tar:
        tar.extractall(folder, filter="data")
    subprocess.run(["chmod", "-R", "a+rX", str(folder)], check=True)


def _check_tools() -> None:
    from machines.sandbox import check_host

    if shutil.which("mmdebstrap") is None:
        raise MachineNeeds("a machine is made with mmdebstrap: apt-get install mmdebstrap")
    check_host()
    if os.geteuid() != 0 and shutil.which("newuidmap") is None:
        raise MachineNeeds("without root, mmdebstrap needs newuidmap, and a range of numbers in /etc/subuid and /etc/subgid: apt-get install uidmap")


@cache
def _debian() -> str:
    """The code name of the host's Debian, whose packages the image is made of."""
    lines = Path("/etc/os-release").read_text().splitlines()
    known = dict(line.split("=", 1) for line in lines if "=" in line)
    if known.get("ID") != "debian" or not any(path.is_file() for path in _SOURCES):
        raise MachineNeeds("images are made from the host's own Debian sources, and this host has none: use a Debian host")
    return known["VERSION_CODENAME"].strip('"')


def _home_files() -> dict[str, str]:
    files = (path for path in sorted((_HERE / "home").rglob("*")) if path.is_file())
    return {str(path.relative_to(_HERE)): hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in files}


@contextmanager
def _locked(path: Path) -> Iterator[None]:
    with path.open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield
