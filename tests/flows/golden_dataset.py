"""A golden dataset: three applications that depend on the code alone, built through the late stage and the paraphrase stage.

The catalog is such that every refusal of the late stage comes up, and the recorded rewriter such that the check of paraphrases
accepts some and refuses others.
"""

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any
from unittest.mock import patch

from atomic_tasks.arguments.worlds import Table, World
from atomic_tasks.catalog import Catalog
from atomic_tasks.checkers import Checkers
from atomic_tasks.schema import Application, CandidateList, Capability, Kinds
from atomic_tasks.value_schema import Pool
from compositions.schema import Workflow
from flows.assemble import judged
from flows.jobs import shard_jobs, wanted_rows
from flows.paraphrase import paraphrase_shards
from flows.publish import data_files, write_dataset
from flows.recipe import Paraphrasing, Recipe, read_recipe
from flows.shard import make_shard, text_key
from flows.statistics import statistics
from language_models.chat import Answer, Request
from narrators.styles import read_styles
from tests.conftest import quiet
from warehouse.layout import DataFolder

CAPABLE = {"a.open": ("golden", "silver", "bronze"), "a.sum": ("golden", "silver"), "a.send": ("golden", "bronze"), "a.print": ("silver",)}
CAPABLE |= {"a.tint": ("golden",), "a.plan": ("bronze",), "a.fold": ("silver",)}
REASON = "For the golden dataset."


def golden_dataset(folder: Path) -> dict[str, str]:
    """The hashes of what each stage after the shards makes, by its name."""
    data = DataFolder(folder)
    catalog, workflows, recipe = golden_catalog(), golden_workflows(), golden_recipe()
    shards = [make_shard(job, data.shards) for job in shard_jobs(catalog, workflows, read_styles(), recipe)]
    narrated = [data.shards / f"{shard.address}.parquet" for shard in shards]
    with patch("flows.paraphrase.Client", RecordedRewriter):
        said_again = list(
            paraphrase_shards(
                shards, Paraphrasing(model="recorded", base_url="http://recorded/v1", rate=0.8), catalog, workflows, data, quiet
            ).values()
        )
    return {
        "late_stage": _late_stage(narrated, folder / "narrated", catalog, workflows, recipe),
        "paraphrased_shards": _sha256(path.read_bytes() for path in said_again),
    }


def _late_stage(shards: list[Path], folder: Path, catalog: Catalog, workflows: dict[str, Workflow], recipe: Recipe) -> str:
    """The hash of all files of rows and of the statistics."""
    found = judged(shards, catalog, recipe, wanted_rows(workflows, catalog, recipe))
    folder.mkdir()
    write_dataset(folder, shards, found, catalog)
    stages = {"near_duplicates", "valid_applications", "duplicates", "recurrences", "quota"}
    assert stages == set(found.rejected), f"not all that can be refused is: {found.rejected}"
    said = json.dumps([found.rejected, statistics(data_files(folder), catalog.tasks), found.missing], sort_keys=True).encode()
    return _sha256([*(path.read_bytes() for path in sorted(folder.rglob("*.parquet"))), said])


def _sha256(parts: Iterable[bytes]) -> str:
    content = hashlib.sha256()
    for part in parts:
        content.update(part)
    return content.hexdigest()


def golden_recipe() -> Recipe:
    """A recipe under which every refusal of the late stage comes up."""
    tiny = read_recipe("tiny")[1]
    shares = {"dev": 0.3, "test": 0.3}
    return Recipe.model_validate(
        tiny.model_dump() | {"candidates": "metals", "tasks": 250, "graph_tasks": 40, "spare": 0.4, "recurrences": 6, "splits": shares}
    )


_WORLD = World(
    id="foundry",
    who="bookkeeper of a small foundry",
    values={"person": ("Ada Stone", "Ben Forge")},
    tables=(Table(file="castings.xlsx", columns=("Alloy", "Weight"), numbers=("Weight",), groups=("Alloy",), sheets=("May",)),),
)


def golden_catalog() -> Catalog:
    """Applications of the code's own; one capability is listed for others than the application that has a task of it, so that rows are unfit."""
    applications = [_application(name) for name in ("golden", "silver", "bronze")]
    return Catalog(
        applications={application.application: application for application in applications},
        capabilities={name: Capability(applications=capable, reason=REASON) for name, capable in CAPABLE.items()},
        candidates={"metals": CandidateList(title="Metals", description=REASON, applications=("golden", "silver", "bronze"))},
        categories=("Metals", "Others"),
        pools=(Pool(columns=("golden_column",), later={"golden_column": ("that column",)}, values=tuple((name,) for name in _COLUMNS)),),
        worlds=(_WORLD,),
        kinds=Kinds.model_validate(
            {"vendors": ("Acme",), "kinds": {"metal": {"applications": ("golden", "silver"), "say": ("in my metal program",)}}}
        ),
        checkers=Checkers(makers={}, getters={}, metrics={}, changes={}, oracle={}),
        sources={},
    )


