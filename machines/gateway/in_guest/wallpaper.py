"""Puts a picture behind the desktop, or tells which one is there.

The machine's Python gets this file as a text, with the path of the picture behind it; without one it prints the path of the picture that is there,
or nothing. Under Windows it only puts one there.
"""

import contextlib
import subprocess
import sys
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

SETTING = ("org.gnome.desktop.background", "picture-uri")  # of a desktop of GNOME's kind
KEPT = "_DESKMILL_WALLPAPER"  # a property of the root window: the path of the picture that was painted there
SET_WALLPAPER, AND_KEEP_IT = 20, 3  # of SystemParametersInfo


def setting(*command: str) -> str:
    """Return what gsettings says; nothing if this machine has no such setting."""
    with contextlib.suppress(OSError):
        ended = subprocess.run(["gsettings", *command], capture_output=True, text=True, check=False)
        return ended.stdout.strip() if ended.returncode == 0 else ""
    return ""


def root() -> tuple[Any, Any]:
    """Return the display and its root window."""
    from Xlib.display import Display

    display = Display()
    return display, display.screen().root


def paint(path: Path) -> None:
    """Fill the root window with a picture."""
    from PIL import Image
    from Xlib import Xatom

    display, window = root()
    size = window.get_geometry()
    picture = Image.open(path).convert("RGB").resize((size.width, size.height))
    pixmap = window.create_pixmap(size.width, size.height, display.screen().root_depth)
    pixmap.put_pil_image(pixmap.create_gc(), 0, 0, picture)
    window.change_attributes(background_pixmap=pixmap)
    window.change_property(display.intern_atom(KEPT), Xatom.STRING, 8, str(path).encode())
    window.clear_area()
    display.sync()


def shown() -> str:
    """Return the path of the picture behind the desktop; nothing if there is none."""
    from Xlib import Xatom

    display, window = root()
    kept = window.get_full_property(display.intern_atom(KEPT), Xatom.STRING)
    named = unquote(urlsplit(setting("get", *SETTING).strip("'")).path)
    return named or ("" if kept is None else bytes(kept.value).decode())


def change(path: Path) -> None:
    """Put a picture behind the desktop; end the program with a word if it cannot be done."""
    if not path.is_file():
        sys.exit(f"there is no file {path}")
    if sys.platform == "win32":
        import ctypes

        if not ctypes.windll.user32.SystemParametersInfoW(SET_WALLPAPER, 0, str(path), AND_KEEP_IT):
            sys.exit(f"Windows does not take {path} as a wallpaper")
        return
    paint(path)
    setting("set", *SETTING, path.as_uri())


if __name__ == "__main__":
    if sys.argv[1:]:
        change(Path(sys.argv[1]).absolute())
    else:
        print(shown())
