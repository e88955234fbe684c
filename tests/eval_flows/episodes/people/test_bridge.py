"""Protects the way of input from a page to a machine: nothing stays pressed, nothing that the machine got is lost, and a picture is the screen before."""

import json
import select
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pytest
from starlette.testclient import TestClient, WebSocketTestSession

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.pages.access import Access, Guard
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.halls import Halls
from eval_flows.episodes.people.intervention import Intervention, PeopleChoice
from eval_flows.episodes.people.reception import received
from eval_flows.episodes.people.rfb import FromViewer, Key, Pointer, key_message, pointer_message
from eval_flows.episodes.people.server import People
from tests.eval_flows.episodes.pages.test_access import HOST, OWN, SCREEN, entered
from tests.eval_flows.episodes.people.test_desk import ABOUT, Screen, meanwhile
from tests.eval_flows.episodes.people.test_server import GREETING
from warehouse.layout import DataFolder

A, B, CTRL = ord("a"), ord("b"), 0xFFE3
PLACE = "/api/episodes/r/e_1"
SECONDS = 60.0  # for anything on a busy host


class Machine(Screen):
    """A machine whose screen shows the events that it has got, and `shows` besides."""

    def __init__(self) -> None:
        super().__init__()
        self.got: list[Key | Pointer] = []
        self.shows = ""
        self.is_idle = threading.Event()
        self.is_idle.set()
        self._ours, self._theirs = socket.socketpair()
        threading.Thread(target=self._listen, daemon=True).start()

    def live_screen(self) -> socket.socket:
        return self._theirs

    def observe(self, what: list[str]) -> Any:
        time.sleep(0.02)  # what was sent before has come
        return type("Observed", (), {"screenshot": f"{self.shows} {len(self.got)}".encode()})

    def _listen(self) -> None:
        viewer = FromViewer()
        while select.select([self._ours], [], []) and self.is_idle.wait() and (part := self._ours.recv(4096)):
            self.got += [message.event for message in viewer.read(part) if message.event]


@dataclass
class Played:
    """An episode whose agent thinks while Ann has the machine, and her page."""

    desk: Desk
    machine: Machine
    pages: TestClient
    viewer: WebSocketTestSession
    sent: int = field(default=len(GREETING))

    def send(self, *events: Key | Pointer) -> None:
        """Send events from her page, and wait until the machine has them."""
        told = len(self.machine.got) + len(events)
        part = b"".join(
            key_message(one.symbol, one.is_down) if isinstance(one, Key) else pointer_message(one.buttons, one.x, one.y) for one in events
        )
        self.viewer.send_bytes(part)
        self.sent += len(part)
        until(lambda: len(self.machine.got) >= told)

    def back(self) -> Intervention:
        """Hand back, and return what is recorded."""
        assert self.pages.post(f"{PLACE}/back", headers=OWN, json={"note": "", "sent": self.sent}).status_code == 200
        helped = self.desk.pause(1)
        assert helped is not None
        return helped

    @property
    def events(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.desk.events.splitlines()]


def until(holds: Callable[[], bool]) -> None:
    end = time.monotonic() + SECONDS
    while not holds():
        assert time.monotonic() < end, "it does not happen"
        time.sleep(0.01)


@contextmanager
def taken(data: Path, choice: PeopleChoice) -> Iterator[Played]:
    """An episode whose machine Ann has taken over."""
    machine, access = Machine(), Access()
    environment = cast("Environment", machine)
    desk = Desk(ABOUT, environment, choice)
    app = Guard(People(Halls(DataFolder(data)), "Ann").app(), access)
    with received(desk, environment, data / "runs" / "r" / "live" / "e_1.json"), TestClient(app, base_url=HOST) as pages:
        entered(pages, access.acting)
        desk.begin(1, True)
        with pages.websocket_connect(f"{SCREEN}/r/e_1", headers=OWN) as viewer:
            assert pages.post(f"{PLACE}/take", headers=OWN).json() == {"taken": "taken"}
            viewer.send_bytes(GREETING)
            yield Played(desk, machine, pages, viewer)


@pytest.fixture
def played(tmp_path: Path) -> Iterator[Played]:
    with taken(tmp_path, PeopleChoice()) as episode:
        yield episode


