"""The options of runs, and the parts that selectors are made with."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from atomic_tasks.pinned import Candidates
from eval_flows.datasets import Dataset
from eval_flows.selection.tasks import SplitChoice
from language_models.client import Client
from language_models.endpoint import Endpoint
from retrieval.embedder import DEFAULT_EMBEDDER

Reply = Literal["text", "schema"]
Choose = Literal["one", "set"]
ExampleChoice = Literal["fixed", "nearest"]
Note = Callable[[str, int, int], None]


@dataclass(frozen=True)
class Choices:
    """The choices of a person for the runs of one command: the options of `deskmill select`.

    `cards` is None for all cards, `pool` the name of another dataset to learn from; `with_singletons` lets the graph protocol also answer tasks of
    one application, as graphs of one node.
    """

    limit: int | None = None
    split: SplitChoice = "test"
    seed: int = 0
    embedder: str = DEFAULT_EMBEDDER
    endpoint: Endpoint | None = None
    reply: Reply = "text"
    choose: Choose = "one"
    examples: int = 5
    example_choice: ExampleChoice = "fixed"
    cards: int | None = 10
    with_singletons: bool = False
    pool: str | None = None
    budget: float | None = None
    replay: bool = False
    batch: bool = False


@dataclass(frozen=True)
class SelectorOptions:
    """The parts that selectors are made with: the choices, and the objects that they name. Selectors learn from the train split of `pool`."""

    candidates: Candidates
    pool: Dataset
    vectors: Path
    choices: Choices = Choices()
    client: Client | None = None
    note: Note = lambda stage, done, total: None
