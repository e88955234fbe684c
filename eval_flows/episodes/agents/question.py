"""A question of an agent to the process that holds the model's client, and the reply. Both travel between processes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from language_models.chat import Answer, Request
from language_models.errors import Excess

NoAnswer = Literal["model failed", "out of time", "safety check"]


@dataclass(frozen=True)
class Question:
    """A request, and the seconds of the model's time that the episode has left."""

    request: Request
    seconds: float


@dataclass(frozen=True)
class Told:
    """The answer and the seconds that the model took. Without an answer, `status` and `why` say what happened to the question.

    `excess` says what of it was too much, if that is why: a smaller one can succeed.
    """

    answer: Answer
    seconds: float
    status: NoAnswer | None = None
    why: str = ""
    excess: Excess | None = None


Ask = Callable[[Question], Told]
