"""The list of an image's packages with versions: read from a root file system, kept in it, shown, and read again to make the same image.

A list is a text. Comments at its head describe the image (`# image: smoke`). Each later line is a package: of Debian (`mousepad=0.5.10-2`), or of
Python (`taguette==1.5.2`). The lines are sorted by name.
"""

import hashlib
import json
import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from machines import python_packages
from machines.errors import MachineError, MachineNeeds

KEPT = Path("etc/deskmill.packages")  # within the root file system
_HEAD = re.compile(r"# (\w+): (\S+)")
_PACKAGE = re.compile(r"[a-z0-9][a-z0-9.+-]+==?[A-Za-z0-9.+~:!-]+")
_OF_PYTHON = "=="


@dataclass(frozen=True)
class PackageList:
    """The content of an image: its Debian and architecture, when it was built, and `name=version` of every package, `name==version` of Python's."""

    image: str
    debian: str
    architecture: str
    built: str
    packages: tuple[str, ...]

    @property
    def names(self) -> list[str]:
        """Return the Debian packages without their versions."""
        return [package.partition("=")[0] for package in self.of_debian]

    @property
    def of_debian(self) -> list[str]:
        """Return the Debian packages."""
        return [package for package in self.packages if _OF_PYTHON not in package]

    @property
    def of_python(self) -> list[str]:
        """Return the Python packages."""
        return [package for package in self.packages if _OF_PYTHON in package]

    def identity(self, way: object) -> str:
        """Return the identity of a root file system with these packages, made in that `way`; the time of building does not count."""
        return hash_of({"way": way, "debian": self.debian, "architecture": self.architecture, "packages": self.packages})

    def __str__(self) -> str:
        """Return the text that is kept and shown."""
        head = {"image": self.image, "debian": self.debian, "architecture": self.architecture, "built": self.built}
        return "".join(f"{line}\n" for line in [*(f"# {key}: {value}" for key, value in head.items()), *self.packages])


def read_list(path: Path) -> PackageList:
    """Return the list in a file; `MachineNeeds` with the line that is not a package."""
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
        raise MachineNeeds(f"{path}: the head of the list lacks '# {lacking[0]}: ...', as deskmill machine show prints it")
    return PackageList(head["image"], head["debian"], head["architecture"], head["built"], tuple(sorted(packages)))


def packages_of(root: Path) -> tuple[str, ...]:
    """Return every package in a root file system, from its dpkg and from the folder of its Python packages."""
    command = ["dpkg-query", f"--admindir={root / 'var/lib/dpkg'}", "--show", "--showformat", "${Package}=${Version}\n"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineError(f"the packages of {root} cannot be listed: {done.stderr.strip()}")
    return tuple(sorted([*done.stdout.split(), *python_packages.installed(root)]))


def check_registry(wanted: PackageList, sources: Path) -> None:
    """Raise `MachineNeeds` with every version of the list that the registry no longer has. Read only its index; fetch no package."""
    held = _versions_in_registry(wanted.names, sources)
    missing = []
    for package in wanted.of_debian:
        name, version = package.split("=", 1)
        if version not in held.get(name, ()):
            missing.append(f"  {package} (it has {', '.join(held.get(name, ['none']))})")
    if missing:
        raise MachineNeeds(
            f"the registry in {sources} lacks {len(missing)} of the {len(wanted.packages)} packages of the list:\n" + "\n".join(missing) + "\n"
            f"add a registry there that keeps old versions, or make the image with today's versions: deskmill machine build {wanted.image} --again"
        )


def _versions_in_registry(names: Sequence[str], sources: Path) -> Mapping[str, list[str]]:
    """Return the versions of each package in the index of the registry, newest first."""
    found: dict[str, list[str]] = {}
    with registry(sources) as options:
        for line in run(["apt-cache", *options, "madison", *names]).splitlines():
            name, version, _ = (part.strip() for part in line.split("|"))
            found.setdefault(name, []).append(version)
    return found


@contextmanager
def registry(sources: Path) -> Iterator[list[str]]:
    """Fetch the index of the registry, and yield the options with which apt-get and apt-cache use it; nothing of the host's own apt changes."""
    with tempfile.TemporaryDirectory() as folder:
        for made in ("lists/partial", "archives/partial"):
            (Path(folder) / made).mkdir(parents=True)
        settings = {
            "Dir::State": folder, "Dir::State::status": "/dev/null", "Dir::Cache": folder, "Dir::Etc::SourceList": str(sources),
            "Dir::Etc::SourceParts": "/dev/null", "APT::Sandbox::User": "",
        }  # fmt: skip
        options = [word for name, value in settings.items() for word in ("-o", f"{name}={value}")]
        run(["apt-get", *options, "update", "--error-on=any"])
        yield options


def run(command: list[str], folder: Path | None = None) -> str:
    """Run a command, in a folder if one is given, and return its output; `MachineError` with its error output if it fails."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    if done.returncode != 0:
        raise MachineError(f"{command[0]} failed with {done.returncode}: {done.stderr.strip()[-1000:]}")
    return done.stdout


@cache
def architecture() -> str:
    """Return the host's architecture, as Debian calls it."""
    return run(["dpkg", "--print-architecture"]).strip()


def hash_of(made_from: object) -> str:
    """Return a short hash of the given parts."""
    return hashlib.blake2b(json.dumps(made_from).encode(), digest_size=8).hexdigest()
