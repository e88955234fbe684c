"""Moves a file or a folder to the trash of the user, as freedesktop.org describes it.

The machine's Python gets this file as a text, with the path behind it.
"""

import shutil
import sys
from datetime import datetime
from pathlib import Path
from urllib.parse import quote

TRASH = Path.home() / ".local" / "share" / "Trash"


def recycle(path: Path) -> None:
    """Move it, under a name that is free there."""
    for folder in ("files", "info"):
        (TRASH / folder).mkdir(parents=True, exist_ok=True)
    name, number = path.name, 1
    while (TRASH / "files" / name).exists() or (TRASH / "info" / f"{name}.trashinfo").exists():
        number += 1
        name = f"{path.stem}.{number}{path.suffix}"
    deleted = datetime.now().isoformat(timespec="seconds")
    (TRASH / "info" / f"{name}.trashinfo").write_text(f"[Trash Info]\nPath={quote(str(path))}\nDeletionDate={deleted}\n")
    shutil.move(path, TRASH / "files" / name)


if __name__ == "__main__":
    recycle(Path(sys.argv[1]).absolute())
