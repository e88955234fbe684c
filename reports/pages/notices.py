"""Notices that a reader must know before the figures of a run."""

from typing import Any

from reports.questions import Rows


def of_failures(runs: Rows) -> list[str]:
    """Return a notice for each run in which every call failed: its zeros do not measure the model."""
    return [
        f"All {counted(run['tasks'], 'call')} of the run {run['protocol']}, {run['model']} failed. Its zeros say nothing about the model."
        for run in runs
        if run["tasks"] and run["failed"] == run["tasks"]
    ]


def of_run(facts: dict[str, Any]) -> list[str]:
    """Return notices if a run has no answers or only a part of them, if calls failed, or if tasks are left out."""
    answers, there, failed, left_out = facts["answers"], facts["tasks_there"], facts["failed"], facts["not_applicable"]
    notices = []
    if answers == 0:
        notices.append("No task of this run has an answer yet, so there is nothing to show. `deskmill select` goes on where it stopped.")
    elif answers < there:
        are = "is" if answers == 1 else "are"
        notices.append(f"{answers:,} of the {counted(there, 'task')} that it may take {are} scored: the run has a limit, or is in progress.")
    if answers and failed == answers:
        notices.append(
            f"All {counted(failed, 'call')} failed. Failures count as wrong, so a score of 0 here says nothing about the model; "
            "`deskmill select` asks again."
        )
    elif failed:
        they, them = ("It counts", "it") if failed == 1 else ("They count", "them")
        notices.append(f"{counted(failed, 'task')} failed for reasons of the endpoint. {they} as wrong until `deskmill select` asks {them} again.")
    if left_out:
        have, they = ("has", "it is") if left_out == 1 else ("have", "they are")
        notices.append(f"{counted(left_out, 'task')} {have} no valid application among the candidates of this run; {they} outside every figure.")
    return notices


def counted(number: int, noun: str) -> str:
    """Return the number and the noun, in the plural except for one."""
    return f"{number:,} {noun}{'s' * (number != 1)}"
