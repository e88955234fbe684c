"""The sandbox: a machine is a desktop inside bubblewrap, on its own root file system, with no network and no right on the host.

The root is mounted read-only, and the agent's user owns nothing there. An episode writes to memory file systems of limited size
(home, /tmp, /run), so a reset is a new sandbox, and nothing survives its end. The guest server listens on a socket that it inherits: no
path and no folder can be written from both sides.
"""

import contextlib
import json
import os
import random
import secrets
import socket
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from machines import host, shares
from machines.bubblewrap import guest_command, refuses_nested
from machines.client import GuestClient
from machines.errors import MachineError, MachineNeeds
from machines.image import Image, find_image
from machines.live_screen import connect_live
from machines.machine import Machine, MachineChoice, Offers

_HERE = Path(__file__).parent
_USER_NUMBERS = range(20_000, 60_000)  # as root, each sandbox has its own number, so that none uses up what another needs
_READY_SECONDS = 60.0
_spawner = ThreadPoolExecutor(1, thread_name_prefix="sandboxes")  # a sandbox dies with the thread that started it: this one lives as long as we do


@dataclass(frozen=True)
class Limits:
    """The limits of one sandbox; `disk_mb` is for each of its memory file systems."""

    processes: int = 300
    memory_mb: int = 3000
    disk_mb: int = 512


@dataclass
class Sandbox(Machine):
    """A machine. As a context manager it is started, and always stopped at the end."""

    image: Image
    limits: Limits = field(default_factory=Limits)
    _process: subprocess.Popen[bytes] | None = field(default=None, init=False)
    _client: GuestClient | None = field(default=None, init=False)
    _group: Path | None = field(default=None, init=False)
    _address: tuple[str, str] | None = field(default=None, init=False)  # socket and token of its guest server

    @property
    def offers(self) -> Offers:
        """Return what it offers: what its image holds, and its live screen."""
        return replace(self.image.offers, shows_live=True)

    def live_screen(self) -> socket.socket:
        """Return a connection on which a VNC server of its screen speaks."""
        if self._address is None:
            raise MachineError("the machine is not running")
        return connect_live(*self._address)

    @property
    def identity(self) -> dict[str, Any]:
        """Return its image's root file system and home folder, and its limits."""
        return {"root": self.image.root.name, "home": self.image.home.name, "limits": asdict(self.limits)}

    def check(self) -> None:
        """Raise `MachineNeeds` if the host lacks something, or if the image is not built."""
        check_host()
        self.image.check_built()

    @property
    def client(self) -> GuestClient:
        """Return the client of its guest server."""
        if self._client is None:
            raise MachineError("the machine is not running")
        return self._client

    def start(self) -> None:
        """Start it and wait until its desktop is up; `MachineError` with its output if the desktop does not come up."""
        if not self.image.root.is_dir():
            raise MachineNeeds(f"the root file system of the image '{self.image.name}' is gone: deskmill machine build {self.image.name}")
        name, token = f"\0deskmill-{secrets.token_hex(8)}", secrets.token_hex(16)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as listening:
            listening.bind(name)
            listening.listen(64)
            self._group = shares.make()
            command = shares.joining(self._group, _command(self.image, self.limits))
            self._process = _spawner.submit(
                subprocess.Popen, command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, pass_fds=(listening.fileno(),)
            ).result()
            self._configure(token, listening.fileno())
        self._client, self._address = GuestClient.over_socket(name, token), (name, token)
        try:
            self._client.wait_until_ready(_READY_SECONDS, lambda: self._process is not None and self._process.poll() is None)
        except MachineError as error:
            raise MachineError(f"{error}; the sandbox said: {self._end() or 'nothing'}") from None

    def reset(self) -> None:
        """Bring it back to its snapshot: replace this sandbox by a new one."""
        self.stop()
        self.start()

    def stop(self) -> None:
        """End it with everything that runs in it."""
        self._end()

    def _configure(self, token: str, descriptor: int) -> None:
        assert self._process is not None and self._process.stdin is not None
        asked = self.image.guest_configuration(token, self.limits.processes, self.limits.memory_mb) | {"socket": descriptor}
        try:
            self._process.stdin.write(json.dumps(asked).encode() + b"\n")
            self._process.stdin.flush()  # stays open: the guest ends when it closes, even if this process is killed
        except BrokenPipeError:
            raise MachineError(f"the sandbox did not start: {self._end()}") from None

    def _end(self) -> str:
        """Kill it, wait for its end, and return its error output."""
        if self._client is not None:
            self._client.close()
            self._client = self._address = None
        if self._process is None:
            return ""
        process, self._process = self._process, None
        process.kill()
        assert process.stdin is not None and process.stderr is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        said = process.stderr.read().decode(errors="replace").strip()
        process.wait()
        process.stderr.close()
        shares.leave(self._group)
        return said


def sandbox(choice: MachineChoice) -> Sandbox:
    """Return the sandbox of a choice, not started; its options are the fields of `Limits`."""
    return Sandbox(find_image(choice.image, choice.folder), Limits(**choice.numbers(asdict(Limits()))))


def _command(image: Image, limits: Limits) -> list[str]:
    """Return the command of a sandbox with the guest server. As root: become a user without rights, once that user can reach the folders."""
    root, guest, home = str(image.root), str(_HERE / "guest"), str(image.home)
    if os.geteuid() != 0:
        return guest_command(limits.disk_mb, root, guest, home, image.user, not refuses_nested())
    user = str(random.SystemRandom().choice(_USER_NUMBERS))
    own_mounts = ["unshare", "--mount", "--propagation", "private", "--", "/bin/sh", str(_HERE / "launch.sh"), root, guest, home, user]
    return [*own_mounts, *guest_command(limits.disk_mb, "/mnt/root", "/mnt/guest", "/mnt/home", image.user, not refuses_nested())]


def check_host() -> None:
    """Raise `MachineNeeds` with everything that this host lacks for sandboxes."""
    if missing := host.lacking(["bwrap", "prlimit", "unshare", "setpriv"]):
        raise MachineNeeds(f"the sandbox needs {missing}")
    drop = ["setpriv", f"--reuid={_USER_NUMBERS[0]}", f"--regid={_USER_NUMBERS[0]}", "--clear-groups"] if os.geteuid() == 0 else []
    probe = [*drop, "bwrap", "--unshare-user", "--unshare-pid", "--unshare-net", "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "true"]
    done = subprocess.run(probe, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise MachineNeeds(
            f"bubblewrap cannot make a sandbox here ({done.stderr.strip()}). It needs user namespaces, as root too, since no agent is ever root: "
            "see sysctl user.max_user_namespaces, kernel.unprivileged_userns_clone and kernel.apparmor_restrict_unprivileged_userns"
        )
