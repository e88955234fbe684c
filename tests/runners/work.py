"""What the tests let workers do: workers import it by name."""

import os
import signal
from pathlib import Path
from typing import NamedTuple


class Piece(NamedTuple):
    """An item: its number, a folder for marks, and how many of its workers it kills."""

    number: int
    folder: Path
    deadly: int = 0

    def __str__(self) -> str:
        return f"piece {self.number}"


def made(piece: Piece) -> int:
    """Leave a mark of this call, kill the worker if the piece still has to, and give the square."""
    calls = len(list(piece.folder.glob(f"{piece.number}-*")))
    (piece.folder / f"{piece.number}-{calls}").touch()
    if calls < piece.deadly:
        os.kill(os.getpid(), signal.SIGKILL)
    return piece.number**2


def wrong(piece: Piece) -> int:
    """An error that is the function's own."""
    raise LookupError(f"no {piece}")
