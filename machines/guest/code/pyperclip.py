"""A stand-in for pyperclip over the actions of the guest: the real one starts programs that hold the clipboard."""

from machines.guest.code.calling import call


def copy(text: object) -> None:
    """Put a text into the clipboard."""
    call("copy_text", str(text))


def paste() -> str:
    """Return the text in the clipboard."""
    return str(call("clipboard"))
