"""Protects asking across hosts: who has the key is answered, who has not is not heard, and nobody holds up the others."""

import socket
import threading
from collections.abc import Iterator
from multiprocessing import AuthenticationError
from multiprocessing.connection import Client
from typing import Any

import pytest

from eval_flows.episodes.runs.answer_server import AnswerServer, Place, asking
from eval_flows.episodes.runs.workers import Reply
from machines.errors import MachineError


def doubled(question: Any, reply: Reply) -> None:
    if question == "never":
        return
    if question == "broken":
        raise LookupError("a mistake in what answers")
    reply(ValueError("the budget is used up") if question == "too much" else question * 2)


@pytest.fixture
def server() -> Iterator[AnswerServer]:
    with AnswerServer(doubled, "127.0.0.1") as made:
        yield made


def asked(place: Place, question: Any) -> Any:
    answers: list[Any] = []
    with asking(place) as respond:
        respond(question, answers.append)
    return answers[0]


def test_many_workers_are_answered_at_once(server: AnswerServer) -> None:
    found: list[Any] = []
    threads = [threading.Thread(target=lambda one=number: found.append(asked(server.place, one))) for number in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(found) == [2 * number for number in range(20)]


def test_who_does_not_know_the_key_is_not_heard(server: AnswerServer) -> None:
    with pytest.raises((AuthenticationError, EOFError, OSError)):
        Client(server.place.address, authkey=b"another key")
    with asking(Place(server.place.address, server.place.key)):
        pass  # the server serves on


def test_who_connects_and_says_nothing_holds_up_nobody(server: AnswerServer) -> None:
    with socket.create_connection(server.place.address):
        assert asked(server.place, 4) == 8


def test_the_key_is_not_shown(server: AnswerServer) -> None:
    assert repr(server.place.key) not in repr(server.place) and server.place.key.hex() not in repr(server.place)


def test_an_error_as_the_answer_ends_the_run_and_the_worker_is_told_that_it_ended(server: AnswerServer) -> None:
    answer = asked(server.place, "too much")
    assert isinstance(answer, MachineError) and "has ended" in str(answer)
    assert isinstance(server.ended_by, ValueError)


def test_a_mistake_in_what_answers_ends_the_run_too(server: AnswerServer) -> None:
    assert isinstance(asked(server.place, "broken"), MachineError)
    assert isinstance(server.ended_by, LookupError)


def test_a_worker_that_waits_for_an_answer_learns_that_the_run_has_ended() -> None:
    answers: list[Any] = []
    with AnswerServer(doubled, "127.0.0.1") as server, asking(server.place) as respond:
        assert asked(server.place, 1) == 2
        waiting = threading.Thread(target=respond, args=("never", answers.append), daemon=True)
        waiting.start()
        while not server._connections:
            waiting.join(0.01)
        server.__exit__(None, None, None)
        waiting.join(30)
        assert not waiting.is_alive() and isinstance(answers[0], MachineError)


def test_a_place_that_another_run_has_by_now_is_a_fault_of_the_infrastructure(server: AnswerServer) -> None:
    with pytest.raises(MachineError, match="does not answer at"), asking(Place(server.place.address, b"the key of another run")):
        pass


def test_a_run_that_is_gone_is_a_fault_of_the_infrastructure() -> None:
    with AnswerServer(doubled, "127.0.0.1") as server:
        place = server.place
    with pytest.raises(MachineError, match=rf"does not answer at 127\.0\.0\.1:{place.address[1]}"), asking(place):
        pass
