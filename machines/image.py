"""The image of a machine: a root file system made from Debian packages, and what a home folder begins with.

`desktop.yaml` declares which packages an image is to hold, `home/` is what every home folder begins with. An image is identified by the versions
of the packages that it holds: each such root file system has a folder of its own in `roots/`, and a link in `current/` says which one is used for
what is declared now. `machines.build` makes images.
"""

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import yaml
from pydantic import BaseModel, ConfigDict

from machines.errors import MachineNeeds
from machines.packages import KEPT, PackageList, hash_of, read_list

_HERE = Path(__file__).parent
HOME_FILES = _HERE / "home"
WAY = 1  # the number of the way that images are made; raise it when `machines.build` makes another root from the same packages


class Program(BaseModel):
    """How an application is started, its Debian packages, the class of its windows, and whether it loses keys that are typed at once.

    `own` are paths below the home folder where it writes by itself; a star stands for any characters. `own_keys` are the keys that it
    sets by itself in a file of settings, by the path of the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    packages: list[str]
    command: list[str]
    window_class: str
    loses_fast_keys: bool = False
    own: list[str] = []
    own_keys: dict[str, list[str]] = {}


class Declared(BaseModel):
    """`desktop.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    screen: dict[str, int]
    packages: list[str]
    programs: dict[str, Program]
    warm_up: dict[str, list[str]]
    writers: list[list[str]]
    own: list[str]
    images: dict[str, list[str]]


@cache
def declared() -> Declared:
    """What `desktop.yaml` says."""
    return Declared.model_validate(yaml.safe_load((_HERE / "desktop.yaml").read_text()))


@dataclass(frozen=True)
class Image:
    """An image under a folder of machines. `identity` is the hash of the packages that its root file system holds; None where none was made."""

    name: str
    machines: Path
    identity: str | None

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

    @property
    def own(self) -> list[str]:
        """Paths below the home folder where programs write by themselves, those of the desktop first; a star stands for any characters."""
        return [*declared().own, *(path for program in self.programs.values() for path in program.own)]

    @property
    def own_keys(self) -> dict[str, list[str]]:
        """Keys that programs set by themselves in files of settings, by the path of the file."""
        return {path: keys for program in self.programs.values() for path, keys in program.own_keys.items()}

    @cached_property
    def root(self) -> Path:
        """The root file system, named by the image's identity; `MachineNeeds` where none was made."""
        if self.identity is None:
            raise MachineNeeds(f"the image '{self.name}' is not built: deskmill machine build {self.name}")
        return self.machines / "roots" / self.identity

    @cached_property
    def home(self) -> Path:
        """What home folders begin with; its name follows from the root file system in which its profiles are made."""
        return self.machines / "homes" / hash_of({"root": self.root.name, "warm_up": self.warm_up, "files": _home_files()})

    @property
    def held(self) -> PackageList:
        """The packages that it holds, by version."""
        return read_list(self.root / KEPT)

    @property
    def current(self) -> Path:
        """The link to the root file system that is used for what is declared now."""
        return self.machines / "current" / f"{self.name}.{hash_of([WAY, self.packages])}"

    @property
    def is_built(self) -> bool:
        """Whether it is there, whole."""
        return self.identity is not None and self.root.is_dir() and self.home.is_dir()


def find_image(name: str, machines: Path) -> Image:
    """The image of that name under the folder of machines; `MachineNeeds` where no image is called so."""
    if name not in declared().images:
        raise MachineNeeds(f"there is no image '{name}'; machines/desktop.yaml declares {', '.join(declared().images)}")
    image = Image(name, machines, None)
    identity = image.current.readlink().name if image.current.is_dir() else None
    return Image(name, machines, identity)


def builds(machines: Path) -> dict[str, PackageList]:
    """All root file systems under the folder of machines by identity, newest first, also those that are no longer used for new runs."""
    found = {path.parents[1].name: read_list(path) for path in machines.glob(f"roots/[!.]*/{KEPT}")}
    return dict(sorted(found.items(), key=lambda build: build[1].built, reverse=True))


def _home_files() -> dict[str, str]:
    files = (path for path in sorted(HOME_FILES.rglob("*")) if path.is_file())
    return {str(path.relative_to(_HERE)): hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in files}
