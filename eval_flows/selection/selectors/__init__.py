"""The protocols, and the selector of each."""

from collections.abc import Callable
from dataclasses import dataclass

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput, suggestion
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.selector import AnswerKind, Prediction, Selector
from eval_flows.selection.tasks import Shapes

__all__ = ["PROTOCOLS", "AnswerKind", "Prediction", "Protocol", "Selector", "SelectorOptions", "find_protocol", "make_selector"]


@dataclass(frozen=True)
class Protocol:
    """A way to choose: its selector, whether it asks a language model, and which tasks it is for."""

    make: Callable[[Catalog, SelectorOptions], Selector]
    asks_a_model: bool = False
    for_graphs: bool = False

    def shapes(self, with_singletons: bool) -> Shapes:
        """Return the shapes of the tasks that a run of the protocol scores."""
        return "singletons" if not self.for_graphs else "all" if with_singletons else "graphs"


def _random(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.random import RandomSelector

    return RandomSelector(list(options.candidates), options.choices.seed)


def _heuristic(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.heuristic import HeuristicSelector, read_lexicons

    return HeuristicSelector(read_lexicons(), list(options.candidates))


def _nearest(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.nearest import NearestSelector
    from eval_flows.selection.selectors.shown import cards_of
    from retrieval.embedder import Embedder

    return NearestSelector(cards_of(catalog, options.candidates), Embedder(options.choices.embedder))


def _knn(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.knn import KnnSelector
    from eval_flows.selection.selectors.pool import read_pool
    from retrieval.embedder import Embedder

    return KnnSelector(read_pool(options), Embedder(options.choices.embedder), options)


def _linear(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.linear import LinearSelector
    from eval_flows.selection.selectors.pool import read_pool
    from retrieval.embedder import Embedder

    return LinearSelector(read_pool(options), Embedder(options.choices.embedder), options)


def _zero_shot(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.language_model import ChoosingSelector

    return ChoosingSelector("zero_shot", options)


def _few_shot(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.shown import few_shot

    return few_shot(options)


def _ras(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.shown import ras

    return ras(catalog, options)


def _hierarchical(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.hierarchical import HierarchicalSelector

    return HierarchicalSelector(options)


def _graph(catalog: Catalog, options: SelectorOptions) -> Selector:
    from eval_flows.selection.selectors.graph import GraphSelector

    return GraphSelector(options)


PROTOCOLS = {
    "random": Protocol(_random),
    "heuristic": Protocol(_heuristic),
    "nearest": Protocol(_nearest),
    "knn": Protocol(_knn),
    "linear": Protocol(_linear),
    "zero_shot": Protocol(_zero_shot, asks_a_model=True),
    "few_shot": Protocol(_few_shot, asks_a_model=True),
    "ras": Protocol(_ras, asks_a_model=True),
    "hierarchical": Protocol(_hierarchical, asks_a_model=True),
    "graph": Protocol(_graph, asks_a_model=True, for_graphs=True),
}


def make_selector(protocol: str, catalog: Catalog, options: SelectorOptions) -> Selector:
    """Return the selector of a protocol."""
    return find_protocol(protocol).make(catalog, options)


def find_protocol(name: str) -> Protocol:
    """Return the protocol with that name; BadInput if there is none."""
    if name not in PROTOCOLS:
        raise BadInput(f"no protocol '{name}'{suggestion(name, PROTOCOLS)} (protocols: {', '.join(PROTOCOLS)})")
    return PROTOCOLS[name]
