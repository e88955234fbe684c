"""What selectors are made with: the choices of a run that are not its dataset."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from eval_flows.datasets import Dataset
from language_models.client import Client

Reply = Literal["text", "schema"]
Choose = Literal["one", "set"]
ExampleChoice = Literal["fixed", "nearest"]
Note = Callable[[str, int, int], None]


@dataclass(frozen=True)
class SelectorOptions:
    """The options of `deskmill select`. `cards` is None for all of them; `pool` is the dataset whose train split examples come from;
    `with_singletons` lets the graph protocol answer tasks of one application too, which are graphs of one node.
    """

    candidates: tuple[str, ...]
    pool: Dataset
    vectors: Path
    embedder: str
    seed: int = 0
    reply: Reply = "text"
    choose: Choose = "one"
    examples: int = 5
    example_choice: ExampleChoice = "fixed"
    cards: int | None = 10
    with_singletons: bool = False
    client: Client | None = None
    note: Note = lambda stage, done, total: None
