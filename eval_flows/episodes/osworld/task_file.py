"""A task file of OSWorld or Windows Agent Arena: its form, and reading it with every mistake by file, line and place.

What is read is kept as it is: `document` gives a JSON document that equals the file's.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping
from inspect import Parameter, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from atomic_tasks.problems import Place, Problem, Source, spelled, suggestion
from atomic_tasks.yaml_source import validated
from eval_flows.episodes.osworld.json_source import read_json
from eval_flows.episodes.osworld.safe_paths import climbing
from eval_flows.episodes.osworld.vocabulary import LONGEST_WAITS, getter_mistakes, is_true, step_mistakes, vocabulary

if TYPE_CHECKING:
    from eval_flows.episodes.osworld.metrics import Metric

Json = dict[str, Any]
INFEASIBLE = "infeasible"
FETCHED = "cloud_file"  # the getter of a file that was fetched
_NOTHING_COMPARED = "is missing: nothing would be compared"
_OF_FILES = ("vm_file", FETCHED)  # getters of one file, or of several with `multi`


class _Exact(BaseModel):
    """A part of a task file. Unknown keys are errors, and values never change. Comments may stand beside any of its keys."""

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True)
    comment: Any = Field(None, alias="_comment")
    comments: Any = Field(None, alias="_comments")


class Step(_Exact):
    """A step of `config` or `postconfig`: the type of the vocabulary, and its parameters."""

    type: str
    parameters: Json


class Evaluator(_Exact):
    """How the end is judged: one function or several, what each compares and with what options; several are joined by `conj`."""

    func: str | list[str]
    conj: Literal["and", "or"] = "and"
    result: Json | list[Json | None] | None = None
    expected: Json | list[Json | None] | None = None
    options: Json | list[Json | None] | None = None
    postconfig: list[Step] = []


class TaskFile(_Exact):
    """The whole file."""

    id: str = Field(min_length=1)
    instruction: str = Field(min_length=1)
    evaluator: Evaluator
    config: list[Step] = []
    snapshot: str | None = None
    source: str | list[str] | None = None
    trajectory: str | None = None
    related_apps: list[str] = []
    proxy: bool | None = None
    fixed_ip: bool | None = None
    possibility_of_env_change: str | None = None

    @property
    def document(self) -> Json:
        """Return a JSON document that equals the file's."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @property
    def steps(self) -> list[tuple[Place, Step]]:
        """Return the steps before and after the agent, each with its place."""
        before: list[tuple[Place, Step]] = [(("config", number), step) for number, step in enumerate(self.config)]
        return before + [(("evaluator", "postconfig", number), step) for number, step in enumerate(self.evaluator.postconfig)]

    @property
    def functions(self) -> list[str]:
        """Return the names of the functions that judge the end."""
        return listed(self.evaluator.func)

    @property
    def is_infeasible(self) -> bool:
        """Tell whether the right answer is FAIL."""
        return INFEASIBLE in self.functions

    @property
    def getters(self) -> list[tuple[Place, Json]]:
        """Return what gets the results and what is expected, each with its place."""
        sides = (("result", self.evaluator.result), ("expected", self.evaluator.expected))
        return [
            (("evaluator", side, number) if isinstance(given, list) else ("evaluator", side), one)
            for side, given in sides
            for number, one in enumerate(listed(given))
            if one
        ]

    @property
    def addresses(self) -> list[tuple[Place, str]]:
        """Return the addresses of the files that it fetches, each with its place."""
        found: list[tuple[Place, str]] = []
        for place, step in self.steps:
            if step.type == "download":
                found += [((*place, "parameters", "files", number, "url"), one["url"]) for number, one in enumerate(step.parameters["files"])]
        for place, getter in self.getters:
            if getter["type"] == FETCHED:
                found += [((*place, "path"), path) for path in listed(getter["path"])]
        return found


def listed(given: Any) -> list[Any]:
    """Return a list as it is, nothing as an empty one, and anything else as a list of it."""
    return given if isinstance(given, list) else [] if given is None else [given]


