"""What goes wrong with a model; its text goes to the user and the exit code is 2."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["again", "give_up", "stop"]


@dataclass(frozen=True)
class Failure:
    """What to do after a failed call, and why. It lies in the request itself where that was refused or timed out, and not in the endpoint."""

    kind: Kind
    words: str
    overloaded: bool = False
    unreachable: bool = False
    timed_out: bool = False
    too_long: bool = False
    retry_after: float | None = None  # seconds, as the server asked

    @property
    def is_of_endpoint(self) -> bool:
        """Whether the endpoint failed, so that the next request would fare no better."""
        return self.kind != "give_up" and not self.timed_out


class ModelError(Exception):
    """A model that cannot be asked, with the remedy in words; never with a key."""


class RequestFailed(ModelError):
    """One request that the endpoint refused or never answered, while it has answered no other yet; `is_its_own` where another may well succeed."""

    def __init__(self, words: str, *, is_its_own: bool) -> None:
        super().__init__(words)
        self.is_its_own = is_its_own


class OutOfTime(ModelError):
    """The time that the caller allows the model is over."""


class BudgetReached(ModelError):
    """The next call might cost more than the budget leaves; every call made until then is kept."""
