"""What keeps a task file from being run here: nothing, or its one reason, the first of those that `needs.yaml` declares in their order."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from atomic_tasks.schema import Declared
from atomic_tasks.yaml_source import read_declared_file
from eval_flows.episodes.osworld.applications import applications, applications_of, commands_in, commands_of, starts_browser
from eval_flows.episodes.osworld.task_file import INFEASIBLE, TaskFile, calls_not_taken, listed, options_not_taken
from eval_flows.episodes.osworld.vocabulary import is_true, vocabulary

if TYPE_CHECKING:
    from eval_flows.episodes.osworld.metrics import Metric

_FILE = Path(__file__).parent / "needs.yaml"
_OF_THE_WEB = re.compile(r"https?://(?!localhost\b|127\.|\[::1\])[^\s'\"]*", re.IGNORECASE)
_OF_THE_MACHINE = re.compile(r"(https?://)?(localhost|127\.[\d.]+|\[::1\])(?=[:/]|$)", re.IGNORECASE)
_FETCHES = re.compile(r"\b(urlopen|urlretrieve|requests|httpx|aiohttp|curl|wget|Invoke-WebRequest)\b")  # words of programs that fetch an address
_OF_THE_BROWSER = re.compile(r"(chrome|file|about)://?", re.IGNORECASE)
_OF_WINDOWS = re.compile(r"[A-Za-z]:\\")
_WINDOWS_ID = re.compile(r"-wos\b", re.IGNORECASE)
_WINDOWS_COMMANDS = {"start", "powershell", "powershell.exe", "cmd", "cmd.exe", "taskkill", "explorer.exe"}
HOMES = {"linux": "/home/user", "windows": "C:\\Users\\Docker"}  # of the users on the machines of the two benchmarks
_OF_PAGES = ("web", "internet")  # needs of getters that look at pages
_DEFAULT_PREFIX = "https://"  # of `goto_prefix`


class Reason(Declared):
    """A reason: its words, which follow the name of a task, and what to do about it."""

    title: str
    remedy: str


class Reasons(Declared):
    """The file."""

    reasons: dict[str, Reason]


@cache
def reasons() -> dict[str, Reason]:
    """Return the declared reasons in their order."""
    return read_declared_file(_FILE, Reasons).reasons


def no_page(address: str) -> bool:
    """Return False, where there is no mirror of sites."""
    return False


@dataclass(frozen=True)
class Here:
    """What there is here: the programs of the image, the files of the cache by their address, setup steps, getters and metrics by their names.

    `programs`, `platform` and `home` are those of the machine that the tasks are to be played on; None for a home folder that is not known.
    `has_page` tells whether the mirror of sites has a page for an address.
    """

    programs: Collection[str]
    has_file: Callable[[str], bool]
    steps: Collection[str] = field(default_factory=frozenset)
    getters: Collection[str] = field(default_factory=frozenset)
    metrics: Mapping[str, Metric] = field(default_factory=dict)
    platform: str = "linux"
    home: str | None = None
    has_page: Callable[[str], bool] = no_page


@dataclass(frozen=True)
class Need:
    """What a task needs that is not here: the name of the reason, and what it is."""

    reason: str
    what: str


def need_of(task: TaskFile, here: Here) -> Need | None:
    """Return the one reason why a task cannot be run here; None if it can."""
    for reason in reasons():
        lacking = list(dict.fromkeys(_LOOKS[reason](task, here)))
        if lacking:
            return Need(reason, ", ".join(lacking))
    return None


def _windows(task: TaskFile, here: Here) -> Iterator[str]:
    if here.platform != "windows":
        yield from signs_of_windows(task)


def _linux(task: TaskFile, here: Here) -> Iterator[str]:
    if here.platform == "windows" and next(signs_of_windows(task), None) is None:
        yield "nothing in it is of Windows"


def _home(task: TaskFile, here: Here) -> Iterator[str]:
    named = HOMES[here.platform]
    if here.home is not None and here.home != named and names_home(task, here.platform):
        yield f"{named} (it has {here.home})"


def names_home(task: TaskFile, platform: str) -> bool:
    """Tell whether a task names the home folder of its benchmark's machines."""
    paths = (text.replace("/", "\\") if platform == "windows" else text for text in _texts(task.document))
    return any(HOMES[platform] in path for path in paths)


def signs_of_windows(task: TaskFile) -> Iterator[str]:
    """Yield what shows that a task is for Windows."""
    yield from (one.title for one in applications_of(task) if one.platform == "windows")
    yield from _marked(task, "windows")
    if _WINDOWS_ID.search(task.id):
        yield "its id"
    yield from (words[0] for words in commands_of(task) if words[0].lower() in _WINDOWS_COMMANDS)
    document = task.document
    yield from (f"the path {text}" for text in _texts([document.get("config"), document["evaluator"]]) if _OF_WINDOWS.match(text))


def _account(task: TaskFile, here: Here) -> Iterator[str]:
    yield from _marked(task, "account")