def read_task_file(path: Path, problems: list[Problem]) -> TaskFile | None:
    """Return the task of a file; None if something in it is wrong, which is added to `problems`: first its form, then its steps and its evaluator."""
    mistakes: list[Problem] = []
    source = read_json(path, mistakes)
    made = _read(source, mistakes) if not mistakes else None
    problems += mistakes
    return None if mistakes else made


def is_index(path: Path) -> bool:
    """Tell whether a file lists tasks by application, as `test_all.json` does, and is no task itself."""
    data = read_json(path, []).data
    return (
        isinstance(data, dict) and bool(data) and all(isinstance(one, list) and all(isinstance(name, str) for name in one) for one in data.values())
    )


def option_mistakes(task: TaskFile, metrics: Mapping[str, Metric]) -> Iterator[tuple[Place, str]]:
    """Yield options and keys of rules whose names are nearly those that the metric here takes, each with its place."""
    for place, words, key, known in _not_taken(task, metrics):
        if told := suggestion(key, known):
            yield place, f"{words}{told}"


def options_not_taken(task: TaskFile, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Yield, in words and with their places, the options and keys of rules that the metric here does not take: it judges otherwise than is asked."""
    yield from (f"{words} ({spelled(place)})" for place, words, _, _ in _not_taken(task, metrics))


def calls_not_taken(task: TaskFile, metrics: Mapping[str, Metric]) -> Iterator[str]:
    """Yield, in words, the metrics that do not take what a feasible task gives them: a result, what is expected if it says so, and the options."""
    if task.is_infeasible:
        return
    evaluator = task.evaluator
    for number, name in enumerate(task.functions):
        if name in metrics:
            form, expected, options = signature(metrics[name]), part_of(evaluator.expected, number), part_of(evaluator.options, number)
            try:
                form.bind(*(("result", "expected") if expected else ("result",)), **{key: options[key] for key in options if key in form.parameters})
            except TypeError as error:
                yield f"{name}: {error}"


def part_of(given: Any, number: int) -> Json:
    """Return what is declared for a function of several, or for the only one; nothing if nothing is."""
    one = given[number] if isinstance(given, list) and given else given
    return dict(one) if one else {}


def _not_taken(task: TaskFile, metrics: Mapping[str, Metric]) -> Iterator[tuple[Place, str, str, Collection[str]]]:
    """Yield the place of each option and each key of rules that a metric does not take, words for it, its name, and the names that it takes."""
    from eval_flows.episodes.osworld.metrics.rule_keys import strange_keys, strange_keys_of_tables  # a dozen parsers

    evaluator = task.evaluator
    for number, name in enumerate(task.functions):
        options, expected = part_of(evaluator.options, number), part_of(evaluator.expected, number)
        form = signature(metrics[name]).parameters if name in metrics else {}
        place = _place_of("options", evaluator.options, number)
        if form and not any(one.kind == Parameter.VAR_KEYWORD for one in form.values()):
            yield from (((*place, key), f"{name} has no option '{key}'", key, form) for key in options if key not in form)
        strange = [((*place, "rules", *inner), key, known) for inner, key, known in strange_keys_of_tables(options.get("rules"))]
        inside = (*_place_of("expected", evaluator.expected, number), "rules")
        strange += [((*inside, *inner), key, known) for inner, key, known in strange_keys(name, expected.get("type", ""), expected.get("rules"))]
        yield from ((where, f"{name} knows no key '{key}' of its rules", key, known) for where, key, known in strange)


def _place_of(side: str, given: Any, number: int) -> Place:
    return ("evaluator", side, number) if isinstance(given, list) else ("evaluator", side)


def _read(source: Source, mistakes: list[Problem]) -> TaskFile | None:
    if not isinstance(source.data, dict):
        mistakes.append(source.problem((), "is no task: a task file holds one JSON object"))
        return None
    made = validated(source, TaskFile, mistakes)
    if made is not None:
        mistakes += [source.problem(place, reason) for place, reason in _mistakes(made)]
    return made


def _mistakes(task: TaskFile) -> Iterator[tuple[Place, str]]:
    words = vocabulary()
    for place, step in task.steps:
        if step.type not in words.steps:
            yield (*place, "type"), f"unknown type of step '{step.type}'{suggestion(step.type, words.steps)}"
            continue
        wrong = [((*place, "parameters", *inner), reason) for inner, reason in step_mistakes(step.type, step.parameters)]
        yield from wrong or climbing((*place, "parameters"), step.parameters)
    yield from _long_waits(task)
    yield from _function_mistakes(task)
    for place, getter in task.getters:
        fields = {name: value for name, value in getter.items() if name != "type" and not name.startswith("_comment")}
        kind = getter.get("type")
        if not isinstance(kind, str) or kind not in words.getters:
            yield (*place, "type"), "is missing" if kind is None else f"unknown type '{kind}'{suggestion(str(kind), words.getters)}"
            continue
        wrong = [((*place, *inner), reason) for inner, reason in getter_mistakes(kind, fields)]
        wrong = wrong or [((*place, name), reason) for name, reason in _file_mistakes(getter)]
        yield from wrong or climbing(place, getter)


def _long_waits(task: TaskFile) -> Iterator[tuple[Place, str]]:
    """Yield the first step with which the steps of a task wait for longer than a task may."""
    waited = 0.0
    for place, step in task.steps:
        for field in ("seconds", "max_wait_time"):
            given = step.parameters.get(field, 0)
            waited += given if isinstance(given, int | float) and math.isfinite(given) else 0
            if waited > LONGEST_WAITS:
                yield (*place, "parameters", field), f"with it, the steps wait for {waited:.0f} seconds; at most {LONGEST_WAITS} are taken for a task"
                return


def _file_mistakes(getter: Json) -> Iterator[tuple[str, str]]:
    """Yield the fields of a getter of files that do not fit together, with the reasons."""
    if getter["type"] not in _OF_FILES:
        return
    path, dest, many = getter["path"], getter["dest"], is_true(getter.get("multi", False))
    for name, given in (("path", path), ("dest", dest)):
        if isinstance(given, list) != many:
            yield name, "must be a list, since `multi` is true" if many else "must be one text: several need `multi`"
            return
    if many and len(path) != len(dest):
        yield "dest", f"has {len(dest)} entries, but path has {len(path)}"
    elif any(at not in range(len(listed(path))) for at in getter.get("gives", [0])):
        yield "gives", f"names files that are not there: path has {len(listed(path))}, which count from 0"


def _function_mistakes(task: TaskFile) -> Iterator[tuple[Place, str]]:
    from eval_flows.episodes.osworld.metrics import METRICS  # a dozen parsers

    known = {*vocabulary().functions, *METRICS}
    functions, evaluator = task.functions, task.evaluator
    for number, name in enumerate(functions):
        if name not in known:
            place: Place = ("evaluator", "func", number) if isinstance(evaluator.func, list) else ("evaluator", "func")
            yield place, f"unknown function '{name}'{suggestion(name, known)}"
    if not functions:
        yield ("evaluator", "func"), "needs at least one function"
    if task.is_infeasible:
        if len(functions) > 1:
            yield ("evaluator", "func"), f"'{INFEASIBLE}' stands alone: only the answer FAIL is right then, and nothing is compared"
        return
    if not evaluator.result:
        yield ("evaluator", "result"), _NOTHING_COMPARED
    elif isinstance(evaluator.result, list):
        yield from ((("evaluator", "result", number), _NOTHING_COMPARED) for number, one in enumerate(evaluator.result) if not one)
    for side, given in (("result", evaluator.result), ("expected", evaluator.expected), ("options", evaluator.options)):
        if given and isinstance(given, list) != isinstance(evaluator.func, list):
            yield ("evaluator", side), f"must be {'a list' if isinstance(evaluator.func, list) else 'one object'}, as func is"
        elif given and len(listed(given)) != len(functions):
            yield ("evaluator", side), f"has {len(listed(given))} entries, but func has {len(functions)}"
