"""Bringing a remote machine back to its snapshot, by a command or a hook of the user's."""

import contextlib
import os
import signal
import subprocess
import tempfile

import httpx

from machines.errors import MachineError
from machines.remote.declaration import Reset, token_in
from machines.remote.network import client_of

_SHOWN = 500  # characters of what the command or the hook says


def ask_for_reset(reset: Reset) -> str:
    """Run the command or ask the hook, and return what it said; `MachineError` with that if it fails or takes too long."""
    return _run(reset.command, reset.seconds) if reset.command is not None else _post(reset)


def _run(command: list[str], seconds: float) -> str:
    with tempfile.TemporaryFile() as output:  # a pipe would stay open as long as a process that the command left behind
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output, start_new_session=True)
        except OSError as error:
            raise MachineError(f"the command of the reset does not start: {error}") from error
        try:
            process.wait(seconds)
            ended = f"ended with {process.returncode}"
        except subprocess.TimeoutExpired:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
            ended = f"did not end within {seconds:g} s"
        output.seek(0)
        said = output.read().decode(errors="replace").strip()[-_SHOWN:]
    if process.returncode != 0:
        raise MachineError(f"the command of the reset {ended}; it said: {said or 'nothing'}")
    return said


def _post(reset: Reset) -> str:
    assert reset.url is not None
    with client_of(reset.url, token_in(reset.token_variable)) as http:
        try:
            answer = http.post(reset.url, timeout=reset.seconds)
        except httpx.RequestError as error:
            raise MachineError(f"the hook of the reset does not answer: {type(error).__name__} {error}") from error
    said = answer.text[:_SHOWN]
    if not answer.is_success:
        raise MachineError(f"the hook of the reset answered {answer.status_code}: {said}")
    return said
