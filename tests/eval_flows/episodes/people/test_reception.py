"""Protects the way from other processes to an episode: who has its card comes in, nobody else, and a process that dies holds no machine."""

import json
import os
import socket
import stat
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import cast

import pytest
from starlette.testclient import TestClient

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.pages.access import Access, Guard
from eval_flows.episodes.people import halls as halls_of_people
from eval_flows.episodes.people import reception
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.halls import Halls
from eval_flows.episodes.people.intervention import PeopleChoice, now
from eval_flows.episodes.people.reception import EpisodeGone, EpisodeSilent, Visit, received
from eval_flows.episodes.people.server import People
from machines.errors import MachineError
from tests.eval_flows.episodes.people.test_desk import ABOUT, PICTURE, PRESS, Screen
from warehouse.layout import DataFolder


class Live(Screen):
    """A screen that is one end of a pair of sockets, once there is one."""

    pair: tuple[socket.socket, socket.socket] | None = None

    def live_screen(self) -> socket.socket:
        if self.pair is None:
            raise MachineError("the machine is not running")
        return self.pair[0]


@contextmanager
def episode(data: Path, name: str = "e_1") -> Iterator[tuple[Desk, Live, Path]]:
    screen = Live()
    desk = Desk(ABOUT, cast("Environment", screen), PeopleChoice())
    card = data / "runs" / "r" / "live" / f"{name}.json"
    with received(desk, cast("Environment", screen), card):
        yield desk, screen, card


def test_a_visit_acts_for_its_viewer_and_the_screen_comes_as_a_connection(tmp_path: Path) -> None:
    with episode(tmp_path) as (desk, screen, card), Visit(card) as visit:
        desk.begin(1, True)
        assert visit.take("ann", "Ann") == "taken" and visit.acted("ann", PRESS, now(), PICTURE) and visit.state()["holder"] == "ann"
        with pytest.raises(MachineError, match="not running"):
            visit.screen()
        screen.pair = socket.socketpair()
        with visit.screen() as shown, screen.pair[1] as other:
            other.sendall(b"RFB")
            assert shown.recv(3) == b"RFB"
        assert visit.back("ann", "done") and not visit.finish("ann", "DONE")


def test_the_machine_of_a_process_that_dies_goes_back(tmp_path: Path) -> None:
    with episode(tmp_path) as (desk, _, card):
        desk.begin(1, True)
        with Visit(card) as visit:
            visit.take("ann", "Ann")
        helped = desk.pause(1)
        assert helped is not None and helped.person == "Ann" and desk.state()["holder"] == ""


def test_the_card_is_its_owners_alone_and_gone_when_the_episode_is(tmp_path: Path) -> None:
    with episode(tmp_path) as (_, _, card):
        assert stat.S_IMODE(card.stat().st_mode) == 0o600 and stat.S_IMODE(card.parent.stat().st_mode) == 0o700
        assert Halls(DataFolder(tmp_path)).states()[0][0] == ("r", "e_1")
    assert not card.exists() and Halls(DataFolder(tmp_path)).states() == []
    with pytest.raises(EpisodeGone):
        Visit(card)


def test_who_has_a_wrong_key_does_not_come_in(tmp_path: Path) -> None:
    with episode(tmp_path) as (_, _, card):
        told = json.loads(card.read_text())
        card.write_text(json.dumps({**told, "key": "00" * 32}))
        with pytest.raises(EpisodeGone):
            Visit(card)


def test_no_other_method_of_a_desk_is_called_from_outside(tmp_path: Path) -> None:
    with episode(tmp_path) as (desk, _, card), Visit(card) as visit:
        visit._connection.send(("end", ()))
        time.sleep(0.05)
        assert visit.state()["phase"] != "ended" and desk.state()["phase"] != "ended"


def receiving() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name in ("reception", "visitor")]


def test_who_visits_is_told_when_the_episode_is_over_and_its_thread_ends(tmp_path: Path) -> None:
    halls = Halls(DataFolder(tmp_path))
    with episode(tmp_path):
        assert halls.state(("r", "e_1"))["phase"] == "starting"
    with pytest.raises(EpisodeGone):
        halls.state(("r", "e_1"))
    until = time.monotonic() + 60
    while receiving() and time.monotonic() < until:
        time.sleep(0.02)
    assert receiving() == []


def test_an_episode_whose_process_was_killed_is_left_out(tmp_path: Path) -> None:
    with episode(tmp_path) as (_, _, card):
        kept = card.read_text()
    card.write_text(kept)
    assert Halls(DataFolder(tmp_path)).states() == []


def phases(halls: Halls) -> dict[str, str]:
    return {name: state["phase"] for (_, name), state in halls.states()}


def test_an_episode_that_does_not_answer_hides_no_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """One desk stalls after it was seen, and one process takes calls and never says a word."""
    monkeypatch.setattr(halls_of_people, "_STATE_SECONDS", 0.3)
    monkeypatch.setattr(reception, "_ANSWER_SECONDS", 1)
    halls, goes_on = Halls(DataFolder(tmp_path)), threading.Event()
    with episode(tmp_path), episode(tmp_path, "e_2") as (stalled, _, card), socket.socket(socket.AF_UNIX) as mute:
        assert phases(halls) == {"e_1": "starting", "e_2": "starting"}
        monkeypatch.setattr(stalled, "state", lambda: goes_on.wait(60) and Desk.state(stalled))
        name = f"\0deskmill-mute-{os.getpid()}"
        mute.bind(name)
        mute.listen()
        card.with_stem("e_3").write_text(json.dumps({"name": name, "key": "00"}))
        assert phases(halls) == {"e_1": "starting", "e_2": "silent"}
        with pytest.raises(EpisodeSilent):
            Visit(card.with_stem("e_3"))
        assert phases(halls) == {"e_1": "starting", "e_2": "silent"} and halls.state(("r", "e_2"))["phase"] == "silent"
        goes_on.set()
        until = time.monotonic() + 60
        while phases(halls)["e_2"] == "silent" and time.monotonic() < until:
            time.sleep(0.05)
        assert phases(halls)["e_2"] == "starting", "it comes back"


def test_what_one_person_holds_no_second_takes_over(tmp_path: Path) -> None:
    access = Access()
    pages = Guard(People(Halls(DataFolder(tmp_path)), "ann").app(), access)
    own = {"Origin": "http://127.0.0.1"}
    with episode(tmp_path) as (desk, _, _):
        desk.begin(1, True)
        ann, bob = (TestClient(pages, base_url="http://127.0.0.1") for _ in range(2))
        for one in (ann, bob):
            assert one.post("/enter", content=access.acting, headers=own).status_code == 204
        place = "/api/episodes/r/e_1"
        assert ann.post(f"{place}/take", headers=own).json() == {"taken": "taken"}
        assert bob.post(f"{place}/take", headers=own).status_code == 409 and bob.post(f"{place}/back", headers=own).status_code == 409
        assert (ann.get(place).json()["holder"], bob.get(place).json()["holder"]) == ("you", "another")
        assert ann.post(f"{place}/back", json={"note": "n"}, headers=own).status_code == 200
        helped = desk.pause(1)
        assert helped is not None and helped.note == "n"
