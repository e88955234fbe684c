"""The process of an agent's code: it gets the code from the guest server, runs it as a script, and prints as Python does.

`computer`, `pyautogui` and `time` are there without an import. A traceback tells of the code alone.
"""

import linecache
import os
import sys
import time
import traceback
from pathlib import Path

from machines.guest.code import pyautogui, pyperclip
from machines.guest.code.calling import call, connect
from machines.guest.code.computer import computer

_NAME = "<code>"
_HERE = Path(__file__).parent


def main(port: int, word: str) -> None:
    """Run the code. What it says and its errors go the same way, so that they are in their order."""
    connect(port, word)
    os.dup2(1, 2)
    code = str(call("code"))
    sys.modules["pyautogui"], sys.modules["pyperclip"] = pyautogui, pyperclip
    sys.argv = [_NAME]
    linecache.cache[_NAME] = (len(code), None, code.splitlines(keepends=True), _NAME)
    try:
        exec(compile(code, _NAME, "exec"), {"__name__": "__main__", "computer": computer, "pyautogui": pyautogui, "time": time})
    except Exception as error:
        error.__traceback__ = error.__traceback__ and error.__traceback__.tb_next
        sys.stdout.flush()
        _print(error)
        sys.exit(1)


def _print(error: BaseException) -> None:
    """Print the traceback without the frames of this package."""
    told = traceback.TracebackException.from_exception(error)
    told.stack = traceback.StackSummary.from_list([frame for frame in told.stack if not Path(frame.filename).is_relative_to(_HERE)])
    print("".join(told.format()), end="", file=sys.stderr, flush=True)
