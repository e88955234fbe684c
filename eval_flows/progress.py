"""How a run tells its progress."""

from typing import Protocol


class Progress(Protocol):
    """Shows the progress of a stage, with a note such as its cost so far."""

    def __call__(self, stage: str, done: int, total: int, note: str = "") -> None:
        """Show it."""
        ...
