"""Evaluate selection: run several protocols over one dataset, then load the warehouse. Command line and flow share one function."""

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from atomic_tasks.catalog import Catalog, sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import Dataset, open_dataset
from eval_flows.progress import Progress
from eval_flows.selection.run import Run, run_selection, tasks_to_score
from eval_flows.selection.selectors import PROTOCOLS, SelectorOptions, find_protocol, make_selector
from eval_flows.selection.selectors.language_model import ModelSelector
from eval_flows.selection.selectors.options import Choices
from eval_flows.selection.tasks import Task
from language_models.client import Client, Endpoint, Estimate, Mode
from language_models.errors import BudgetReached
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse
from warehouse.run_scores import score_queries

__all__ = ["Choices", "Evaluated", "Expected", "evaluate_selection", "expect_calls"]


@dataclass(frozen=True)
class Evaluated:
    """The runs, in the order of the protocols, and why they ended early, if they did."""

    runs: list[Run]
    ended_early: str | None

    @property
    def tables(self) -> list[str]:
        """Return the queries that show the scores, for the kinds of answer of these runs."""
        return score_queries({run.run_id: run.answer_kind for run in self.runs})


@dataclass(frozen=True)
class Expected:
    """Expected tokens and dollars of the calls of one protocol that are not in the cache; dollars are None if no price is known."""

    protocol: str
    calls: int
    input_tokens: int
    most_output_tokens: int
    most_dollars: float | None

    @classmethod
    def of(cls, protocol: str, estimate: Estimate, endpoint: Endpoint) -> "Expected":
        """Return the expected calls of an estimate, with the prices of an endpoint."""
        dollars = endpoint.cost(estimate.input_tokens, 0, estimate.most_output_tokens) if endpoint.prices else None
        return cls(protocol, estimate.calls, estimate.input_tokens, estimate.most_output_tokens, dollars)

    def __str__(self) -> str:
        dollars = "no price is known" if self.most_dollars is None else f"at most ${self.most_dollars:,.2f}"
        tokens = f"about {self.input_tokens:,} tokens in, at most {self.most_output_tokens:,} out"
        return f"{self.protocol}: {self.calls:,} calls, {tokens}, {dollars}"


def evaluate_selection(dataset: str, protocols: Sequence[str], data: DataFolder, progress: Progress, choices: Choices | None = None) -> Evaluated:
    """Run every protocol over the dataset's tasks and load the warehouse. The runs end cleanly when the budget is used up."""
    chosen = choices or Choices()
    catalog = sound_catalog()
    opened = open_dataset(dataset, data)
    protocols = list(dict.fromkeys(protocols))
    runs: list[Run] = []
    ended_early = None
    with _options(opened, protocols, data, progress, chosen) as options:
        try:
            for protocol in protocols:
                if chosen.batch and find_protocol(protocol).asks_a_model:
                    _answer_by_batch(opened, protocol, catalog, options, progress)
                runs.append(run_selection(opened, protocol, options, catalog, data, progress))
        except BudgetReached as reached:
            ended_early = str(reached)
        finally:
            load_warehouse(data)
    return Evaluated(runs, ended_early)


def expect_calls(dataset: str, protocols: Sequence[str], data: DataFolder, progress: Progress, choices: Choices) -> list[Expected]:
    """Return the expected calls of the protocols that are not in the cache yet; ask nothing."""
    catalog = sound_catalog()
    opened = open_dataset(dataset, data)
    expected = []
    for protocol in dict.fromkeys(protocols):
        with _options(opened, [protocol], data, progress, choices, dry=True) as options:
            asking = _ready_to_ask(opened, protocol, catalog, options)
            if asking is None:
                expected.append(Expected(protocol, 0, 0, 0, 0.0))
                continue
            selector, tasks = asking
            estimate = selector.client.estimate(tasks, selector.answer).times(selector.rounds)
            expected.append(Expected.of(protocol, estimate, selector.client.endpoint))
    return expected


@contextlib.contextmanager
def _options(dataset: Dataset, protocols: Sequence[str], data: DataFolder, progress: Progress, chosen: Choices,
             dry: bool = False) -> Iterator[SelectorOptions]:  # fmt: skip
    """Yield the selectors' options, with a client if a protocol asks a model; a `dry` client never asks."""
    asking = [protocol for protocol in protocols if find_protocol(protocol).asks_a_model]
    if asking and chosen.endpoint is None:
        raise BadInput(f"protocol {asking[0]} asks a language model: name one with --model (others need none: {', '.join(_local())})")
    pool = open_dataset(chosen.pool, data) if chosen.pool else dataset
    options = SelectorOptions(dataset.candidates, pool, data.vectors, chosen, note=progress)
    if not asking or chosen.endpoint is None:
        yield options
        return
    mode: Mode = "replay" if dry or chosen.replay else "ask"
    with Client(chosen.endpoint, data.model_calls, f"select {dataset.name}", budget=chosen.budget, mode=mode) as client:
        if mode == "ask":
            from language_models.check import check_endpoint

            check_endpoint(client)
        yield replace(options, client=client)


def _answer_by_batch(dataset: Dataset, protocol: str, catalog: Catalog, options: SelectorOptions, progress: Progress) -> None:
    """Ask the protocol's requests through the batch endpoint, and put the answers into the cache."""
    from language_models.batches import answer_by_batch

    asking = _ready_to_ask(dataset, protocol, catalog, options)
    if asking is not None:
        selector, tasks = asking
        answer_by_batch(selector.client, tasks, selector.answer, lambda done, total: progress(f"batch of {protocol}", done, total))


def _ready_to_ask(dataset: Dataset, protocol: str, catalog: Catalog, options: SelectorOptions) -> tuple[ModelSelector, list[Task]] | None:
    """Return the protocol's selector, with its prompts prepared, and the tasks that it asks about; None if it asks no model."""
    selector = make_selector(protocol, catalog, options)
    if not isinstance(selector, ModelSelector):
        return None
    tasks = tasks_to_score(dataset, protocol, options)
    selector.prepare(tasks)
    return selector, tasks


def _local() -> list[str]:
    return [name for name, protocol in PROTOCOLS.items() if not protocol.asks_a_model]
