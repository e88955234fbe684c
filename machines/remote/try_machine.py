"""Tries everything that episodes need of a remote machine, part by part, and says what works and what does not.

usage: python -m machines.remote.try_machine FILE, where the file declares the machine (docs/remote_machines.md). It ends with 1 if a part fails.
"""

import secrets
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from machines.errors import MachineError, MachineNeeds, RefusedAction
from machines.machine import Machine, MachineChoice, Program
from machines.observation import marked, read_elements

_WINDOW_SECONDS = 60.0
_ASK_EVERY = 0.5


def tried(machine: Machine) -> Iterator[tuple[str, bool, str]]:
    """Try a machine that is started, and yield for each part its name, whether it works, and what was found."""
    parts: dict[str, Callable[[Machine], str]] = {
        "screenshot": lambda one: f"{len(one.client.observe(['screenshot']).screenshot or b'')} bytes",
        "tree": _tree,
        "windows": lambda one: ", ".join(repr(window.title) for window in one.client.observe(["windows"]).windows or ()) or "none",
        "clipboard": _clipboard,
        "files": _files,
        "pointer": _pointer,
        **{f"program {handle}": _opening(handle, program) for handle, program in machine.offers.programs.items()},
        "reset": _reset,
    }
    for name, part in parts.items():
        begun = time.monotonic()
        try:
            works, said = True, part(machine)
        except (MachineError, MachineNeeds, RefusedAction) as error:
            works, said = False, str(error)
        yield name, works, f"{said} ({time.monotonic() - begun:.1f} s)"


def _tree(machine: Machine) -> str:
    elements = read_elements(machine.client.observe(["tree"]).tree or "", machine.offers.screen)
    return f"{len(elements)} elements, {len(list(marked(elements)))} of them to be used"


def _clipboard(machine: Machine) -> str:
    text = f"Zoë {secrets.token_hex(4)}"
    machine.client.act({"name": "copy_text", "text": text})
    return _same(text, machine.client.observe(["clipboard"]).clipboard)


def _files(machine: Machine) -> str:
    separator = "\\" if machine.offers.platform == "windows" else "/"
    path, content = f"{machine.offers.home}{separator}deskmill-try{separator}a.txt", b"one\r\ntwo\n\x00"
    machine.client.upload(path, content)
    return _same(content, machine.client.file(path))


def _pointer(machine: Machine) -> str:
    place = [machine.offers.screen[0] // 2, machine.offers.screen[1] // 2]
    machine.client.act({"name": "move", "x": place[0], "y": place[1]})
    return _same(place, list(machine.client.state()["cursor"]))


def _opening(handle: str, program: Program) -> Callable[[Machine], str]:
    def opened(machine: Machine) -> str:
        machine.client.act({"name": "open_program", "program": handle})
        until = time.monotonic() + _WINDOW_SECONDS
        while True:
            classes = sorted({window.window_class for window in machine.client.observe(["windows"]).windows or ()})
            if program.window_class in classes:
                return f"a window of class {program.window_class}"
            if time.monotonic() > until:
                raise MachineError(f"no window of class {program.window_class} came; there are {', '.join(classes) or 'none'}")
            time.sleep(_ASK_EVERY)

    return opened


def _reset(machine: Machine) -> str:
    machine.reset()
    return "what was written before is gone"


def _same(sent: object, came: object) -> str:
    if sent != came:
        raise MachineError(f"{sent!r} was sent, and {came!r} came back")
    return "what was sent came back"


def main() -> None:
    """Try the machine of the file in the first argument."""
    if len(sys.argv) != 2:
        raise SystemExit("usage: python -m machines.remote.try_machine FILE")
    failed = 0
    try:
        with MachineChoice("remote", "", Path("data/machines"), {"file": sys.argv[1]}).make() as machine:
            for name, works, said in tried(machine):
                failed += not works
                print(f"{'works' if works else 'FAILS'}  {name}: {said}", flush=True)
    except (MachineError, MachineNeeds) as error:
        raise SystemExit(f"FAILS  start: {error}") from None
    raise SystemExit(1 if failed else 0)


if __name__ == "__main__":
    main()
