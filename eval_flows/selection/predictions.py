"""Turn answers into predictions, with their scores."""

from collections.abc import Collection, Mapping
from dataclasses import asdict
from typing import Any

from eval_flows.selection.graphs import Graph, TrueGraph, score_graph
from eval_flows.selection.selectors import AnswerKind, Prediction
from eval_flows.selection.tasks import Task

Row = Mapping[str, Any]
_GRAPH_SCORES = ("node_precision", "node_recall", "node_f1", "edge_f1", "kendall_tau", "is_exact")


def prediction(run_id: str, position: int, task: Task, answer: Prediction, kind: AnswerKind, candidates: Collection[str]) -> Row:
    """Return the row of one answer. Only candidates of the run count as valid applications; a task without one does not apply."""
    scores = _graph_scores(task, answer, candidates) if kind == "graph" else _scores(task, answer, candidates)
    return {
        "run_id": run_id,
        "task_id": task.task_id,
        "position": position,
        "predicted_application": answer.application,
        "predicted_applications": list(answer.applications or ((answer.application,) if answer.application else ())),
        "predicted_edges": [{"source": source, "target": target} for source, target in answer.edges],
        "status": answer.status,
        "retrieved": list(answer.retrieved),
        "said": answer.said,
        "calls": list(answer.calls),
        "input_tokens": answer.input_tokens,
        "output_tokens": answer.output_tokens,
        "latency_ms": answer.latency_ms,
        "cost_usd": answer.cost_usd,
        **scores,
    }


def _scores(task: Task, answer: Prediction, candidates: Collection[str]) -> Row:
    valid = set(task.valid_applications) & set(candidates)
    return {"is_correct": answer.application in valid} if valid else {"status": "not_applicable", "is_correct": None}


def _graph_scores(task: Task, answer: Prediction, candidates: Collection[str]) -> Row:
    nodes = tuple(node & frozenset(candidates) for node in task.nodes)
    if not nodes or not all(nodes):
        return {"status": "not_applicable", "is_correct": None}
    score = asdict(score_graph(Graph(answer.applications, answer.edges), TrueGraph(nodes, task.edges)))
    return {name: score[name] for name in _GRAPH_SCORES} | {"is_correct": score["is_exact"]}
