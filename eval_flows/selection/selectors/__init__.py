"""Selectors by the protocol that they implement."""

from collections.abc import Callable

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput, suggestion
from eval_flows.selection.selectors.answer import Answer, Selector, SelectorOptions

__all__ = ["PROTOCOLS", "Answer", "Selector", "SelectorOptions", "check_protocol", "make_selector"]


def _random(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.random import RandomSelector

    return RandomSelector(options.candidates, options.seed)


def _heuristic(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.heuristic import HeuristicSelector, read_lexicons

    return HeuristicSelector(read_lexicons(), options.candidates)


def _nearest(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.nearest import NearestSelector
    from retrieval.cards import card
    from retrieval.embedder import Embedder

    return NearestSelector({name: card(catalog.applications[name]) for name in options.candidates}, Embedder(options.embedder))


PROTOCOLS: dict[str, Callable[[Catalog, SelectorOptions], Selector]] = {"random": _random, "heuristic": _heuristic, "nearest": _nearest}


def make_selector(protocol: str, catalog: Catalog, options: SelectorOptions) -> Selector:
    """The selector of a protocol."""
    check_protocol(protocol)
    return PROTOCOLS[protocol](catalog, options)


def check_protocol(protocol: str) -> None:
    """BadInput for a protocol that there is not."""
    if protocol not in PROTOCOLS:
        raise BadInput(f"no protocol '{protocol}'{suggestion(protocol, PROTOCOLS)} (protocols: {', '.join(PROTOCOLS)})")
