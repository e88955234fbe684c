"""Protects the processes of sessions: what hurts one of them hurts no other, and nothing of a closed session stays."""

import gc
import json
import os
import threading
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from multiprocessing.connection import wait
from typing import Any

import psutil  # type: ignore[import-untyped]
import pytest

from eval_flows.episodes.environment import DONE, WAIT
from eval_flows.episodes.runs.fork_server import fork_server
from eval_flows.episodes.serving.session import Session, UnknownSession
from eval_flows.episodes.serving.sessions import Limits, Sessions, SessionsUsedUp
from eval_flows.episodes.serving.suite_environment import EpisodeOver
from eval_flows.episodes.tasks.task import Task
from machines.actions import Action
from machines.errors import MachineError
from machines.image import Image
from warehouse.layout import DataFolder

END, SAVE = Action("press", {"key": "ctrl+end"}), Action("press", {"key": "ctrl+s"})
HOSTILE = "a" * 40 + "!"  # on which the expression (a+)+$ practically never ends
MANY = 60


@pytest.fixture
def sessions(image: Image) -> Iterator[Sessions]:
    fork_server()
    found = Sessions(DataFolder(image.machines.parent), Limits(sessions=3))
    yield found
    found.end()


def checked_for_ever(task: Task, checks: int) -> Task:
    """The task with so many checks that never end on what HOSTILE leaves in its file."""
    (found,) = (entry for step in task.steps for entry in step.check)
    check = {**found, "matches": "(a+)+$"}
    last = task.steps[-1].model_copy(update={"check": (check,) * checks})
    return task.model_copy(update={"steps": (*(step.model_copy(update={"check": ()}) for step in task.steps[:-1]), last)})


def seen(observed: bytes) -> Any:
    return json.loads(observed)["observation"]


@pytest.mark.slow(minutes=0.4)
def test_a_file_that_is_read_for_ever_holds_up_its_own_session_alone(sessions: Sessions, smoke: list[Task]) -> None:
    hostile, other = sessions.add("smoke", "none"), sessions.add("smoke", "none")
    hostile.reset(checked_for_ever(smoke[0], MANY))
    assert seen(hostile.step([END, Action("write", {"text": HOSTILE}), SAVE, WAIT]))["feedback"] == ""
    with ThreadPoolExecutor(1) as pool:
        judged = pool.submit(hostile.evaluate)
        other.reset(smoke[0])
        other.step([END, Action("write", {"text": smoke[0].values["jotting"]}), SAVE, WAIT, DONE])
        assert other.evaluate()["value"] == 1
        assert not judged.done(), "it is judged for minutes"
        process_of(hostile).kill()
        with pytest.raises(MachineError, match="died with exit code -9 during 'evaluate'"):
            judged.result()
    with pytest.raises(UnknownSession):
        hostile.look()
    assert sessions.identities == [other.identity]


@pytest.mark.slow(minutes=0.3)
def test_a_check_that_never_ends_is_ended_in_a_session_too(sessions: Sessions, smoke: list[Task]) -> None:
    session = sessions.add("smoke", "none")
    session.reset(checked_for_ever(smoke[0], 1))
    session.step([END, Action("write", {"text": HOSTILE}), SAVE, WAIT])
    reward = session.evaluate()
    assert reward["value"] == 0 and HOSTILE in reward["checked"][0]["got"]
    assert seen(session.look())["windows"], "the session goes on"


def test_nothing_of_a_closed_session_stays(sessions: Sessions) -> None:
    def opened_and_closed() -> None:
        session = sessions.add("smoke", "none")
        assert session.screenshot() is None and psutil.pid_exists(process_of(session).pid)
        sessions.close(session.identity)

    def held() -> tuple[int, ...]:
        gc.collect()
        own = psutil.Process()
        of_sessions = sum(isinstance(one, Session) for one in gc.get_objects())
        return len(own.children(recursive=True)), own.num_fds(), threading.active_count(), of_sessions

    opened_and_closed()
    before = held()
    for _ in range(12):
        opened_and_closed()
    assert held() == before and before[-1] == 0


def test_a_process_that_died_counts_no_more(sessions: Sessions) -> None:
    there = [sessions.add("smoke", "none") for _ in range(3)]
    for session in there:
        session.screenshot()
    with pytest.raises(SessionsUsedUp, match="all 3 sessions"):
        sessions.add("smoke", "none")
    kill(there[1])
    assert sessions.identities == [there[0].identity, there[2].identity]
    sessions.add("smoke", "none")
    with pytest.raises(MachineError, match="died"):
        sessions[there[1].identity].screenshot()
    with pytest.raises(UnknownSession, match="there is no session"):
        sessions[there[1].identity]


def test_a_call_that_is_under_way_ends_with_the_server(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_flows.episodes.serving.sessions._CLOSING_SECONDS", 0.1)
    session = sessions.add("smoke", "none")
    session.screenshot()
    process = process_of(session)
    process.suspend()  # it answers nothing any more
    with ThreadPoolExecutor(1) as pool:
        call: Future[Any] = pool.submit(session.screenshot)
        while not session.is_at_work:
            pass
        sessions.end()
        with pytest.raises(MachineError, match="died"):
            call.result()
    with pytest.raises(SessionsUsedUp, match="is ending"):
        sessions.add("smoke", "none")


def test_a_call_that_takes_too_long_ends_its_session(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    session = sessions.add("smoke", "none")
    with pytest.raises(EpisodeOver):
        session.look()
    monkeypatch.setattr("eval_flows.episodes.serving.session._CALL_SECONDS", 0.2)
    process = process_of(session)
    process.suspend()
    with pytest.raises(MachineError, match="'look' was not done within 0 s"):
        session.look()
    psutil.wait_procs([process])
    assert not process.is_running() and sessions.identities == []


def test_a_machine_that_takes_too_long_to_stop_ends_with_its_process(sessions: Sessions, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eval_flows.episodes.serving.session._STOP_SECONDS", 0.2)
    session = sessions.add("smoke", "none")
    session.screenshot()
    process = process_of(session)
    process.suspend()
    sessions.close(session.identity)
    psutil.wait_procs([process])
    assert not process.is_running()


def test_a_machine_that_does_not_stop_keeps_no_other_session_open(image: Image, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its error ended the task that closes idle sessions."""
    sessions = Sessions(DataFolder(image.machines.parent), Limits(sessions=2, idle_seconds=0))
    stuck, other = sessions.add("smoke", "none"), sessions.add("smoke", "none")

    def fail(seconds: float) -> None:
        raise MachineError("the hook of the machine answered 500")

    monkeypatch.setattr(stuck, "close", fail)
    assert sessions.close_idle() == [stuck.identity, other.identity] and other.is_closed


def test_an_error_keeps_its_kind_and_tells_where_it_came_from(sessions: Sessions) -> None:
    session = sessions.add("smoke", "none")
    with pytest.raises(EpisodeOver, match="reset the environment") as told:
        session.step(WAIT)
    assert f"in the process of the session {session.identity}" in told.value.__notes__[0] and "suite_environment.py" in told.value.__notes__[0]
    assert os.getpid() != process_of(session).pid


def kill(session: Session) -> None:
    """Kill its process, and wait until this process knows: the fork server tells it, a little after the other has gone."""
    assert session._worker is not None
    process = session._worker.process
    process.kill()
    assert wait([process.sentinel], 30)


def process_of(session: Session) -> psutil.Process:
    """The process of a session that has begun."""
    assert session._worker is not None
    return psutil.Process(session._worker.process.pid)