def _internet(task: TaskFile, here: Here) -> Iterator[str]:
    is_mirrored = uses_mirror(task, here)
    if task.proxy and not is_mirrored:
        yield "proxy"
    yield from (step.type for _, step in task.steps if vocabulary().steps[step.type].needs == "internet")
    for _, getter in task.getters:
        if vocabulary().getters[getter["type"]].needs == "internet" and not here.has_page(getter.get("url", "")):
            yield str(getter["type"])
    yield from (address for address, in_browser in _opened(task) if not (in_browser and here.has_page(address)))
    yield from (" ".join(words[:2]) for words in commands_of(task) if _asks_network(words))
    yield from (address for text in _codes(task) if _FETCHES.search(text) for address in _OF_THE_WEB.findall(text))
    yield from _pages(task, here, is_mirrored)


def _asks_network(words: Sequence[str]) -> bool:
    """Tell whether a command asks the network, and not a server on the machine itself."""
    return any(tuple(words[: len(one)]) == one for one in applications().networked) and not any(map(_OF_THE_MACHINE.match, words))


def _codes(task: TaskFile) -> Iterator[str]:
    """Yield the texts of commands, among which are programs."""
    yield from (text for _, step in task.steps for text in _texts(step.parameters.get("command")))


def uses_mirror(task: TaskFile, here: Here) -> bool:
    """Tell whether the mirror of sites has a page that the browser is to open, or that a getter names."""
    opened = [address for address, in_browser in _opened(task) if in_browser]
    named = [text for _, getter in task.getters if vocabulary().getters[getter["type"]].needs in _OF_PAGES for text in _named(task, getter)]
    return any(map(here.has_page, [*opened, *named]))


def _opened(task: TaskFile) -> Iterator[tuple[str, bool]]:
    """Yield the addresses of the web that steps open, and whether the browser does."""
    for _, step in task.steps:
        if step.type in ("chrome_open_tabs", "launch"):
            commands = commands_in(step.parameters.get("command", []), is_true(step.parameters.get("shell", False)))
            in_browser = all(starts_browser(words) for words in commands if any(map(_OF_THE_WEB.search, words)))
            yield from ((address, in_browser) for text in _texts(step.parameters) for address in _OF_THE_WEB.findall(text))


def _pages(task: TaskFile, here: Here, is_mirrored: bool) -> Iterator[str]:
    """Yield what getters look at on the live web, as far as the task names it and no mirror has it. A pattern names no page."""
    is_of_browser = any(_OF_THE_BROWSER.match(text) for text in _expected(task))
    for _, getter in task.getters:
        word = vocabulary().getters[getter["type"]]
        if word.needs not in ("web", "stream"):
            continue
        named = _named(task, getter)
        yield from (text for text in named if not (word.needs == "web" and (here.has_page(text) or (is_mirrored and "\\" in text))))
        if not named and _OF_THE_WEB.match(_prefix(getter)) and not is_of_browser and not is_mirrored:
            yield str(getter["type"])


def _named(task: TaskFile, getter: Mapping[str, Any]) -> list[str]:
    """Return the addresses of the web that a getter names, and those that are expected."""
    return [text for text in [*_texts(getter), *_expected(task)] if _OF_THE_WEB.match(text) and text != _prefix(getter)]


def _expected(task: TaskFile) -> list[str]:
    return [text for place, one in task.getters if place[1] == "expected" for text in _texts(one)]


def _prefix(getter: Mapping[str, Any]) -> str:
    """Return what a getter puts before the address in front; nothing if it takes none."""
    return str(getter.get("goto_prefix", _DEFAULT_PREFIX if "goto_prefix" in vocabulary().getters[getter["type"]].fields else ""))


def _application(task: TaskFile, here: Here) -> Iterator[str]:
    known = applications()
    for name in task.related_apps:
        if known.named(name) is None and name.lower() not in known.nothing:
            yield f"'{name}', which is not known here"
    yield from (one.title for one in applications_of(task) if one.program not in here.programs)


def _setup(task: TaskFile, here: Here) -> Iterator[str]:
    yield from (step.type for _, step in task.steps if step.type not in here.steps)


def _getter(task: TaskFile, here: Here) -> Iterator[str]:
    if not task.is_infeasible:
        yield from (str(getter["type"]) for _, getter in task.getters if getter["type"] not in here.getters)


def _metric(task: TaskFile, here: Here) -> Iterator[str]:
    yield from (name for name in task.functions if name != INFEASIBLE and name not in here.metrics)
    yield from options_not_taken(task, here.metrics)
    yield from calls_not_taken(task, here.metrics)


def _file(task: TaskFile, here: Here) -> Iterator[str]:
    yield from (address for _, address in task.addresses if not here.has_file(address))


_LOOKS: Mapping[str, Callable[[TaskFile, Here], Iterator[str]]] = {
    "windows": _windows,
    "linux": _linux,
    "home": _home,
    "account": _account,
    "internet": _internet,
    "application": _application,
    "setup": _setup,
    "getter": _getter,
    "metric": _metric,
    "file": _file,
}


def _marked(task: TaskFile, need: str) -> Iterator[str]:
    """Yield the types of steps and getters that the vocabulary marks by a need."""
    words = vocabulary()
    yield from (step.type for _, step in task.steps if words.steps[step.type].needs == need)
    yield from (str(getter["type"]) for _, getter in task.getters if words.getters[getter["type"]].needs == need)


def _texts(value: Any) -> Iterator[str]:
    """Yield every text in nested lists and objects; keys are none."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        yield from (text for one in value.values() for text in _texts(one))
    elif isinstance(value, list):
        yield from (text for one in listed(value) for text in _texts(one))
