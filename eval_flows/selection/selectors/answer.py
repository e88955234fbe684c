"""What every selector takes and answers."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from eval_flows.selection.tasks import Task

Status = Literal["answered", "not_in_list", "refused", "empty", "truncated", "failed", "not_applicable"]
AnswerKind = Literal["application", "set", "graph"]


@dataclass(frozen=True)
class Answer:
    """One answer: an application of the candidates, or none and why. A set has all of its applications, a graph its nodes and edges."""

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
        """What answers: a model's name, or what stands in for one."""
        ...

    @property
    def prompt(self) -> str | None:
        """A hash of the prompt templates, where a language model is asked."""
        ...

    @property
    def sampling(self) -> str:
        """Everything else that decides the answers (seeds, options, hashes of data), for the run's identity."""
        ...

    @property
    def answer_kind(self) -> AnswerKind:
        """What an answer is."""
        ...

    @property
    def learnt_from(self) -> frozenset[str]:
        """The lineage of every task that the selector has seen; a run refuses to score a task that shares some of it."""
        ...

    def select(self, tasks: Sequence[Task]) -> Iterator[Answer]:
        """One answer for each task, in order, as they come."""
        ...


class LocalSelector:
    """What selectors that ask no language model and learn from no task have in common."""

    prompt: str | None = None
    answer_kind: AnswerKind = "application"
    learnt_from: frozenset[str] = frozenset()
