"""The metrics of the two benchmarks with their mistakes, where ours differ: for comparison with published results."""

from eval_flows.episodes.osworld.metrics.metric import Metrics
from eval_flows.episodes.osworld.metrics.theirs.difference import Difference, TheirCrash, differences
from eval_flows.episodes.osworld.metrics.theirs.documents import DOCUMENTS
from eval_flows.episodes.osworld.metrics.theirs.nothing import NOTHING
from eval_flows.episodes.osworld.metrics.theirs.pictures import PICTURES
from eval_flows.episodes.osworld.metrics.theirs.tables import TABLES
from eval_flows.episodes.osworld.metrics.theirs.values import VALUES

DIFFERING: Metrics = {**VALUES, **TABLES, **DOCUMENTS, **PICTURES, **NOTHING}
"""Their metrics that differ from ours, by name; `differences()` says in words how."""

__all__ = ["DIFFERING", "Difference", "TheirCrash", "differences"]
