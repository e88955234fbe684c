"""Evaluating selection: runs of several protocols over one dataset, then the warehouse. One function for command line and flow."""

from collections.abc import Sequence

from atomic_tasks.catalog import Catalog, read_catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import open_dataset
from eval_flows.selection.run import Progress, Run, SplitChoice, run_selection
from eval_flows.selection.selectors import SelectorOptions, check_protocol
from retrieval.embedder import DEFAULT_EMBEDDER
from warehouse.layout import DataFolder
from warehouse.loader import load_warehouse


def sound_catalog() -> Catalog:
    """The catalog, if its files are in order; which rules hold was checked when the dataset was built."""
    catalog, problems = read_catalog()
    if problems:
        raise BadInput(problems)
    return catalog


def evaluate_selection(dataset: str, protocols: Sequence[str], data: DataFolder, progress: Progress, *, limit: int | None = None,
                       split: SplitChoice = "test", seed: int = 0, embedder: str = DEFAULT_EMBEDDER) -> list[Run]:  # fmt: skip
    """Run every protocol over the dataset's tasks and load the warehouse; the runs in the order of the protocols."""
    catalog = sound_catalog()
    opened = open_dataset(dataset, data, catalog)
    for protocol in protocols:
        check_protocol(protocol)
    options = SelectorOptions(opened.candidates, seed, embedder)
    runs = [run_selection(opened, protocol, split, limit, options, catalog, data, progress) for protocol in dict.fromkeys(protocols)]
    load_warehouse(data)
    return runs