_COLUMNS = ("Revenue", "Cost", "Tax", "Net", "Margin", "Freight", "Rent", "Wages")


def _application(name: str) -> Application:
    """An application whose tasks are worded alike in all of them, so that the same text comes from two."""
    of_its_own = {"golden": "tint", "silver": "fold", "bronze": "plan"}[name]
    described = {"title": name.title(), "vendor": "Acme", "kind": "metal program", "platform": "windows", "category": "Metals"}
    extra = {"description": "A metal.", "features": ("a", "b", "c"), "typical_scenarios": ("d", "e", "f")}
    tasks = [
        _task(name, "open", ["open {workbook}", "bring up {workbook}", "I need {workbook}."], gives=["open(workbook)"], generic=True),
        _task(name, "sum", ["add up {column} in {workbook}", "total {column}, {workbook}", "What does {column} in {workbook} come to?"], column=True),
        _task(name, "send", ["send {workbook} round", "mail {workbook} to the team", "Does everyone have {workbook}?"]),
        _task(name, "print", ["print what I have here", "put this on paper for me", "I need this on paper."], bare=True),
        _task(
            name,
            of_its_own,
            [
                f"{of_its_own} {{column}} of {{workbook}}",
                f"{of_its_own} {{column}}, {{workbook}}",
                f"Why did nobody {of_its_own} {{column}} of {{workbook}}?",
            ],
            column=True,
        ),
    ]
    return Application.model_validate({"application": name, **described, **extra, "tasks": tasks})


def _task(application: str, name: str, say: list[str], column: bool = False, bare: bool = False, **more: Any) -> dict[str, Any]:
    arguments = {} if bare else {"workbook": "spreadsheet_file", **({"column": "golden_column"} if column else {})}
    needs = [] if bare or "gives" in more else ["open(workbook)"]
    return {
        "id": f"{application}.{name}",
        "title": name.title(),
        "capability": f"a.{name}",
        "arguments": arguments,
        "needs": needs,
        "say": say,
        **more,
    }


def golden_workflows() -> dict[str, Workflow]:
    """One within an application, one across two in a row, and one whose parts may come in any order."""
    goal = {"say": ["have {workbook} ready", "Is {workbook} ready?"]}
    declared: list[dict[str, Any]] = [
        {"id": "own", "goal": {"capability": "a.sum", **goal}, "steps": [{"task": "golden.open"}, {"task": "golden.sum"}, {"task": "golden.tint"}]},
        {"id": "in_a_row", "goal": goal, "steps": [{"task": "golden.open"}, {"task": "golden.tint", "label": "first"}, {"task": "bronze.open"}, {"task": "bronze.plan", "after": ["first"]}]},
        {"id": "side_by_side", "goal": goal, "steps": [{"task": "silver.open"}, {"task": "silver.fold"}, {"task": "bronze.open"}, {"task": "bronze.plan"}]},
    ]  # fmt: skip
    return {each["id"]: Workflow.model_validate(each) for each in declared}


class RecordedRewriter:
    """Stands for the client of a model that says some texts again faithfully, and others not."""

    def __init__(self, *described: Any) -> None:
        self.ask = None

    def __enter__(self) -> "RecordedRewriter":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        pass

    def each(self, requests: Iterable[Request], ask: Callable[..., Any] | None) -> Iterator[Answer]:
        """An answer to each request, which follows from its text."""
        for request in requests:
            text = re.search(r"^Text: (.*)$", request.messages[1].text, re.MULTILINE)
            steps = re.findall(r"^\d+\. (.*)$", request.messages[1].text, re.MULTILINE)
            assert text
            again = f"{text[1]} Thanks." if text[1].endswith(("?", "!")) else f"{text[1].rstrip('.')}, thanks."
            number = text_key(text[1])
            said = ["all the same to me, thanks", text[1], f"Sure! {text[1]}", *[again] * 7][number % 10]
            yield Answer(json.dumps({"text": said, "parts": steps}), "answered", call_id=f"{number % 2**64:016x}")
