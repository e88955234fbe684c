"""Protects what the log of a flow run tells: each step of the progress, why a run ended early, and that faults are to be tried again."""

import logging

import pytest

from eval_flows.episodes.runs.run_log import log_what_is_left, logged_progress


def test_progress_and_what_is_left_are_told(caplog: pytest.LogCaptureFixture) -> None:
    logger = logging.getLogger("a flow run")
    with caplog.at_level(logging.INFO, "a flow run"):
        logged_progress(logger)("smoke", 1, 2, "1 succeeded")
        log_what_is_left(logger, [{"fault": None}, {"fault": "no machine"}], "the budget is spent")
        log_what_is_left(logger, [{"fault": None}], None)
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        ("INFO", "smoke: 1 of 2 1 succeeded"),
        ("WARNING", "the budget is spent"),
        ("WARNING", "faults of the infrastructure: 1; run the same flow again to retry these episodes"),
    ]
