"""The image of a machine: a root file system made from Debian packages, and the first content of home folders.

`desktop.yaml` declares the packages of an image. `home/` holds the first content of every home folder. The versions of its packages identify
an image. Each such root file system has its own folder in `roots/`; a link in `current/` points to the one that is used for the present
declaration. `machines.build` makes images.
"""

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict

from machines.actions import ACTIONS, RUN_CODE
from machines.client import WITHOUT_POINTER
from machines.errors import MachineNeeds
from machines.hands import HANDS
from machines.machine import OBSERVATIONS, Offers, Program
from machines.packages import KEPT, PackageList, hash_of, read_list

_HERE = Path(__file__).parent
HOME_FILES = _HERE / "home"
HOMES_OF_PROGRAMS = _HERE / "home_of"  # what the home folder holds beside them for single programs, or in single images
ROOTS_OF_IMAGES = _HERE / "root_of"  # what the root file system of single images holds beside its packages
USER = "agent"  # of every image that declares no other
WAY = 2  # the number of the way in which images are made; raise it when `machines.build` makes another root from the same packages


class VirtualMachineSize(BaseModel):
    """The memory of a virtual machine, the limits of the sandbox in it as in `machines.sandbox.Limits`, and how much slower than a sandbox it is."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    memory_mb: int
    limits: dict[str, int]
    slowness: float


class Declared(BaseModel):
    """The content of `desktop.yaml`."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    debian: str
    screen: dict[str, int]
    virtual_machine: VirtualMachineSize
    packages: list[str]
    programs: dict[str, Program]
    warm_up: dict[str, list[str]]
    users: dict[str, str]
    adds: dict[str, list[str]]
    modules: dict[str, list[str]]
    writers: list[list[str]]
    own: list[str]
    images: dict[str, list[str]]
    leaves_out: dict[str, list[str]]


@cache
def declared() -> Declared:
    """Return the content of `desktop.yaml`."""
    return Declared.model_validate(yaml.safe_load((_HERE / "desktop.yaml").read_text()))


