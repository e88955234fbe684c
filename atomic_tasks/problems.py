"""Problems in declared data. Each has its place, and all are reported at once."""

import difflib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, order=True)
class Problem:
    """One problem, shown as `file:line: field: reason`."""

    file: str
    line: int
    field: str
    reason: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.field}: {self.reason}"


class BadInput(Exception):
    """Input that the user must correct. The text is shown to the user, and the exit code is 2."""

    def __init__(self, problems: Iterable[Problem] | str) -> None:
        self.problems = [] if isinstance(problems, str) else sorted(set(problems))
        super().__init__(problems if isinstance(problems, str) else "\n".join(map(str, self.problems)))


def nearest(word: str, known: Iterable[str]) -> str | None:
    """Return the most similar known word, or None if no word is similar."""
    return next(iter(difflib.get_close_matches(word, sorted(known), n=1, cutoff=0.6)), None)


def suggestion(word: str, known: Iterable[str]) -> str:
    """Return `; did you mean ...?` with the nearest known word, or an empty text."""
    near = nearest(word, known)
    return f"; did you mean '{near}'?" if near else ""


Place = tuple[str | int, ...]


@dataclass
class Source:
    """A YAML file that was read: its data, and the line of each place in it."""

    path: Path
    data: object = None
    line_of: Callable[[Place], int] = lambda place: 1  # the line of the place, or of the nearest place around it

    @property
    def file(self) -> str:
        """Return the path as problems show it."""
        return shown_path(self.path)

    def problem(self, place: Place, reason: str) -> Problem:
        """Return a problem at the place, or at the nearest place around it that the file has."""
        return Problem(self.file, self.line_of(place), spelled(place), reason)


def shown_path(path: Path) -> str:
    """Return the path as a person in the working directory would type it."""
    try:
        return str(path.resolve().relative_to(Path.cwd()))
    except ValueError:
        return str(path)


def spelled(place: Place) -> str:
    """Return `tasks[3].needs[0]` for ('tasks', 3, 'needs', 0)."""
    text = ""
    for part in place:
        text += f"[{part}]" if isinstance(part, int) else f".{part}" if text else part
    return text or "file"
