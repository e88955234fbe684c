"""The interface of every selector, and its predictions."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from eval_flows.selection.tasks import Task

Status = Literal["answered", "not_in_list", "refused", "empty", "truncated", "failed", "not_applicable"]
AnswerKind = Literal["application", "set", "graph"]


@dataclass(frozen=True)
class Prediction:
    """One prediction: a candidate, or None with a status that says why. A set has all of its applications, a graph its nodes and edges."""

    application: str | None
    status: Status
    latency_ms: float = 0.0
    cost_usd: float = 0.0
    applications: tuple[str, ...] = ()
    edges: tuple[tuple[int, int], ...] = ()
    retrieved: tuple[str, ...] = ()
    said: str | None = None
    calls: tuple[str, ...] = ()
    input_tokens: int = 0
    output_tokens: int = 0


class Selector(Protocol):
    """Chooses applications for tasks."""

    @property
    def model(self) -> str:
        """Return the name of the model or baseline."""
        ...

    @property
    def prompt(self) -> str | None:
        """Return a hash of the prompt templates; None if no language model is asked."""
        ...

    @property
    def sampling(self) -> str:
        """Return everything else that decides the answers (seeds, options, hashes of data), for the run's identity."""
        ...

    @property
    def answer_kind(self) -> AnswerKind:
        """Return the kind of answer."""
        ...

    @property
    def learnt_from(self) -> frozenset[str]:
        """Return the lineage of every task that the selector learnt from; a run refuses to score a task that shares some of it."""
        ...

    def select(self, tasks: Sequence[Task]) -> Iterator[Prediction]:
        """Yield one answer for each task, in order."""
        ...


class LocalSelector:
    """Base of selectors that ask no language model and learn from no task."""

    prompt: str | None = None
    answer_kind: AnswerKind = "application"
    learnt_from: frozenset[str] = frozenset()
