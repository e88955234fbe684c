"""The scores of runs, as a person sees them when the runs are done: a query for each kind of answer among them, in `sql/run_scores/`."""

from collections.abc import Mapping
from pathlib import Path

_QUERIES = Path(__file__).parent / "sql" / "run_scores"
_SCORED = {"accuracy": {"application", "set"}, "set_scores": {"set"}, "graph_scores": {"graph"}}  # kinds of answer, by the query that scores them


def score_queries(answer_kinds: Mapping[str, str]) -> list[str]:
    """The queries for runs, of which the kind of answer is given by their ids."""
    ids = ", ".join(f"'{run_id}'" for run_id in answer_kinds)
    shown = [query for query, kinds in _SCORED.items() if not kinds.isdisjoint(answer_kinds.values())]
    return [(_QUERIES / f"{query}.sql").read_text().format(runs=ids) for query in shown]
