"""The errors of models. Their text is shown to the user, and the exit code is 2."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["again", "give_up", "stop"]


@dataclass(frozen=True)
class Failure:
    """What to do after a failed call, and why. A request that was refused or timed out can itself be the cause, and not the endpoint."""

    kind: Kind
    words: str
    overloaded: bool = False
    unreachable: bool = False
    timed_out: bool = False
    too_long: bool = False
    retry_after: float | None = None  # seconds that the server asked for

    @property
    def is_of_endpoint(self) -> bool:
        """Tell whether the endpoint failed, so that the next request would fail too."""
        return self.kind != "give_up" and not self.timed_out


class ModelError(Exception):
    """A model cannot be asked. The text says why and what to do, and never holds a key."""


class RequestFailed(ModelError):
    """The endpoint refused or never answered a request, and has answered no other yet. `is_its_own`: another request can succeed."""

    def __init__(self, words: str, *, is_its_own: bool) -> None:
        super().__init__(words)
        self.is_its_own = is_its_own


class OutOfTime(ModelError):
    """The model took more time than the caller allows."""


class BudgetReached(ModelError):
    """The next call can cost more than is left of the budget. All earlier calls are kept."""