def test_when_the_time_for_people_is_over_nothing_stays_pressed_and_what_was_done_is_kept(tmp_path: Path) -> None:
    with taken(tmp_path, PeopleChoice(most_seconds=1.0)) as episode:
        episode.send(Key(True, CTRL), Key(True, A), Pointer(1, 9, 9))
        thread, got = meanwhile(lambda: episode.desk.pause(1))
        thread.join(SECONDS)
        (helped,) = got
        until(lambda: len(episode.machine.got) == 6)
        assert episode.machine.got[3:] == [Key(False, A), Key(False, CTRL), Pointer(0, 9, 9)]
        assert [str(act.action) for act in helped.acts] == ["press(key='ctrl+a')"] and len(episode.events) == 6
        state = episode.pages.get(PLACE).json()
        assert (state["holder"], state["recalled"]) == ("", "you"), "the page tells it"
        assert episode.pages.post(f"{PLACE}/take", headers=OWN).json() == {"taken": "late"}
        episode.viewer.send_bytes(key_message(B, True))
        assert episode.pages.get(PLACE).json()["holder"] == "" and len(episode.machine.got) == 6


def test_a_page_that_is_gone_leaves_nothing_pressed_and_its_acts_are_kept(played: Played) -> None:
    played.send(Key(True, A), Pointer(4, 5, 5), Key(True, B))
    played.viewer.close()
    until(lambda: len(played.machine.got) == 6)
    assert played.machine.got[3:] == [Key(False, A), Key(False, B), Pointer(0, 5, 5)]
    until(lambda: len(played.events) == 6)
    helped = played.back()
    assert [act.action.name for act in helped.acts] == ["write", "right_click", "write"]


def test_the_agent_goes_on_after_the_machine_has_read_what_the_person_did_last(played: Played) -> None:
    """A VNC server at work read four keys after the agent had gone on: they deleted what the agent wrote."""
    played.machine.is_idle.clear()
    part = key_message(A, True) + key_message(A, False)
    played.viewer.send_bytes(part)
    played.sent += len(part)
    threading.Timer(0.5, played.machine.is_idle.set).start()
    played.back()
    assert played.machine.is_idle.is_set()


def test_the_picture_of_an_act_is_the_screen_at_its_begin(played: Played) -> None:
    played.send(Key(True, A), Key(False, A), Key(True, B), Key(False, B))
    played.machine.shows = "a dialog that came late"
    played.send(Pointer(1, 5, 5), Pointer(0, 5, 5))
    played.machine.shows = "something else"
    text, click = played.back().acts
    assert (str(text.action), text.picture) == ("write(text='ab')", b" 0"), "not that before its last letter"
    assert (click.action.name, click.picture) == ("single_click", b"a dialog that came late 4")


def test_a_drag_and_a_rest_have_the_screen_before_the_pointer_set_out(played: Played) -> None:
    played.machine.shows = "closed"
    played.send(Pointer(0, 300, 300))
    time.sleep(0.6)  # it rests, and a menu opens
    played.machine.shows = "open"
    played.send(Pointer(0, 500, 500), Pointer(1, 500, 500), Pointer(1, 600, 600), Pointer(0, 600, 600))
    rest, drag = played.back().acts
    assert (rest.action.name, rest.picture) == ("move_abs", b"closed 0")
    assert (drag.action.name, drag.picture) == ("drag_along", b"open 2")


def test_every_event_that_the_machine_got_is_kept_with_its_time_and_its_intervention(played: Played) -> None:
    moves = [Pointer(0, x, 7) for x in range(20, 30)]
    played.send(*moves, Key(True, A), Key(False, A), Pointer(1, 30, 7))
    played.back()
    kept = played.events
    told = [(one["x"], one["y"], one["buttons"]) if one["event"] == "pointer" else (one["key"], one["is_down"], one["keysym"]) for one in kept]
    assert told == [*((x, 7, 0) for x in range(20, 30)), ("a", True, A), ("a", False, A), (30, 7, 1), (30, 7, 0)]
    assert [one["at"] for one in kept] == sorted(one["at"] for one in kept) and {one["intervention"] for one in kept} == {1}


def test_without_the_machine_nothing_is_passed_or_kept(tmp_path: Path) -> None:
    with taken(tmp_path, PeopleChoice()) as episode:
        episode.send(Key(True, A), Key(False, A))
        episode.back()
        episode.viewer.send_bytes(key_message(B, True) * 5)
        episode.pages.get(PLACE)
        time.sleep(0.3)
        assert len(episode.machine.got) == len(episode.events) == 2
