"""The desk of an episode: where people come to its machine, and where the agent's loop waits for them.

The loop calls it in the thread that plays: `pause` between steps, `ask` for help, `await_person` and `next_act` where a person plays alone. Other
threads call it for the people who watch: `state`, `take`, `acted`, `back`. One person at a time holds the machine, and only its holder acts.
"""

import contextlib
import queue
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal

from eval_flows.episodes.environment import Environment
from eval_flows.episodes.people.events import Event, lines
from eval_flows.episodes.people.intervention import Act, Initiator, Intervention, PeopleChoice, now
from machines.actions import Action
from machines.errors import MachineError

Json = dict[str, Any]
Taken = Literal["taken", "soon", "held", "late", "ended"]
End = Literal["DONE", "FAIL"]
_SHOWN = 30  # the last steps that a viewer is told
_TOLD = ("suite", "agent", "episode_id", "repeat", "level", "application", "instruction", "step_budget")  # not what a person is to find out
_RECALL_SECONDS = 3.0  # for the page of a holder whose time is over: it lets go of keys, and tells the last acts


class Desk:
    """The desk of one episode. `about` is the row of it; `is_demonstration` says that a person plays it, and no agent."""

    def __init__(self, about: Mapping[str, Any], environment: Environment, choice: PeopleChoice, is_demonstration: bool = False) -> None:
        self.choice = choice
        self.interventions: list[Intervention] = []
        self.events = bytearray()  # lines
        told = {name: about[name] for name in _TOLD}
        self._about = told | {"screen": environment.offers.screen, "is_demonstration": is_demonstration}
        self._environment = environment
        self._lock = threading.Lock()
        self._phase = "starting"
        self._step = 1
        self._steps: list[Json] = []
        self._cost_usd = 0.0
        self._holder = self._person = ""
        self._recalled = ""  # whose time was over, until somebody takes over again
        self._wanted: tuple[str, str, datetime] | None = None
        self._asked: Json | None = None
        self._is_held = False  # from when somebody takes over until the loop has heard all that they did
        self._is_open = False  # whether who takes over has the machine at once
        self._messages: queue.SimpleQueue[tuple[str, Any]] = queue.SimpleQueue()
        self._left = choice.most_seconds
        self._wanted_at = self._granted_at = now()
        self._looking = threading.Lock()  # for the picture: it takes longer than others can wait
        self._picture = b""  # the last one

    # for the thread that plays

    def begin(self, step: int, may_take_at_once: bool) -> None:
        """Say that the agent decides its next step. If it can do without its decision, a person may take over before it has decided."""
        with self._lock:
            self._phase, self._step, self._is_open = "agent", step, may_take_at_once

    def pause(self, step: int) -> Intervention | None:
        """If a person holds the machine, or wants it, wait until they hand it back and return the intervention; None at once otherwise."""
        with self._lock:
            self._step, self._is_open = step, False
            if not self._is_held and not self._granted():
                return None
        return self._held(self._new("human", self._wanted_at, waited_seconds=(self._granted_at - self._wanted_at).total_seconds()))

    def ask(self, step: int, reason: str, request: str) -> Intervention:
        """Ask people for help, wait until somebody has helped or the time of waiting is over, and return what came of it."""
        asked = self._new("agent", now(), reason=reason, request=request)
        limit = min(self.choice.wait_seconds, self._left)
        with self._lock:
            self._asked = {"reason": reason, "request": request, "until": time.monotonic() + limit}
            self._step, self._phase, self._is_open = step, "asks", True
            has_come = self._is_held or self._granted()
        has_come = has_come or self._somebody_comes(limit)
        asked.waited_seconds = asked.seconds
        if has_come:
            return self._held(asked)
        self._left -= asked.waited_seconds
        return self._ended(asked)

    def await_person(self) -> None:
        """Wait until somebody begins to play, or the time for people is over."""
        with self._lock:
            if self._granted():
                return
            self._phase, self._is_open = "person", True
        begun = time.monotonic()
        self._somebody_comes(self._left)
        self._left -= time.monotonic() - begun

    def next_act(self) -> Act | End | None:
        """Return the next act of the person who plays, or how they end the episode; None when the time for people is over."""
        until = time.monotonic() + self._left
        while True:
            with self._lock:
                if not self._holder and not self._granted():
                    self._phase, self._is_open = "person", True
            message = self._message(until)
            if message is None:
                return None
            kind, content = message
            self._left = until - time.monotonic()
            if kind in ("acted", "end"):
                played: Act | End = content
                return played

    def record(self, step: Json) -> None:
        """Tell viewers of a step that was played."""
        with self._lock:
            self._steps = [*self._steps, step][-_SHOWN:]
            self._cost_usd += step["cost_usd"]

    def end(self) -> None:
        """Say that the episode is over."""
        with self._lock:
            self._phase, self._is_open, self._holder, self._wanted = "ended", False, "", None

    # for other threads

    def state(self) -> Json:
        """Return what is told to viewers; `holder`, `wanted` and `recalled` (whose time was over) are ids of viewers."""
        with self._lock:
            asked = self._asked and {**self._asked, "seconds_left": max(0.0, self._asked["until"] - time.monotonic())}
            return {
                **self._about,
                "phase": self._phase,
                "step": self._step,
                "steps": self._steps,
                "cost_usd": self._cost_usd,
                "holder": self._holder,
                "person": self._person if self._holder else "",
                "wanted": self._wanted[0] if self._wanted else "",
                "recalled": self._recalled,
                "asked": asked,
                "held_seconds": (now() - self._granted_at).total_seconds() if self._holder else 0.0,
                "interventions": len(self.interventions),
            }

    def take(self, viewer: str, person: str) -> Taken:
        """Give the machine to a viewer: at once, or soon, when the agent has ended its step. `held` if another has it."""
        with self._lock:
            if self._phase == "ended":
                return "ended"
            if self._holder == viewer:
                return "late" if self._recalled == viewer else "taken"
            if self._left <= 0:
                return "late"
            if self._holder or (self._wanted and self._wanted[0] != viewer):
                return "held"
            self._wanted = self._wanted or (viewer, person, now())
            if not self._is_open:
                return "soon"
            self._granted()
            self._messages.put(("taken", None))
            return "taken"

    def holds(self, viewer: str) -> bool:
        """Tell whether what a viewer does may reach the machine: they hold it, and it is not called back."""
        with self._lock:
            return bool(viewer) and self._holder == viewer and self._recalled != viewer

    def picture(self, viewer: str) -> bytes | None:
        """Return the screen (PNG) before what the holder does now; None if the viewer may do nothing.

        After a fault of the machine it is the last screen: the next step meets the fault.
        """
        if not self.holds(viewer):
            return None
        with self._looking, contextlib.suppress(MachineError):
            self._picture = self._environment.desktop.client.observe(["screenshot"]).screenshot or self._picture
        return self._picture

    def acted(self, viewer: str, action: Action, at: datetime, picture: bytes) -> bool:
        """Keep an act of the holder, with the screen before it; False if the viewer does not hold the machine."""
        return self._put(viewer, "acted", Act(at, action, picture))

    def noted(self, viewer: str, events: Sequence[Event]) -> bool:
        """Keep events that the machine got from its holder; False if the viewer does not hold the machine."""
        with self._lock:
            if not viewer or self._holder != viewer:
                return False
            self.events += lines(events, None if self._about["is_demonstration"] else len(self.interventions) + 1)
            return True

    def back(self, viewer: str, note: str = "") -> bool:
        """Take the machine back from its holder, with a note for the agent; False if the viewer does not hold it."""
        with self._lock:
            if self._wanted and self._wanted[0] == viewer:
                self._wanted = None
            if not viewer or self._holder != viewer:
                return False
            self._holder, self._phase = "", "person" if self._about["is_demonstration"] else "agent"  # what they do from now on does not count
        self._messages.put(("back", note.strip()))
        return True

    def finish(self, viewer: str, end: End) -> bool:
        """End the episode that the holder plays; False if the viewer does not hold the machine, or an agent plays."""
        return bool(self._about["is_demonstration"]) and self._put(viewer, "end", end)

    def _put(self, viewer: str, kind: str, content: Any) -> bool:
        with self._lock:
            if not viewer or self._holder != viewer:
                return False
            self._messages.put((kind, content))
            return True

    # within

    def _granted(self) -> bool:
        """Give the machine to who wants it, and tell whether somebody does. The caller has the lock."""
        if self._wanted is None:
            return False
        self._holder, self._person, self._wanted_at = self._wanted
        self._is_held, self._recalled = True, ""
        self._granted_at, self._wanted, self._is_open, self._phase = now(), None, False, "person"
        return True

    def _somebody_comes(self, seconds: float) -> bool:
        """Wait until somebody takes over; tell whether that happened in time."""
        try:
            self._messages.get(timeout=seconds)
        except queue.Empty:
            with self._lock:
                self._is_open = False
                return self._is_held
        return True

    def _message(self, until: float) -> tuple[str, Any] | None:
        """Return the next message of people. After the time, the holder is told to let go, and what they did until then still comes; None then."""
        with contextlib.suppress(queue.Empty):
            return self._messages.get(timeout=max(0.0, until - time.monotonic()))
        with self._lock:
            self._recalled = self._holder or self._recalled
            if not self._holder:
                return None
        with contextlib.suppress(queue.Empty):
            return self._messages.get(timeout=max(0.0, until + _RECALL_SECONDS - time.monotonic()))
        return None

    def _held(self, intervention: Intervention) -> Intervention:
        """Keep what the holder does until they hand the machine back, or until the time for people is over."""
        intervention.person = self._person or "somebody"
        until = time.monotonic() + self._left
        while (message := self._message(until)) is not None:
            kind, content = message
            if kind == "acted":
                intervention.acts.append(content)
            if kind == "back":
                intervention.note = content
                break
        self._left = max(0.0, until - time.monotonic())
        return self._ended(intervention)

    def _ended(self, intervention: Intervention) -> Intervention:
        with self._lock:
            self._holder, self._asked, self._phase, self._is_held = "", None, "agent", False
        intervention.ended_at = now()
        self.interventions.append(intervention)
        return intervention

    def _new(self, initiated_by: Initiator, began: datetime, **more: Any) -> Intervention:
        return replace(Intervention(len(self.interventions) + 1, self._step, initiated_by, began), **more)
