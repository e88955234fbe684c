"""The scores that a person sees when runs are done: one query for each kind of answer, in `sql/run_scores/`."""

from collections.abc import Mapping
from pathlib import Path

_QUERIES = Path(__file__).parent / "sql" / "run_scores"
_SCORED = {"accuracy": {"application", "set"}, "set_scores": {"set"}, "graph_scores": {"graph"}}  # kinds of answer, by the query that scores them


def score_queries(answer_kinds: Mapping[str, str]) -> list[str]:
    """Return the queries that score runs; `answer_kinds` maps run ids to kinds of answer."""
    ids = ", ".join(f"'{run_id}'" for run_id in answer_kinds)
    shown = [query for query, kinds in _SCORED.items() if not kinds.isdisjoint(answer_kinds.values())]
    return [(_QUERIES / f"{query}.sql").read_text().format(runs=ids) for query in shown]
