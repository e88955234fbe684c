"""The list of an image's packages by version: read from a root file system, kept in it, shown, and read again to make the same image.

A list is a text. Comments at its head say what it is of (`# image: smoke`); each line after them is a package (`mousepad=0.5.10-2`), sorted by name.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from machines.errors import MachineError, MachineNeeds

KEPT = Path("etc/deskmill.packages")  # within the root file system
_HEAD = re.compile(r"# (\w+): (\S+)")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9.+-]+=[A-Za-z0-9.+~:-]+")
_SOURCES = (Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list"))


@dataclass(frozen=True)
class PackageList:
    """What an image holds: its Debian and architecture, when it was built, and `name=version` of every package."""

    image: str
    debian: str
    architecture: str
    built: str
    packages: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """The packages without their versions."""
        return [package.partition("=")[0] for package in self.packages]

    def identity(self, way: int) -> str:
        """The identity of a root file system with these packages, made in the `way` of that number; the time of building is not part of it."""
        return hash_of({"way": way, "debian": self.debian, "architecture": self.architecture, "packages": self.packages})

    def __str__(self) -> str:
        """As it is kept and shown."""
        head = {"image": self.image, "debian": self.debian, "architecture": self.architecture, "built": self.built}
        return "".join(f"{line}\n" for line in [*(f"# {key}: {value}" for key, value in head.items()), *self.packages])


def read_list(path: Path) -> PackageList:
    """A list from a file; `MachineNeeds` with the line that is none."""
    head: dict[str, str] = {}
    packages = []
    for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1):
        if found := _HEAD.fullmatch(line):
            head[found[1]] = found[2]
        elif _PACKAGE.fullmatch(line):
            packages.append(line)
        elif line.strip():
            raise MachineNeeds(f"{path}:{number}: {line!r:.80} is no package: write name=version, as deskmill machine show prints it")
    if lacking := [key for key in ("image", "debian", "architecture", "built") if key not in head]:
        raise MachineNeeds(f"{path}: a list of packages says at its head '# {lacking[0]}: ...', as deskmill machine show prints it")
    return PackageList(head["image"], head["debian"], head["architecture"], head["built"], tuple(sorted(packages)))


def packages_of(root: Path) -> tuple[str, ...]:
    """`name=version` of every package that a root file system holds, from its dpkg."""
    command = ["dpkg-query", f"--admindir={root / 'var/lib/dpkg'}", "--show", "--showformat", "${Package}=${Version}\n"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"the packages of {root} cannot be listed: {done.stderr.strip()}")
    return tuple(sorted(done.stdout.split()))


def check_registry(wanted: PackageList) -> None:
    """`MachineNeeds` with every version of the list that the registry no longer has. Asks its index alone; fetches no package."""
    held = _versions_in_registry(wanted.names)
    missing = []
    for package in wanted.packages:
        name, version = package.split("=", 1)
        if version not in held.get(name, ()):
            missing.append(f"  {package} (it has {', '.join(held.get(name, ['none']))})")
    if missing:
        raise MachineNeeds(
            f"the registry in {sources()} lacks {len(missing)} of the {len(wanted.packages)} packages of the list:\n" + "\n".join(missing) + "\n"
            f"name a registry there that keeps old versions, or make the image with today's: deskmill machine build {wanted.image} --again"
        )


def _versions_in_registry(names: Sequence[str]) -> Mapping[str, list[str]]:
    """The versions of each package in the index of the registry, fetched now, newest first."""
    with tempfile.TemporaryDirectory() as folder:
        for made in ("lists/partial", "archives/partial"):
            (Path(folder) / made).mkdir(parents=True)
        settings = {
            "Dir::State": folder, "Dir::State::status": "/dev/null", "Dir::Cache": folder, "Dir::Etc::SourceList": str(sources()),
            "Dir::Etc::SourceParts": "/dev/null", "APT::Sandbox::User": "",
        }  # fmt: skip
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        _run(["apt-get", *options, "update", "--error-on=any"])
        found: dict[str, list[str]] = {}
        for line in _run(["apt-cache", *options, "madison", *names]).splitlines():
            name, version, _ = (part.strip() for part in line.split("|"))
            found.setdefault(name, []).append(version)
        return found


def _run(command: list[str]) -> str:
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"{command[0]} failed with {done.returncode}: {done.stderr.strip()[-1000:]}")
    return done.stdout


def sources() -> Path:
    """The host's own Debian sources, of which images are made; `MachineNeeds` where it has none."""
    found = next((path for path in _SOURCES if path.is_file()), None)
    if found is None or _release().get("ID") != "debian":
        raise MachineNeeds("images are made from the host's own Debian sources, and this host has none: use a Debian host")
    return found


def debian() -> str:
    """The code name of the host's Debian."""
    sources()
    return _release()["VERSION_CODENAME"].strip('"')


@cache
def architecture() -> str:
    """The host's architecture, as Debian calls it."""
    return _run(["dpkg", "--print-architecture"]).strip()


def hash_of(made_from: object) -> str:
    """A short hash of what something is made from."""
    return hashlib.blake2b(json.dumps(made_from).encode(), digest_size=8).hexdigest()


@cache
def _release() -> Mapping[str, str]:
    lines = Path("/etc/os-release").read_text().splitlines()
    return dict(line.split("=", 1) for line in lines if "=" in line)
