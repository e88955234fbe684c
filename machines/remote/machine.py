"""A machine that others run: its guest server answers at an address, and a command or a hook of the user's resets it.

A reset is not believed: a file that was written before must be gone after it. One machine is used by one episode at a time; others wait.
"""

import fcntl
import hashlib
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

from machines.actions import ACTIONS, RUN_CODE
from machines.client import WITHOUT_POINTER, GuestClient
from machines.errors import MachineError, MachineNeeds
from machines.hands import HANDS
from machines.machine import OBSERVATIONS, Machine, MachineChoice, Offers
from machines.remote.declaration import OWN_OF_WINDOWS, Declared, read_declaration
from machines.remote.dialect import dialect_of, platform_of, refuses_token, screen_of
from machines.remote.network import client_of
from machines.remote.osworld import OsworldGuest
from machines.remote.ours import OurGuest
from machines.remote.resetting import ask_for_reset
from machines.remote.waa import WaaGuest

_FOREIGN = {"osworld": OsworldGuest, "waa": WaaGuest}
_FIRST_SECONDS = 10.0  # to answer before the first reset, which may switch the machine on
_ASK_EVERY = 0.2
_LONGEST_WAIT = 3600.0  # for another episode that uses the machine


class Remote(Machine):
    """A remote machine. `folder` holds the lock that keeps it to one episode at a time."""

    exists_once = True

    def __init__(self, declared: Declared, folder: Path) -> None:
        self._declared = declared
        self._folder = folder
        self._client: GuestClient | None = None
        self._lock: int | None = None

    @property
    def offers(self) -> Offers:
        """Return what the file declares."""
        declared = self._declared
        is_ours = declared.dialect == "deskmill"
        return Offers(
            declared.platform,
            declared.user,
            declared.home,
            (declared.screen.width, declared.screen.height),
            declared.programs,
            frozenset({*ACTIONS, *HANDS, RUN_CODE} if is_ours else {*ACTIONS, *HANDS}),
            OBSERVATIONS | {WITHOUT_POINTER} if is_ours else OBSERVATIONS,
            desktop_own=(*declared.own, *(OWN_OF_WINDOWS if declared.platform == "windows" else ())),
            writers=tuple(tuple(words) for words in declared.writers),
        )

    @property
    def identity(self) -> dict[str, Any]:
        """Return what the file declares, without the address, tokens and the way of the reset: equal machines have the same."""
        return self._declared.model_dump(mode="json", exclude={"address", "token_variable", "reset"})

    def check(self) -> None:
        """Raise `MachineNeeds` if a token or the command of the reset is missing, or if the machine answers and is not as declared.

        A machine that does not answer may be switched off until the first reset.
        """
        self._declared.check()
        with suppress(MachineError):
            self._connected().close()

    @property
    def client(self) -> GuestClient:
        """Return the client of its guest server."""
        if self._client is None:
            raise MachineError("the machine is not running")
        return self._client

    def start(self) -> None:
        """Wait until no other episode uses the machine, and reset it."""
        self._declared.check()
        self._lock = _locked(self._folder, self._declared.address)
        try:
            with suppress(MachineError):  # it may be switched off until its first reset
                self._client = self._ready(time.monotonic() + min(_FIRST_SECONDS, self._declared.reset.seconds))
            self.reset()
        except BaseException:
            self.stop()
            raise

    def reset(self) -> None:
        """Bring it back to its snapshot; `MachineError` if a file that was written before is still there.

        An agent may leave a machine on which nothing can be written, or which no longer answers: such a machine is reset first.
        """
        if self._lock is None:
            raise MachineError("the machine is not running")
        try:
            marker = self._marked()
        except MachineError:
            self._reset(None)
            marker = self._marked()
        self._reset(marker)

    def _marked(self) -> str:
        """Write a file that a reset has to remove, and return its path."""
        marker = self._declared.inside_home(f".deskmill-{secrets.token_hex(8)}")
        self.client.upload(marker, b"written before the reset")
        if self.client.file(marker) is None:
            raise MachineError(f"a file was written to {marker}, and is not there: the reset could not be checked")
        return marker

    def _reset(self, marker: str | None) -> None:
        self._disconnect()
        self._client = self._client_after(ask_for_reset(self._declared.reset), marker)

    def stop(self) -> None:
        """Leave the machine to others. It goes on running, since it is not ours."""
        self._disconnect()
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def _disconnect(self) -> None:
        if self._client is not None:
            self._client.close()
            self._client = None

    def _client_after(self, said: str, marker: str | None) -> GuestClient:
        """Return a client as soon as the machine answers without the marker; `said` is what the reset said."""
        until = time.monotonic() + self._declared.reset.seconds
        while True:
            client = None
            try:
                client = self._ready(until)
                if marker is None or client.file(marker) is None:
                    return client
                failure = f"the file {marker}, which was written before the reset, is still there"
            except MachineError as error:
                failure = str(error)
            if client is not None:
                client.close()
            if time.monotonic() > until:
                seconds = f"{self._declared.reset.seconds:g} s"
                raise MachineError(f"the machine was not reset within {seconds}: {failure}. The reset said: {said or 'nothing'}")
            time.sleep(_ASK_EVERY)

    def _ready(self, until: float) -> GuestClient:
        """Return a client that speaks the machine's dialect, when the machine is as declared; ask until the time is over."""
        while True:
            client = None
            try:
                client = self._connected()
                client.wait_until_ready(max(0.1, until - time.monotonic()), lambda: True)
            except (MachineError, MachineNeeds) as error:
                if client is not None:
                    client.close()
                if isinstance(error, MachineNeeds) or time.monotonic() > until:
                    raise
                time.sleep(_ASK_EVERY)
            else:
                return client

    def _connected(self) -> GuestClient:
        """Return a client; `MachineNeeds` if the machine is not what the file declares, `MachineError` if it does not answer as a machine does."""
        declared = self._declared
        screen = (declared.screen.width, declared.screen.height)
        http = client_of(declared.address, declared.token)
        try:
            dialect = dialect_of(http)
            if refuses_token(http):
                known = f"the token in {declared.token_variable}" if declared.token_variable else "requests without a token: declare token_variable"
                raise MachineNeeds(f"the machine at {declared.address} refuses {known}")
            found = {"dialect": dialect, "platform": platform_of(http), "screen": screen_of(http)}
        except BaseException:
            http.close()
            raise
        wanted = {"dialect": declared.dialect or dialect, "platform": declared.platform, "screen": screen}
        if other := [f"{name} {wanted[name]}, but it has {found[name]}" for name in wanted if wanted[name] != found[name]]:
            http.close()
            raise MachineNeeds(f"the machine at {declared.address} is not as declared: {'; '.join(other)}")
        return OurGuest(http, declared.programs) if dialect == "deskmill" else _FOREIGN[dialect](http, declared.platform, screen, declared.programs)


def _locked(folder: Path, address: str) -> int:
    """Return the lock of a machine, once no other episode on this host has it; `MachineError` when that takes too long."""
    folder = folder / "remote"
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{hashlib.blake2b(address.encode(), digest_size=8).hexdigest()}.lock"
    lock = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    until = time.monotonic() + _LONGEST_WAIT
    while time.monotonic() < until:
        with suppress(BlockingIOError):
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return lock
        time.sleep(_ASK_EVERY)
    os.close(lock)
    raise MachineError(f"other episodes have used the machine at {address} for {_LONGEST_WAIT:.0f} s")


def remote(choice: MachineChoice) -> Remote:
    """Return the remote machine that the file in the option `file` declares, not started."""
    if set(choice.options) != {"file"}:
        other = sorted(set(choice.options) - {"file"})
        hint = f"they have no option {', '.join(other)}" if other else "docs/remote_machines.md has an example"
        raise MachineNeeds(f"machines of kind '{choice.kind}' want one option, file=FILE, the file that declares the machine; {hint}")
    return Remote(read_declaration(Path(choice.options["file"])), choice.folder)
