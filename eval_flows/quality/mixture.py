"""A mixture: texts of a dataset and texts that people wrote, in one order, with ids that tell nothing of their origin."""

import json
from collections.abc import Iterator, Sequence
from operator import attrgetter
from pathlib import Path
from typing import Any

import polars as pl

from atomic_tasks.problems import BadInput, Problem
from atomic_tasks.seeds import derive_seed
from eval_flows.datasets import Dataset
from eval_flows.quality.forms import MIXTURE
from eval_flows.quality.study import Study, Text, evenly, hashed, new_study
from warehouse.layout import DataFolder

Said = tuple[str, dict[str, Any]]  # a text of people, and what its file says besides


def draw_mixture(dataset: Dataset, data: DataFolder, people: Sequence[Said], seed: int, number: int, of_people: int | None) -> Study:
    """Mix `number` texts of the dataset, drawn evenly over the applications, with `of_people` texts of people.

    Without `of_people`, all texts of people are mixed in, but at most `number` of them. Graphs count for the application of their first node.
    """
    first_node = pl.col("nodes").list.first().struct.field("target_application")
    application = pl.coalesce("target_application", first_node).alias("target_application")
    rows = pl.scan_parquet(dataset.folder / "data" / "*.parquet").select("task_id", "text", application).collect()
    wanted = of_people if of_people is not None else min(number, len(people))
    for there, asked, where in ((rows.height, number, f"dataset '{dataset.name}'"), (len(people), wanted, "the file of people's texts")):
        if asked > there:
            raise BadInput(f"{where} has {there} texts, so {asked} cannot be drawn")
    ours = evenly(rows, ("mixture", seed), number)
    theirs = sorted(people, key=lambda said: derive_seed("mixture of people", seed, said[0]))[:wanted]
    drawn: list[tuple[str, str, str | None, dict[str, Any]]] = [
        (text, "dataset", task_id, {}) for task_id, text in ours.select("task_id", "text").iter_rows()
    ]
    drawn += [(text, "people", None, details) for text, details in theirs]
    described = json.dumps(["mixture", dataset.dataset_id, seed, [[text, made_by] for text, made_by, *_ in drawn]])
    texts = sorted((Text(hashed(f"{described} {place}"), *values) for place, values in enumerate(drawn)), key=attrgetter("text_id"))
    return new_study(MIXTURE, described, dataset, seed, tuple(texts), data)


def read_people(path: Path) -> list[Said]:
    """Return the distinct texts of a file, in its order: JSON lines with `text` (.jsonl), or plain text with a text a line (any other name).

    Spaces around a text are removed, because files put them there, not people. BadInput lists every line that cannot be read.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise BadInput(f"{path} is not a text file in UTF-8 ({error}); save it as UTF-8") from None
    problems: list[Problem] = []
    texts: dict[str, dict[str, Any]] = {}
    for text, details in _read(path, lines, problems):
        texts.setdefault(text, details)
    if problems:
        raise BadInput(problems)
    if not texts:
        raise BadInput(f"{path} has no texts; write one a line, or JSON lines with the key `text`")
    return list(texts.items())


def _read(path: Path, lines: Sequence[str], problems: list[Problem]) -> Iterator[Said]:
    """Yield the texts of the lines that are not empty, and add a problem for each line that has none."""
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        if path.suffix != ".jsonl":
            yield line.strip(), {}
            continue
        try:
            read = json.loads(line)
        except ValueError as error:
            problems.append(Problem(str(path), number, "line", f"is not JSON: {error}"))
            continue
        text = read.pop("text", None) if isinstance(read, dict) else None
        if isinstance(text, str) and text.strip():
            yield text.strip(), read
        else:
            problems.append(Problem(str(path), number, "text", "a line is a JSON object whose `text` is not empty"))
