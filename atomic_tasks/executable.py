"""Rules for executable tasks: only names of checkers.yaml, with the keys that they take; only known arguments; a check for each task."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from pydantic import BaseModel

from atomic_tasks.catalog import Catalog
from atomic_tasks.checkers import Checkers, WithKeys
from atomic_tasks.problems import Place, Problem, suggestion
from atomic_tasks.schema import AtomicTask, NearMiss, Way, placeholders
from atomic_tasks.shapes import misfits

HOME = "home"  # `{home}` stands for the home folder of the machine that an episode is played on
_THRESHOLD = "threshold"
_OF_WINDOWS = "powershell"  # the step of an oracle that types into a console of Windows
_OF_LINUX = frozenset({"folder", "repository"})  # makers that run commands of Linux
_FEWEST_MISSES = 2
_MAKE = "make"  # the step of a proof that makes a file, as `setup` does
_BESIDE = {"setup": frozenset[str](), "oracle": frozenset({"within", "holding"}), "changes": frozenset[str]()}
Entry = Mapping[str, Any]
ProblemAt = Callable[[Place, str], Problem]


class HasWays(Protocol):
    """A task with other ways and near misses."""

    @property
    def also(self) -> Sequence[Way]:
        """Return its other ways."""

    @property
    def near_misses(self) -> Sequence[NearMiss]:
        """Return its near misses."""


@dataclass(frozen=True)
class Executable:
    """What a task, a job of a suite, or another way of one declares for a machine; `place` is where it stands in its file."""

    place: Place
    setup: Sequence[Entry] = ()
    oracle: Sequence[Entry] = ()
    check: Sequence[Entry] = ()
    changes: Sequence[Entry] = ()
    is_for_proofs: bool = False


def executable_tasks(catalog: Catalog) -> Iterator[Problem]:
    """Check what each task declares for a machine, and the arguments that it uses; `{home}` is the home folder."""
    for application in catalog.applications.values():
        source = catalog.sources.get(application.application)
        for number, task in enumerate(application.tasks) if source else ():
            place: Place = ("tasks", number)
            assert source is not None
            declared = Executable(place, task.setup, task.oracle, task.check, task.changes or ())
            yield from executable_mistakes(catalog.checkers, [declared, *other_ways(task, place)], source.problem)
            yield from _wholeness(task, place, source.problem)
            yield from _of_platform(task, application.platform, place, source.problem)
            for key in ("asks", "setup", "preload", "oracle", "check", "changes", "also", "near_misses"):
                for entry_number, text in _texts(_plain(getattr(task, key) or ())):
                    for name in placeholders(text):
                        if name and name != HOME and name not in task.arguments:
                            where = (*place, key, entry_number)
                            yield source.problem(where, f"uses {{{name}}}, but {task.id} has no such argument{suggestion(name, task.arguments)}")


def other_ways(task: HasWays, place: Place) -> Iterator[Executable]:
    """Yield what proofs do besides the oracle: other ways, and near misses."""
    oracles = {"also": [one.oracle for one in task.also], "near_misses": [one.oracle for one in task.near_misses]}
    for key, entries in oracles.items():
        for number, oracle in enumerate(entries):
            yield Executable((*place, key, number), oracle=oracle, is_for_proofs=True)


def executable_mistakes(known: Checkers, all_declared: Iterable[Executable], problem: ProblemAt) -> Iterator[Problem]:
    """Yield the mistakes in names, keys, shapes and thresholds."""
    for declared in all_declared:
        for find in (_names, _thresholds, _keys, _shapes):
            yield from find(known, declared, problem)


def _names(known: Checkers, declared: Executable, problem: ProblemAt) -> Iterator[Problem]:
    place = declared.place
    for key, names in (("setup", known.makers), ("oracle", known.oracle), ("changes", known.changes)):
        for number, entry in enumerate(getattr(declared, key)):
            verbs = [name for name in entry if name not in _BESIDE[key]]
            if len(verbs) != 1:
                yield problem(
                    (*place, key, number), f"needs exactly one name of checkers.yaml, and has {len(verbs)}{': ' if verbs else ''}{', '.join(verbs)}"
                )
            elif verbs[0] not in names:
                yield problem((*place, key, number), f"unknown name '{verbs[0]}'{suggestion(verbs[0], names)}")
            elif key == "oracle" and known.oracle[verbs[0]].only_in_proofs and not declared.is_for_proofs:
                yield problem((*place, key, number), f"{verbs[0]} is no action of agents: only other ways and near misses have it")
    for number, entry in enumerate(declared.check):
        for name in entry:
            if name not in known.getters and name not in known.metrics and name != _THRESHOLD:
                yield problem((*place, "check", number), f"unknown checker '{name}'{suggestion(name, [*known.getters, *known.metrics])}")
        for name in entry["same_as"] if isinstance(entry.get("same_as"), Mapping) else ():
            if name not in known.getters:
                yield problem((*place, "check", number), f"unknown checker '{name}' in same_as{suggestion(name, known.getters)}")
        found = [sum(name in names for name in entry) for names in (known.getters, known.metrics)]
        if found != [1, 1] and all(name in known.getters or name in known.metrics or name == _THRESHOLD for name in entry):
            yield problem((*place, "check", number), f"needs one getter and one metric, and has {found[0]} and {found[1]}")


def _thresholds(known: Checkers, declared: Executable, problem: ProblemAt) -> Iterator[Problem]:
    for number, entry in enumerate(declared.check):
        graded = [name for name in entry if name in known.metrics and known.metrics[name].graded]
        threshold = entry.get(_THRESHOLD)
        if graded and not (isinstance(threshold, int | float) and 0 < threshold <= 1):
            yield problem((*declared.place, "check", number), f"{graded[0]} is graded: give a threshold above 0 and up to 1 from which on it holds")
        elif threshold is not None and not graded:
            yield problem((*declared.place, "check", number), "only a graded metric takes a threshold")


def _keys(known: Checkers, declared: Executable, problem: ProblemAt) -> Iterator[Problem]:
    made = [entry[_MAKE] if isinstance(entry.get(_MAKE), Mapping) else {} for entry in declared.oracle]
    for key, names, entries in (
        ("setup", known.makers, declared.setup),
        ("oracle", known.makers, made),
        ("check", known.getters, declared.check),
        ("changes", known.changes, declared.changes),
    ):
        for number, entry in enumerate(entries):
            beside = entry["same_as"] if isinstance(entry.get("same_as"), Mapping) else {}
            for name, asked in (*entry.items(), *beside.items()):
                for reason in (
                    (*_mistaken_keys(names[name], asked), *_mistaken_what(names[name], asked), *_mistaken_parts(names[name], asked))
                    if name in names
                    else [f"is unknown{suggestion(name, names)}"] * (key == "oracle")
                ):
                    yield problem((*declared.place, key, number), f"{name} {reason}")


def _shapes(known: Checkers, declared: Executable, problem: ProblemAt) -> Iterator[Problem]:
    for key, names in (("oracle", known.oracle), ("check", known.metrics)):
        for number, entry in enumerate(getattr(declared, key)):
            for name, asked in entry.items():
                for reason in misfits(names[name].takes, asked) if name in names else ():
                    yield problem((*declared.place, key, number, name), reason)
            for beside in (name for name in _BESIDE["oracle"] if name in entry and key == "oracle"):
                for reason in misfits("text", entry[beside]):
                    yield problem((*declared.place, key, number, beside), reason)


def _mistaken_keys(declared: WithKeys, asked: object) -> Iterator[str]:
    if not isinstance(asked, Mapping):
        if declared.takes != (("path",) if isinstance(asked, str) else ()):
            yield f"takes keys: {', '.join((*declared.takes, *declared.may_take)) or 'none'}"
        return
    allowed = (*declared.takes, *declared.may_take)
    unknown = [name for name in asked if name not in allowed]
    for name in unknown:
        yield f"does not take '{name}'{suggestion(name, allowed)}"
    if not unknown and (missing := [name for name in declared.takes if name not in asked]):
        yield f"lacks {', '.join(missing)}"


def _mistaken_what(declared: WithKeys, asked: object) -> Iterator[str]:
    if not declared.what or not isinstance(asked, Mapping) or "what" not in asked:
        return
    kind, dot, _ = str(asked["what"]).partition(".")
    ways = [one for one in declared.what if one.partition(".")[0] == kind]
    if not ways:
        yield f"has no '{kind}'{suggestion(kind, [one.partition('.')[0] for one in declared.what])}"
    elif not any(dot in one if dot else "." not in one for one in ways):
        yield f"has {' and '.join(ways)}, not '{asked['what']}'"


def _mistaken_parts(declared: WithKeys, asked: object) -> Iterator[str]:
    if not isinstance(asked, Mapping):
        return
    for key, word, names in (("parts", "part", declared.parts), ("formats", "format", declared.formats)):
        for part in asked.get(key, ()) if names else ():
            if part not in names:
                yield f"has no {word} '{part}'{suggestion(part, names)}"


def _of_platform(task: AtomicTask, platform: str, place: Place, problem: ProblemAt) -> Iterator[Problem]:
    for number, entry in enumerate(task.oracle if platform != "windows" else ()):
        if _OF_WINDOWS in entry:
            yield problem((*place, "oracle", number), f"only applications of platform windows have {_OF_WINDOWS}")
    for number, entry in enumerate(task.setup if platform == "windows" else ()):
        for name in _OF_LINUX & set(entry):
            yield problem(
                (*place, "setup", number),
                f"{name} is made by commands of Linux: on Windows, make files, and the folders that they are in come with them",
            )
    if platform == "windows" and task.oracle and not task.generic and not (task.also and len(task.near_misses) >= _FEWEST_MISSES):
        yield problem((*place, "oracle"), "needs another way (also) and two near misses: on Windows nothing else tells a check that is too loose")


def _wholeness(task: AtomicTask, place: Place, problem: ProblemAt) -> Iterator[Problem]:
    if task.asks and not task.is_executable:
        yield problem((*place, "asks"), "needs an oracle: only a task that is done on a machine asks something of its own in an episode")
    if task.is_executable and HOME in task.arguments:
        yield problem((*place, "arguments"), f"{{{HOME}}} stands for the home folder of the machine: give the argument another name")
    if task.infeasible and (task.oracle or task.check):
        yield problem((*place, "infeasible"), "an infeasible task has no oracle and no check: remove them")
    if task.oracle and not task.check and not task.generic:
        yield problem((*place, "oracle"), "needs a check: what holds after the task is done")
    if task.check and task.changes is None:
        yield problem(
            (*place, "check"), "needs changes: the files, and the parts of files, that it may change; write an empty list if it may change none"
        )
    if task.changes and not task.oracle:
        yield problem((*place, "changes"), "needs an oracle: only a task that is done on a machine changes files there")
    if task.check and not task.oracle:
        yield problem((*place, "check"), "needs an oracle: the steps that do the task")


def _texts(entries: Iterable[Any]) -> Iterator[tuple[int, str]]:
    """Yield every text in the entries, with the number of its entry."""
    for number, entry in enumerate(entries):
        for text in texts_in(entry):
            yield number, text


def _plain(entries: Iterable[Any]) -> list[Any]:
    """Return the entries as plain data; a way is a model."""
    return [entry.model_dump() if isinstance(entry, BaseModel) else entry for entry in entries]


def texts_in(value: object) -> Iterator[str]:
    """Yield every text in nested lists and mappings, with their keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for key, part in value.items():
            yield from texts_in(key)
            yield from texts_in(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from texts_in(part)
