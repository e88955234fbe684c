"""The graph selector: the applications that take part in a task, and their order (AppSelectBench, section 3)."""

from typing import Any

from eval_flows.selection.parser import read_graph
from eval_flows.selection.prompts import rendered
from eval_flows.selection.selectors.language_model import ModelSelector, object_schema, told
from eval_flows.selection.selectors.options import SelectorOptions
from eval_flows.selection.selectors.selector import AnswerKind, Prediction
from eval_flows.selection.tasks import Task
from language_models.client import Request

_TOKENS = 200


class GraphSelector(ModelSelector):
    """Asks for `{"nodes": [names], "edges": [[i, j]]}`, under a JSON schema or as text."""

    templates = ("graph_system", "graph_task")

    def __init__(self, options: SelectorOptions) -> None:
        super().__init__("graph", options)
        self.answer_kind: AnswerKind = "graph"
        self.decided_by(with_singletons=options.choices.with_singletons)
        self._system = rendered("graph_system", reply=options.choices.reply, candidates=options.candidates)

    async def answer(self, task: Task) -> Prediction:
        """Return the graph of one task."""
        request = Request.of(self._system, rendered("graph_task", text=task.text), self._schema(), temperature=0.0, max_tokens=_TOKENS)
        said = await self.client.ask(request)
        if said.status in {"failed", "refused"}:
            return told(said, Prediction(None, "failed" if said.status == "failed" else "refused"))
        nodes, edges, status = read_graph(said.text, said.status == "truncated", self.names)
        return told(said, Prediction(None, status, applications=nodes, edges=edges))

    def _schema(self) -> dict[str, Any] | None:
        if self.options.choices.reply != "schema":
            return None
        node = {"type": "string", "enum": list(self.options.candidates)}
        edge = {"type": "array", "items": {"type": "integer"}}
        return object_schema({"nodes": {"type": "array", "items": node}, "edges": {"type": "array", "items": edge}})
