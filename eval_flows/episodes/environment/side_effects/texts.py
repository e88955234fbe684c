"""Texts and tables of values, compared line by line. A line may change if it contains a declared text, ignoring case."""

import codecs
from collections.abc import Sequence

from eval_flows.episodes.checkers import files
from eval_flows.episodes.environment.side_effects.parts import Parts, Unit, Units, freed, holding
from eval_flows.episodes.tasks.changes import Change


def of_text(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return the lines, their line ending and a byte-order mark, without what `lines`, `line_endings` and `end` free. Empty lines do not count."""
    whole = files.text(content)
    free = freed(changes, "lines")
    units = [Unit(f"line {number}", line) for number, line in enumerate(whole.splitlines(), 1) if line.strip() and not holding(line, free)]
    parts: Parts = {"lines": Units(units, any("end" in change for change in changes))}
    if not any("line_endings" in change for change in changes):
        parts["line endings"] = "CR LF" if "\r\n" in whole else "LF"
    parts["byte-order mark"] = "there" if content.startswith(codecs.BOM_UTF8) else None
    return parts


def of_csv(content: bytes, changes: Sequence[Change]) -> Parts:
    """Return the rows; quoting and separators of values do not count."""
    free = freed(changes, "lines")
    rows = [" | ".join(row) for row in files.rows_of_csv(content)]
    return {"rows": Units([Unit(f"row {number}", row) for number, row in enumerate(rows, 1) if row and not holding(row, free)])}
