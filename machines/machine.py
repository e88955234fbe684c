"""The protocol of machines: what a kind of machine has to do, what a machine offers to episodes, and the choice of a machine.

A kind is a function that takes a `MachineChoice` and returns a `Machine` that is not started. A new kind is one module, and one line in `KINDS` or
an entry point `deskmill.machines` of any package.
"""

import socket
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Protocol, Self

from pydantic import BaseModel, ConfigDict

from machines.client import WITHOUT_POINTER, CodeEnd, Observed
from machines.errors import MachineError, MachineNeeds
from machines.plugins import Registry

if TYPE_CHECKING:
    from machines.ahead import Pool

Json = dict[str, Any]
AHEAD = "ahead"  # the option of machines of every kind: how many are kept started beside those at work
_POOLS: "dict[str, Pool]" = {}  # of this process, by the choice of machine
OBSERVATIONS = frozenset({"screenshot", "tree", "windows", "clipboard"})


class Program(BaseModel):
    """How to start an application, the class of its windows, and how it answers: whether it loses keys that are typed too fast, and after how
    many seconds it shows what an action did, where it updates its buttons and marks late.

    `packages` lists the Debian packages that an image needs for it, `python_packages` the Python packages that Debian lacks, as `name==version`.
    `has_tree` tells whether it is in the accessibility tree at all, `opengl` whether it draws by OpenGL, which takes memory of every machine that
    offers it. `own` lists paths below the home folder that the program writes by itself; a star
    stands for any characters. `own_keys` lists the keys that it sets by itself in a file of settings, by the path of the file.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)
    command: list[str]
    window_class: str
    packages: list[str] = []
    python_packages: list[str] = []
    has_tree: bool = True
    opengl: bool = False
    loses_fast_keys: bool = False
    shows_after: float = 0.0
    own: list[str] = []
    own_keys: dict[str, list[str]] = {}


@dataclass(frozen=True)
class Offers:
    """What a machine offers to episodes: known before it starts, and the same for every machine of the same choice.

    `platform` is `linux` or `windows`. `home` is the absolute path of the home folder of `user`, as the machine writes paths. `screen` is width
    and height in pixels. `programs` are by handle. `actions` are names of `machines.actions.ACTIONS` and `RUN_CODE`, and of
    `machines.hands.HANDS`, `observations` the parts that `Client.observe` can return; not every machine has `screenshot_without_pointer`.
    `desktop_own` lists paths below the home folder that the desktop writes by itself. `writers` are commands that make programs write their
    settings to files. `packages` is the installed software as `name=version`, as far as the machine knows it. `shows_live` tells whether a person
    can look at its screen and act there; it decides nothing of how an episode goes on.
    """

    platform: str
    user: str
    home: str
    screen: tuple[int, int]
    programs: Mapping[str, Program]
    actions: frozenset[str]
    observations: frozenset[str] = OBSERVATIONS
    fetches_files: bool = True
    runs_commands: bool = True
    shows_live: bool = False
    desktop_own: tuple[str, ...] = ()
    writers: tuple[tuple[str, ...], ...] = ()
    packages: tuple[str, ...] = ()

    @property
    def described(self) -> Json:
        """Return what decides how an episode goes on it, as JSON; the packages are part of a machine's own identity."""
        unordered = {"actions": sorted(self.actions), "observations": sorted(self.observations)}
        programs = {handle: program.model_dump(mode="json") for handle, program in self.programs.items()}
        left_out = {"packages", "programs", "shows_live", *unordered}
        return {one.name: getattr(self, one.name) for one in fields(self) if one.name not in left_out} | unordered | {"programs": programs}

    @property
    def leaves_pointer_out(self) -> bool:
        """Tell whether it can take pictures of the screen without the pointer."""
        return WITHOUT_POINTER in self.observations

    @property
    def own(self) -> list[str]:
        """Return the paths below the home folder that the desktop and the programs write by themselves; a star stands for any characters."""
        return [*self.desktop_own, *(path for program in self.programs.values() for path in program.own)]

    @property
    def own_keys(self) -> dict[str, list[str]]:
        """Return the keys that programs set by themselves in files of settings, by the path of the file."""
        return {path: keys for program in self.programs.values() for path, keys in program.own_keys.items()}


