"""What every selector takes and answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

Status = Literal["answered", "not_in_list", "refused", "empty", "truncated", "failed", "not_applicable"]


@dataclass(frozen=True)
class Answer:
    """One answer: an application of the candidates, or none and why."""

    application: str | None
    status: Status
    latency_ms: float = 0.0
    cost_usd: float = 0.0


@dataclass(frozen=True)
class SelectorOptions:
    """What a selector is made with."""

    candidates: tuple[str, ...]
    seed: int
    embedder: str


class Selector(Protocol):
    """Chooses an application for each text."""

    @property
    def model(self) -> str:
        """What answers: a model's name, or what stands in for one."""
        ...

    @property
    def sampling(self) -> str:
        """Everything else that decides the answers (seed, hashes of data), for the run's identity."""
        ...

    def select(self, task_ids: Sequence[str], texts: Sequence[str]) -> list[Answer]:
        """One answer for each task, in order."""
        ...
