"""pyperclip for programs that OSWorld's harness runs inside a machine: the clipboard, by xclip."""

import subprocess

_XCLIP = ["xclip", "-selection", "clipboard", "-target", "UTF8_STRING"]


class PyperclipException(RuntimeError):
    """What cannot be done."""


def copy(text: object) -> None:
    """Put a text into the clipboard. xclip stays behind to hold it, and must not hold the output of this program open."""
    nothing = subprocess.DEVNULL
    subprocess.run([*_XCLIP, "-in"], input=str(text).encode(), stdout=nothing, stderr=nothing, check=True)


def paste() -> str:
    """Return the text in the clipboard; empty if it holds none."""
    done = subprocess.run([*_XCLIP, "-out"], capture_output=True, check=False)
    return done.stdout.decode(errors="replace") if done.returncode == 0 else ""