@dataclass(frozen=True)
class Image:
    """An image under a folder of machines. `identity` is the hash of the packages in its root file system; None if there is none yet.

    The name is that of a declared image, or of its part for one program, as in `professional.librecad`.
    """

    name: str
    machines: Path
    identity: str | None

    @property
    def _whole(self) -> str:
        """Return the name of the declared image that it is, or is a part of."""
        return self.name.partition(".")[0]

    @property
    def programs(self) -> dict[str, Program]:
        """Return its programs, by handle."""
        whole, _, part = self.name.partition(".")
        return {handle: declared().programs[handle] for handle in declared().images[whole] if part in ("", handle)}

    @property
    def screen(self) -> dict[str, int]:
        """Return the width and height in pixels."""
        return declared().screen

    @property
    def packages(self) -> list[str]:
        """Return its declared Debian packages, sorted, without the packages that they depend on."""
        adds = declared().adds.get(self._whole, [])
        return sorted({*declared().packages, *adds, *(package for program in self.programs.values() for package in program.packages)})

    @property
    def python_packages(self) -> list[str]:
        """Return its declared Python packages, sorted, each as `name==version`, without the packages that they depend on."""
        return sorted({package for program in self.programs.values() for package in program.python_packages})

    @property
    def leaves_out(self) -> list[str]:
        """Return the paths below its root that are removed after its packages are installed; a star stands for any characters."""
        return declared().leaves_out.get(self._whole, [])

    @property
    def way(self) -> object:
        """Return the way in which it is made from its packages: a part of its identity."""
        files = [folder for folder in (self.root_files, *self.modules) if folder]
        own = [self.user, _files_in(*files)] if files or self.user != USER else []
        return [WAY, self.leaves_out, *own] if self.leaves_out or own else WAY

    @property
    def warm_up(self) -> list[list[str]]:
        """Return the commands that make profiles: those of its programs, and its own."""
        commands = declared().warm_up
        return [list(command) for command in dict.fromkeys(tuple(commands[name]) for name in (*self.programs, self._whole) if name in commands)]

    @property
    def user(self) -> str:
        """Return the name of its user."""
        return declared().users.get(self._whole, USER)

    @property
    def user_home(self) -> str:
        """Return the home folder of its user."""
        return f"/home/{self.user}"

    @property
    def root_files(self) -> Path | None:
        """Return the folder of the files that its root file system has beside its packages; None if it has none."""
        folder = ROOTS_OF_IMAGES / self._whole
        return folder if folder.is_dir() else None

    @property
    def modules(self) -> list[Path]:
        """Return the Python modules of ours that any program in it finds."""
        return [_HERE / name for name in declared().modules.get(self._whole, [])]

    @property
    def offers(self) -> Offers:
        """Return what machines with this image offer."""
        return Offers(
            platform="linux",
            user=self.user,
            home=self.user_home,
            screen=(self.screen["width"], self.screen["height"]),
            programs=self.programs,
            actions=frozenset({*ACTIONS, *HANDS, RUN_CODE}),
            observations=OBSERVATIONS | {WITHOUT_POINTER, "dom"},
            desktop_own=tuple(declared().own),
            writers=tuple(map(tuple, declared().writers)),
            packages=self.held.packages if self.is_built else (),
        )

    def guest_configuration(self, token: str, processes: int, memory_mb: int, slowness: float = 1.0) -> dict[str, Any]:
        """Return the configuration of the guest server, without its socket; `processes` and `memory_mb` limit what the agent runs."""
        return {
            "token": token,
            "screen": self.screen,
            "opengl": any(program.opengl for program in self.programs.values()),
            "programs": {handle: program.command for handle, program in self.programs.items()},
            "limits": {"processes": processes, "memory_mb": memory_mb},
            "user": self.user,
            "home": "/opt/deskmill/home",
            "slowness": slowness,
        }

    def check_built(self) -> None:
        """Raise `MachineNeeds` if the image is not built completely."""
        if not self.is_built:
            raise MachineNeeds(f"the image '{self.name}' is not built yet: deskmill machine build {self.name}")

    @cached_property
    def root(self) -> Path:
        """Return the root file system, named by the image's identity; `MachineNeeds` if it was not built."""
        if self.identity is None:
            raise MachineNeeds(f"the image '{self.name}' is not built: deskmill machine build {self.name}")
        return self.machines / "roots" / self.identity

    @cached_property
    def home(self) -> Path:
        """Return the folder that home folders are copied from; its name follows from the root file system that made its profiles."""
        return self.machines / "homes" / hash_of({"root": self.root.name, "warm_up": self.warm_up, "files": _files_in(*self.home_sources)})

    @property
    def home_sources(self) -> list[Path]:
        """Return the folders whose files a home folder begins with: that of every image, those of its programs, and its own."""
        return [HOME_FILES, *(folder for handle in (*self.programs, self._whole) if (folder := HOMES_OF_PROGRAMS / handle).is_dir())]

    @property
    def held(self) -> PackageList:
        """Return the list of the packages in it, with versions."""
        return read_list(self.root / KEPT)

    @property
    def current(self) -> Path:
        """Return the link to the root file system that is used for the present declaration."""
        python = [self.python_packages] if self.python_packages else []
        return self.machines / "current" / f"{self.name}.{hash_of([self.way, self.packages, *python])}"

    @property
    def is_built(self) -> bool:
        """Tell whether the image is built completely."""
        return self.identity is not None and self.root.is_dir() and self.home.is_dir()


def find_image(name: str, machines: Path) -> Image:
    """Return the image of that name under the folder of machines; `MachineNeeds` if no image has that name."""
    images = declared().images
    if name not in images and name not in {f"{whole}.{program}" for whole, programs in images.items() for program in programs}:
        raise MachineNeeds(f"there is no image '{name}'; machines/desktop.yaml declares {', '.join(declared().images)}")
    image = Image(name, machines, None)
    identity = image.current.readlink().name if image.current.is_dir() else None
    return Image(name, machines, identity)


def builds(machines: Path) -> dict[str, PackageList]:
    """Return all root file systems under the folder of machines by identity, newest first, including those that new runs no longer use."""
    found = {path.parents[1].name: read_list(path) for path in machines.glob(f"roots/[!.]*/{KEPT}")}
    return dict(sorted(found.items(), key=lambda build: build[1].built, reverse=True))


def _files_in(*places: Path) -> dict[str, str]:
    files = (path for place in places for path in (sorted(place.rglob("*")) if place.is_dir() else [place]) if path.is_file())
    return {str(path.relative_to(_HERE)): hashlib.blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in files}
