"""Protects the workers: whatever becomes of a worker, each job has one result or one fault with its words, and no process is left."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from eval_flows.episodes.runs.workers import Done, OnFault, Reply, Respond, supervised
from tests.conftest import REPOSITORY, workers_and_machines
from tests.eval_flows.episodes.jobs import work

Job = tuple[str, Any]
LONG = 120.0


@pytest.fixture(autouse=True)
def nothing_is_left() -> Iterator[None]:
    yield
    assert not workers_and_machines()


def done(
    jobs: list[Job],
    workers: int = 2,
    seconds: float = LONG,
    tries: int = 2,
    respond: Respond | None = None,
    on_fault: OnFault[Job] | None = None,
    together: int = 1,
) -> dict[Job, Done[Job]]:
    found = list(supervised(jobs, work, workers, seconds, tries, respond, on_fault, together))
    assert sorted(map(str, (one.job for one in found))) == sorted(map(str, jobs)), "each job once"
    return {one.job: one for one in found}


def test_results_come_whole_from_processes_that_are_used_again() -> None:
    jobs: list[Job] = [("give", "x" * 300_000 + str(number)) for number in range(9)]
    found = done(jobs)
    assert all(found[job].result[1] == job[1] and found[job].fault is None for job in jobs)
    pids = {one.result[0] for one in found.values()}
    assert len(pids) <= 2 and os.getpid() not in pids


def test_no_jobs_start_no_worker() -> None:
    assert done([]) == {}


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        ("raise", "ValueError: no wrench here"),
        ("exit", "the worker died with exit code 7"),
        ("leave", "SystemExit: 3"),
        ("kill", "the worker died with exit code -9"),
        ("unsendable", "Can't pickle|pickle"),
    ],
)
def test_a_job_that_goes_wrong_each_time_is_a_fault_with_its_words_and_spoils_no_other(kind: str, said: str) -> None:
    bad, good = (kind, "wrench"), ("give", "nail")
    faults: list[tuple[Job, str]] = []
    found = done([bad, good], on_fault=lambda job, fault, seconds: faults.append((job, fault)))
    assert found[bad].result is None and faults[-1] == (bad, found[bad].fault) and [job for job, _ in faults] == [bad, bad]
    assert any(one in (found[bad].fault or "") for one in said.split("|")), found[bad].fault
    assert found[good].result[1] == "nail" and found[good].fault is None


@pytest.mark.parametrize("kind", ["raise", "exit", "kill"])
def test_a_job_that_goes_wrong_once_is_done_at_the_second_try(kind: str, tmp_path: Path) -> None:
    job = (f"once {kind}", str(tmp_path / "tried"))
    tried = []
    found = done([job], workers=1, on_fault=lambda job, fault, seconds: tried.append((job, seconds > 0)))
    assert found[job].fault is None and found[job].result[1] == job[1] and tried == [(job, True)]


@pytest.mark.parametrize("kind", ["hang", "ask for ever", "ask and hang"])
def test_what_does_not_end_is_ended_from_outside(kind: str) -> None:
    job, other = (kind, "x"), ("give", "nail")
    found = done([job, other], seconds=4.0, tries=1, respond=lambda question, reply: reply(question))
    assert "not done within 4 s" in (found[job].fault or "") and found[job].result is None
    assert found[other].result[1] == "nail"


def test_the_parent_answers_at_once_or_later_each_to_the_one_who_asked() -> None:
    def answer(question: Any, reply: Reply) -> None:
        if "again" in question:
            threading.Timer(0.05, lambda: reply(f"later: {question}")).start()
        else:
            reply(f"now: {question}")

    jobs: list[Job] = [("ask", str(number)) for number in range(6)]
    found = done(jobs, workers=3, respond=answer)
    assert all(found[job].result == [f"now: {job[1]}", f"later: {job[1]} again"] for job in jobs)


def test_the_clock_stands_still_while_an_answer_is_waited_for() -> None:
    """A model that thought for long was a fault of the machine, and tried three times."""
    job = ("ask", "slow")
    found = done([job], seconds=5.0, tries=1, respond=lambda question, reply: threading.Timer(3.5, lambda: reply(question)).start())
    assert found[job].fault is None and found[job].result == ["slow", "slow again"]


def test_an_exception_as_a_reply_ends_all_jobs_and_is_raised() -> None:
    jobs: list[Job] = [("ask", 1), ("hang", 2), ("give", 3), ("give", 4)]
    running = supervised(jobs, work, 2, LONG, respond=lambda question, reply: reply(KeyError("the endpoint is gone")))
    with pytest.raises(KeyError, match="the endpoint is gone"):
        list(running)
    assert not workers_and_machines()


def test_a_reply_that_comes_when_its_worker_is_dead_goes_to_nobody() -> None:
    replies: list[Reply] = []

    def answer(question: Any, reply: Reply) -> None:
        if question == "die":
            os.kill(next(iter(workers_and_machines())), signal.SIGKILL)
            replies.append(reply)
        else:
            replies[0]("too late")
            reply("now")

    found = done([("ask", "die"), ("ask", "next")], workers=1, tries=1, respond=answer)
    assert "died" in (found["ask", "die"].fault or "") and found["ask", "next"].result == ["now", "now"]


@pytest.fixture
def one_processor(monkeypatch: pytest.MonkeyPatch) -> None:
    """As many jobs as may be together are, on whatever host."""
    monkeypatch.setattr(os, "cpu_count", lambda: 1)


@pytest.mark.usefixtures("one_processor")
def test_jobs_share_a_worker_up_to_a_number() -> None:
    """They are begun before any has ended: each waits until all have asked."""
    asked: list[Reply] = []

    def answer(question: Any, reply: Reply) -> None:
        asked.append(reply)
        if len(asked) in (6, 12):
            for one in asked[-6:]:
                one(question)

    found = done([("ask for the pid", number) for number in range(6)], workers=6, respond=answer, together=3)
    pids = [one.result for one in found.values()]
    assert sorted(pids.count(pid) for pid in set(pids)) == [3, 3] and os.getpid() not in pids


@pytest.mark.usefixtures("one_processor")
def test_a_worker_that_is_killed_costs_each_of_its_jobs_one_try() -> None:
    asked: list[Reply] = []
    faults: list[Job] = []

    def answer(question: Any, reply: Reply) -> None:
        asked.append(reply)
        if len(asked) == 4:
            os.kill(next(iter(workers_and_machines())), signal.SIGKILL)
        elif len(asked) > 4:
            reply(question)

    jobs: list[Job] = [("ask for the pid", number) for number in range(4)]
    found = done(jobs, workers=4, respond=answer, on_fault=lambda job, fault, seconds: faults.append(job), together=4)
    assert all(one.fault is None for one in found.values())
    assert sorted(map(str, faults)) == sorted(map(str, jobs)), "each once"


@pytest.mark.usefixtures("one_processor")
def test_a_job_that_kills_each_worker_ends_no_other() -> None:
    bad, good = ("exit", "wrench"), [("wait a moment", number) for number in range(3)]
    found = done([bad, *good], workers=4, tries=2, together=4)
    assert "exit code 7" in (found[bad].fault or "") and all(found[job].fault is None for job in good)


@pytest.mark.usefixtures("one_processor")
def test_jobs_beside_one_that_does_not_end_begin_again_and_nothing_is_counted(tmp_path: Path) -> None:
    late, before, good = ("hang", "x"), ("wait a moment", "y"), ("once await", str(tmp_path / "good"))
    faults: list[Job] = []
    found = done([late, before, good], workers=2, seconds=8.0, tries=1, on_fault=lambda job, fault, seconds: faults.append(job), together=2)
    assert faults == [late] and "not done within 8 s" in (found[late].fault or "")
    assert found[good].fault is None, "it began a second time, alone"


@pytest.mark.usefixtures("one_processor")
def test_a_job_that_a_library_holds_up_holds_its_neighbours_up_once() -> None:
    """Nobody can tell which of them it is, until each is alone."""
    late, good = ("hold", "x"), ("wait a moment", "y")
    found = done([late, good], workers=2, seconds=8.0, tries=2, together=2)
    assert "not done within 8 s" in (found[late].fault or "") and found[good].fault is None


@pytest.mark.usefixtures("one_processor")
def test_each_job_has_its_own_clock() -> None:
    """One waits for a model while another works; the one that waits may take longer than the limit."""
    slow, quick = ("ask", "slow"), ("wait a moment", "x")

    def answer(question: Any, reply: Reply) -> None:
        threading.Timer(5.0, lambda: reply(question)).start()

    found = done([slow, quick], workers=2, seconds=8.0, tries=1, respond=answer, together=2)
    assert found[slow].result == ["slow", "slow again"] and found[quick].fault is None


@pytest.mark.usefixtures("one_processor")
def test_what_signals_have_to_end_is_ended_beside_other_jobs() -> None:
    """A regular expression that never ends, in a check of one of the episodes that a process plays."""
    found = done([("limited", "x"), ("wait a moment", "y")], workers=2, together=2)
    assert found["limited", "x"].result == "TimeoutError" and found["wait a moment", "y"].fault is None


def test_who_stops_listening_leaves_nothing_running() -> None:
    running = supervised([("give", 1), ("hang", 2), ("hang", 3)], work, 2, LONG)
    assert next(running).result[1] == 1
    assert workers_and_machines()
    running.close()  # type: ignore[attr-defined]


def test_ctrl_c_in_a_terminal_leaves_to_the_parent_what_ends() -> None:
    job = ("interrupt", "nail")
    found = done([job], tries=1)
    assert found[job].fault is None and found[job].result[1] == "nail"


@pytest.mark.parametrize("kind", ["pid", "pid and hold"])
def test_workers_end_when_their_parent_is_killed(kind: str, tmp_path: Path) -> None:
    """A worker that a library held up lived on without its parent, for the thread that should have ended it never ran."""
    script = (
        "import sys; from eval_flows.episodes.runs.workers import supervised; from tests.eval_flows.episodes.jobs import work\n"
        "if __name__ == '__main__': list(supervised([(sys.argv[2], sys.argv[1])], work, 1, 600.0))"
    )
    place, program = tmp_path / "pid", tmp_path / "parent.py"
    program.write_text(script)
    parent = subprocess.Popen([sys.executable, str(program), str(place), kind], cwd=REPOSITORY, env={**os.environ, "PYTHONPATH": str(REPOSITORY)})
    wait_for(lambda: place.is_file() and place.read_text())
    worker = int(place.read_text())
    parent.send_signal(signal.SIGKILL)
    parent.wait()
    wait_for(lambda: not psutil.pid_exists(worker) or psutil.Process(worker).status() == psutil.STATUS_ZOMBIE)


def wait_for(holds: Any) -> None:
    end = time.monotonic() + 60
    while not holds():
        assert time.monotonic() < end
        time.sleep(0.05)