class Client(Protocol):
    """What episodes ask of a running machine; `machines.client.GuestClient` says what each method returns and raises."""

    def observe(self, what: Iterable[str]) -> Observed:
        """Return the parts of an observation that are asked for."""

    def act(self, action: Json) -> None:
        """Carry out an action once; `RefusedAction` if the machine refuses it."""

    def run_code(self, code: str, carry_out: Callable[[str, list[Any], Json], str]) -> CodeEnd:
        """Run code of an agent; `carry_out` carries its calls of actions out. Only asked of machines that offer it."""

    def settle(self, quiet: float = 0.1, limit: float = 3.0) -> bool:
        """Wait until the screen is still; tell whether it is."""

    def file(self, path: str) -> bytes | None:
        """Return the content of a file; None if there is no such file."""

    def listing(self, path: str) -> list[Json] | None:
        """Return the files and folders below a folder, nested; None if there is no such folder."""

    def upload(self, path: str, content: bytes) -> None:
        """Write a file, and make the folders that it is in."""

    def execute(self, command: list[str] | str, shell: bool = False) -> Json:
        """Run a command until it ends, and return its `output`, `error` and `returncode`."""

    def launch(self, command: list[str] | str, shell: bool = False) -> None:
        """Start a command and leave it running."""

    def activate_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        """Bring a window to the front, and tell whether there is one."""

    def close_window(self, name: str, strict: bool = False, by_class: bool = False) -> bool:
        """Ask a window to close, and tell whether there is one."""

    def open_file(self, path: str) -> None:
        """Open a file with the application that the desktop has for it."""

    def close_all(self) -> None:
        """Ask every window to close."""

    def state(self) -> Json:
        """Return the windows, the cursor, and how often the desktop was started."""


class Machine(Protocol):
    """A machine of any kind; a kind derives from this class, or has the same methods. As a context manager it is started, and always stopped.

    Faults of the machine are `MachineError`; what the user has to install, build or correct is `MachineNeeds`. `exists_once` tells that all machines
    of a choice are the same one.
    """

    exists_once: bool = False

    def check(self) -> None:
        """Raise `MachineNeeds` with everything that keeps this machine from starting here; start nothing that stays."""

    def start(self) -> None:
        """Start it, and return when its desktop is ready."""

    def reset(self) -> None:
        """Bring it back to its snapshot: files, processes and desktop are as after `start`."""

    def stop(self) -> None:
        """End it with everything that runs in it; nothing to do if it does not run."""

    def live_screen(self) -> socket.socket:
        """Return a connection on which a VNC server of its screen speaks; `MachineError` if it does not run, or has none. Any thread may ask."""
        raise MachineError("machines of this kind show no live screen")

    @property
    def client(self) -> Client:
        """Return the client of its guest server; `MachineError` if it does not run."""

    @property
    def offers(self) -> Offers:
        """Return what it offers; it need not run."""

    @property
    def identity(self) -> Json:
        """Return what decides how programs behave on it (builds of images, limits), as JSON; it need not run."""

    def __enter__(self) -> Self:
        """Start it."""
        self.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Stop it."""
        self.stop()


@dataclass(frozen=True)
class MachineChoice:
    """A kind of machine with its options: small enough to send to workers, which make their machines from it.

    `image` is the name of the image, `folder` the folder of machines (images, snapshots), `options` what the kind understands beside them.
    """

    kind: str
    image: str
    folder: Path
    options: Mapping[str, str] = field(default_factory=dict)

    def make(self) -> Machine:
        """Return a machine that is not started; `PluginError` or `MachineNeeds` if the choice is wrong.

        With the option `ahead`, machines of this choice come from a pool of this process, which keeps so many started.
        """
        if AHEAD not in self.options:
            return KINDS[self.kind](self)
        from machines.ahead import Ahead, Pool  # the module needs this one

        of_kind = replace(self, options={name: value for name, value in self.options.items() if name != AHEAD})
        like = of_kind.make()
        if like.exists_once:
            raise MachineNeeds(f"a machine of kind '{self.kind}' exists once, so that none can be started ahead: leave the option '{AHEAD}' out")
        return Ahead(_POOLS.setdefault(str(self), Pool(of_kind.make, self._number(AHEAD))), like)

    def check(self) -> None:
        """Raise `MachineNeeds` or `PluginError` if such a machine cannot be started here. Runs call it before anything starts."""
        self.make().check()

    @property
    def offers(self) -> Offers:
        """Return what such a machine offers, without starting one."""
        return self.make().offers

    @property
    def identity(self) -> Json:
        """Return what the id of a run has to cover, as JSON: the kind, the plug-in that makes it, and the machine's own identity."""
        return {"kind": self.kind, "plugin": KINDS.plugin(self.kind).identity, "image": self.image, **self.make().identity}

    def numbers(self, known: Mapping[str, int]) -> dict[str, int]:
        """Return the options as whole numbers, or the values in `known` where an option is not given.

        `MachineNeeds` if an option is not in `known`, or is no whole number above 0.
        """
        for name in self.options:
            if name not in known:
                raise MachineNeeds(f"machines of kind '{self.kind}' have no option '{name}'; they have {', '.join([*known, AHEAD])}")
        return {name: self._number(name) if name in self.options else number for name, number in known.items()}

    def _number(self, name: str) -> int:
        value = self.options[name]
        if not (value.isascii() and value.isdigit() and int(value) > 0):
            raise MachineNeeds(f"the option '{name}' of machines of kind '{self.kind}' is a whole number above 0, not {value!r}")
        return int(value)


Kind = Callable[[MachineChoice], Machine]
KINDS: Registry[Kind] = Registry(
    "kind of machine",
    "deskmill.machines",
    {
        "sandbox": "machines.sandbox:sandbox",
        "qemu": "machines.qemu:qemu",
        "remote": "machines.remote.machine:remote",
    },
)
