"""What the flows that play episodes write into the log of a flow run: the progress, and what is left to do at the end."""

import logging
from collections.abc import Sequence

from eval_flows.episodes.runs.store import Row
from eval_flows.progress import Progress

Logger = logging.Logger | logging.LoggerAdapter[logging.Logger]


def logged_progress(logger: Logger) -> Progress:
    """Return a progress that writes each of its steps into the log."""

    def progress(stage: str, done: int, total: int, note: str = "") -> None:
        logger.info("%s: %s of %s %s", stage, done, total, note)

    return progress


def log_what_is_left(logger: Logger, rows: Sequence[Row], ended_early: str | None) -> None:
    """Warn if a run ended early, with its reason, and if episodes ended in a fault."""
    if ended_early:
        logger.warning(ended_early)
    faults = sum(row["fault"] is not None for row in rows)
    if faults:
        logger.warning("faults of the infrastructure: %s; run the same flow again to retry these episodes", faults)
