"""The errors of models. Their text is shown to the user, and the exit code is 2."""

from dataclasses import dataclass
from typing import Literal

Kind = Literal["again", "give_up", "stop"]
Excess = Literal["request", "picture"]  # what was too much: the request for the model's context, or one of its pictures for the server


@dataclass(frozen=True)
class Failure:
    """What to do after a failed call, and why. A request that was refused or timed out can itself be the cause, and not the endpoint.

    `excess` says what of the request was too much, if that is why: a smaller one can succeed.
    """

    kind: Kind
    words: str
    overloaded: bool = False
    unreachable: bool = False
    timed_out: bool = False
    excess: Excess | None = None
    retry_after: float | None = None  # seconds that the server asked for

    @property
    def is_of_endpoint(self) -> bool:
        """Tell whether the endpoint failed, so that the next request would fail too."""
        return self.kind != "give_up" and not self.timed_out


class ModelError(Exception):
    """A model cannot be asked. The text says why and what to do, and never holds a key."""


class RequestFailed(ModelError):
    """The endpoint refused or never answered a request, and has answered no other yet. `is_its_own`: another request can succeed.

    `excess` says what of the request was too much, if that is why: a smaller one can succeed.
    """

    def __init__(self, words: str, *, is_its_own: bool, excess: Excess | None = None) -> None:
        super().__init__(words)
        self.is_its_own = is_its_own
        self.excess = excess


class OutOfTime(ModelError):
    """The model took more time than the caller allows."""


class BudgetReached(ModelError):
    """The next call can cost more than is left of the budget. All earlier calls are kept."""


class FailedReply(ValueError):
    """The server sent an error as its reply. `can_help` tells whether asking again can help; `code` is the server's word for the error."""

    def __init__(self, words: str, *, can_help: bool, code: str = "") -> None:
        super().__init__(words)
        self.can_help = can_help
        self.code = code
