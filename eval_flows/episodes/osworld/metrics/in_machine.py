"""Metrics that run what the agent wrote: in the machine of the task, never on the host of the checks."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from eval_flows.episodes.osworld.guest import Guest
from eval_flows.episodes.osworld.metrics.metric import Metrics, guarded
from eval_flows.episodes.osworld.metrics.reading import Place, content, listed
from machines.errors import MachineNeeds

_SECONDS = 60  # for the tests; the guest server gives a command more
_FOLDERS = {"Linux": "/tmp", "Windows": "C:\\Windows\\Temp"}
_RUN = f"""
import importlib, os, sys, threading
folder, module, name, passed = sys.argv[1:]
del sys.argv[1:]
time_is_up = threading.Timer({_SECONDS}, os._exit, [1])
time_is_up.daemon = True
time_is_up.start()
os.chdir(folder)
sys.path.insert(0, folder)
if getattr(importlib.import_module(module), name)():
    print("\\n" + passed, flush=True)
    os._exit(0)
os._exit(1)
"""


def passes_tests(result: Place | Sequence[Place], expected: Place, test_function_name: str = "test") -> float:
    """1 if a function of the expected file of Python returns something true; the files of the result lie beside it. It is run in the machine."""
    raise MachineNeeds("check_python_file_by_test_suite runs what the agent wrote: it needs the machine of the task")


def _passes_tests(guest: Guest) -> Callable[..., float]:
    def passes(result: Place | Sequence[Place | None], expected: Place, test_function_name: str = "test") -> float:
        files = listed(result)
        if not files or any(one is None for one in files):
            return 0.0
        separator = "\\" if guest.platform == "Windows" else "/"
        folder = separator.join([_FOLDERS[guest.platform], f"deskmill-{uuid4().hex}"])
        for one in (*files, expected):
            guest.upload(separator.join([folder, Path(one).name]), content(one))
        passed = uuid4().hex  # what the agent wrote may end the program by itself: only this word says that the function came to its end
        python = "python" if guest.platform == "Windows" else "python3"
        said = guest.execute([python, "-c", _RUN, folder, Path(expected).stem, test_function_name, passed])
        return str(said.get("output") or "").split()[-1:] == [passed]

    return passes


def on_machine(metrics: Metrics, guest: Guest) -> Metrics:
    """Return the metrics with those that need a machine bound to it, as far as they are among them."""
    bound: dict[str, Any] = {name: guarded(make(guest)) for name, make in _ON_MACHINE.items() if name in metrics}
    return {**metrics, **bound}


_ON_MACHINE: dict[str, Callable[[Guest], Callable[..., float]]] = {"check_python_file_by_test_suite": _passes_tests}
METRICS: Metrics = {"check_python_file_by_test_suite": passes_tests}
