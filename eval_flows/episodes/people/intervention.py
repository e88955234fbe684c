"""What a person did in an episode: an intervention with its acts, and the words about it for the agent and for the record."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Literal

from machines.actions import Action

Row = dict[str, Any]
Initiator = Literal["human", "agent"]
Help = Literal["actions", "words", "none"]


@dataclass(frozen=True)
class PeopleChoice:
    """How people take part in a run. `asks`: agents are offered the action ASK, and wait so many seconds for somebody to come.

    `most_seconds` limits the time that an episode gives to people: a takeover, and waiting for one, ends with it.
    """

    asks: bool = False
    wait_seconds: float = 300.0
    most_seconds: float = 3600.0
    person: str = ""

    @property
    def described(self) -> Row:
        """Return what of it belongs to the identity of a run: a run with people is never one without."""
        people = {"asks": self.asks, "wait_seconds": self.wait_seconds, "most_seconds": self.most_seconds}
        return {"people": people} | ({"person": self.person} if self.person else {})


def people_choice(people: bool, ask: bool, wait_seconds: float, people_seconds: float) -> PeopleChoice | None:
    """Return how people take part in a run of an agent; None if they do not. Asking implies people."""
    return PeopleChoice(ask, wait_seconds, people_seconds) if people or ask else None


@dataclass(frozen=True)
class Act:
    """An action of a person: when it began, and the screen before it (PNG; empty if the machine gave none)."""

    at: datetime
    action: Action
    picture: bytes


@dataclass
class Intervention:
    """A time in which a person had, or could have had, the machine of an agent. `step` is the one before which it came.

    `began_at` is when the person wanted the machine, or when the agent asked. `seconds` are all until it was handed back; of these,
    `waited_seconds` are those until the person had it. So a person worked for the difference.
    """

    number: int
    step: int
    initiated_by: Initiator
    began_at: datetime
    reason: str = ""
    request: str = ""
    person: str = ""
    note: str = ""
    waited_seconds: float = 0.0
    ended_at: datetime | None = None
    acts: list[Act] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Return how long it took."""
        return ((self.ended_at or now()) - self.began_at).total_seconds()

    @property
    def helped_in(self) -> Help:
        """Return what the help was."""
        return "actions" if self.acts else "words" if self.note else "none"

    @property
    def told(self) -> str:
        """Return what the agent is told."""
        if not self.person:
            return f"Nobody came within {self.seconds:.0f} seconds to help: go on alone."
        done = f"acted on the machine ({len(self.acts)} action{'s' * (len(self.acts) != 1)})" if self.acts else "changed nothing on the machine"
        who = "The person whom you asked" if self.initiated_by == "agent" else "A person took over and"
        return f"{who} {done}.{f' They say: {self.note}' if self.note else ''}"

    def row(self, episode_id: str, repeat: int) -> Row:
        """Return it as a trajectory keeps it."""
        assert self.ended_at is not None
        return {
            "intervention_id": f"{episode_id}_{repeat}_{self.number}",
            "step": self.step,
            "initiated_by": self.initiated_by,
            "person": self.person,
            "reason": self.reason,
            "request": self.request,
            "note": self.note,
            "began_at": written(self.began_at),
            "ended_at": written(self.ended_at),
            "seconds": round(self.seconds, 3),
            "waited_seconds": round(self.waited_seconds, 3),
            "actions": len(self.acts),
            "helped_in": self.helped_in,
            "acts": [
                {"number": number, "at": written(act.at), "action": str(act.action), "picture": self.picture_name(number) if act.picture else None}
                for number, act in enumerate(self.acts, 1)
            ],
        }

    def picture_name(self, number: int) -> str:
        """Return the name of the file with the screen before an act."""
        return f"person_{self.number}_{number:03}.png"


def pictures_of(interventions: Sequence[Intervention]) -> dict[str, bytes]:
    """Return the pictures of all acts by the name of their file."""
    return {one.picture_name(number): act.picture for one in interventions for number, act in enumerate(one.acts, 1) if act.picture}


def now() -> datetime:
    """Return the time in UTC."""
    return datetime.now(UTC)


def written(moment: datetime) -> str:
    """Return a time as records hold it: ISO 8601 with milliseconds."""
    return moment.isoformat(timespec="milliseconds")
