"""Protects who has the machine: one person at a time, between the agent's steps, and never longer than the time for people."""

import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.people.desk import Desk
from eval_flows.episodes.people.intervention import Act, Intervention, PeopleChoice, now
from machines.actions import Action

ABOUT = dict.fromkeys(("suite", "agent", "episode_id", "repeat", "level", "application", "instruction", "step_budget", "infeasible"), "x")
PRESS = Action("press", {"key": "enter"})
PICTURE = b"a screen"


class Screen:
    """An environment with nothing but pictures, which are numbered."""

    def __init__(self) -> None:
        self.offers = type("Offers", (), {"screen": (1280, 800)})
        self.desktop = type("Desktop", (), {"client": self, "settle": staticmethod(lambda: True)})
        self.pictures = 0

    def settle(self, quiet: float, limit: float) -> bool:
        return True

    def observe(self, what: list[str]) -> Any:
        self.pictures += 1
        return type("Observed", (), {"screenshot": str(self.pictures).encode()})


def desk(**choice: Any) -> Desk:
    return Desk(ABOUT, cast("Environment", Screen()), PeopleChoice(**choice))


def meanwhile(wait: Callable[[], Any]) -> tuple[threading.Thread, list[Any]]:
    """What the loop gets that waits in a thread of its own."""
    got: list[Any] = []
    thread = threading.Thread(target=lambda: got.append(wait()))
    thread.start()
    return thread, got


def test_without_people_the_loop_goes_on_at_once() -> None:
    at = desk()
    at.begin(1, True)
    assert at.pause(1) is None and at.interventions == []


def test_who_wants_the_machine_gets_it_when_the_step_is_over_and_the_loop_waits_until_it_is_back() -> None:
    at = desk()
    at.begin(1, False)
    assert at.take("ann", "Ann") == "soon" and not at.acted("ann", PRESS, now(), PICTURE), "the agent still acts"
    thread, got = meanwhile(lambda: at.pause(2))
    while at.take("ann", "Ann") != "taken":
        pass
    assert at.acted("ann", PRESS, now(), PICTURE) and at.back("ann", " done so far ")
    thread.join()
    (helped,) = got
    assert (helped.step, helped.initiated_by, helped.person, helped.note, helped.helped_in) == (2, "human", "Ann", "done so far", "actions")
    assert [act.action for act in helped.acts] == [PRESS] and helped.acts[0].picture == PICTURE
    assert "1 action" in helped.told and "done so far" in helped.told


def test_an_agent_that_thinks_gives_the_machine_at_once() -> None:
    at = desk()
    at.begin(1, True)
    assert at.take("ann", "Ann") == "taken" and at.acted("ann", PRESS, now(), PICTURE) and at.back("ann")
    helped = at.pause(1)
    assert helped is not None and len(helped.acts) == 1


def test_nobody_else_acts_or_takes_over_or_hands_back() -> None:
    at = desk()
    at.begin(1, True)
    at.take("ann", "Ann")
    assert at.take("bob", "Bob") == "held"
    assert not at.acted("bob", PRESS, now(), PICTURE) and not at.back("bob") and not at.acted("", PRESS, now(), PICTURE) and not at.back("")
    assert at.state()["holder"] == "ann" and not at.finish("ann", "DONE"), "an agent plays: a person cannot end its episode"


def test_who_has_handed_back_acts_no_more() -> None:
    at = desk()
    at.begin(1, True)
    at.take("ann", "Ann")
    at.back("ann")
    assert not at.acted("ann", PRESS, now(), PICTURE) and not at.back("ann")


def test_an_agent_that_asks_is_helped_in_words() -> None:
    at = desk(asks=True)
    thread, got = meanwhile(lambda: at.ask(3, "lost", "where is it?"))
    while at.state()["phase"] != "asks":
        pass
    assert at.state()["asked"]["request"] == "where is it?"
    assert at.take("ann", "Ann") == "taken" and at.back("ann", "top left")
    thread.join()
    (helped,) = got
    assert (helped.initiated_by, helped.reason, helped.request, helped.helped_in) == ("agent", "lost", "where is it?", "words")
    assert at.state()["asked"] is None and "top left" in helped.told


def test_an_agent_that_nobody_helps_goes_on_alone() -> None:
    at = desk(asks=True, wait_seconds=0.05)
    helped = at.ask(1, "", "help")
    assert (helped.person, helped.helped_in) == ("", "none") and "go on alone" in helped.told
    assert helped.waited_seconds == pytest.approx(helped.seconds, abs=0.05)


def test_the_time_for_people_is_limited() -> None:
    at = desk(most_seconds=0.05)
    at.begin(1, True)
    at.take("ann", "Ann")
    assert isinstance(at.pause(1), Intervention) and at.state()["holder"] == ""
    assert not at.acted("ann", PRESS, now(), PICTURE)


def test_what_a_person_is_to_find_out_is_not_told() -> None:
    assert "infeasible" not in desk().state()


def test_a_demonstration_is_the_acts_of_its_holder_and_its_end() -> None:
    at = Desk(ABOUT, cast("Environment", Screen()), PeopleChoice(), is_demonstration=True)

    def played() -> list[Act | str | None]:
        at.await_person()
        return [at.next_act(), at.next_act(), at.next_act()]

    thread, got = meanwhile(played)
    while at.state()["phase"] != "person":
        pass
    assert not at.finish("ann", "DONE"), "she has not begun"
    assert at.take("ann", "Ann") == "taken"
    assert at.acted("ann", PRESS, now(), PICTURE) and at.acted("ann", PRESS, now(), PICTURE) and at.finish("ann", "DONE")
    thread.join()
    one, other, end = got[0]
    assert one.action == other.action == PRESS and end == "DONE"


def test_who_wants_to_play_before_the_machine_is_ready_plays_from_the_beginning() -> None:
    at = Desk(ABOUT, cast("Environment", Screen()), PeopleChoice(), is_demonstration=True)
    assert at.take("ann", "Ann") == "soon"
    at.await_person()
    assert at.take("ann", "Ann") == "taken" and at.acted("ann", PRESS, now(), PICTURE)
    act = at.next_act()
    assert act is not None and not isinstance(act, str) and act.action == PRESS


def test_a_person_who_leaves_a_demonstration_can_come_back() -> None:
    at = Desk(ABOUT, cast("Environment", Screen()), PeopleChoice(), is_demonstration=True)
    at.take("ann", "Ann")
    at.await_person()
    assert at.back("ann")
    thread, got = meanwhile(at.next_act)
    while at.take("ann", "Ann") != "taken":
        pass
    assert at.finish("ann", "FAIL")
    thread.join()
    assert got == ["FAIL"]
