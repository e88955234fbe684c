"""Importing a folder of task files as a suite: every file is read, and is runnable here, named with its one reason, or refused with its mistakes."""

import re
import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import yaml
from pydantic import TypeAdapter

from atomic_tasks.problems import BadInput, Problem, Source, shown_path, suggestion
from atomic_tasks.schema import Declared
from eval_flows.episodes.osworld.file_cache import BadFile, FileCache, Kept, written
from eval_flows.episodes.osworld.imported_task import JudgedBy
from eval_flows.episodes.osworld.json_source import read_json
from eval_flows.episodes.osworld.mirror.folder import Mirror
from eval_flows.episodes.osworld.needs import HOMES, Here, names_home, need_of, no_page, uses_mirror
from eval_flows.episodes.osworld.oracles import OURS, Oracle, read_oracles
from eval_flows.episodes.osworld.oracles import written as written_oracles
from eval_flows.episodes.osworld.report import told, with_what
from eval_flows.episodes.osworld.setup import CARRIED_OUT
from eval_flows.episodes.osworld.task_file import TaskFile, is_index, option_mistakes, read_task_file
from eval_flows.episodes.tasks.suite import own_suites
from machines.image import Image, declared
from machines.machine import Offers
from warehouse.layout import DataFolder, written_folder

_NAME = re.compile(r"[a-z][a-z0-9_]*")
REFUSED, ORACLES = "refused", "oracles"


class Row(Declared):
    """A task file: its name (the path below the imported folder, without ending), its application (its folder), and the reason why it is not run.

    `reason` is a name of `needs.yaml`, `refused` for a file with mistakes, or None for a runnable task; `what` says what it needs. `has_stand_ins`
    tells whether files that it fetches are stand-ins. `mirror` is the SHA-256 of the mirror of sites (its zip file) that a runnable task uses.
    """

    task: str
    application: str
    reason: str | None
    what: str = ""
    has_stand_ins: bool = False
    mirror: str | None = None


ROWS = TypeAdapter(list[Row])


@dataclass(frozen=True)
class Asked:
    """What to import: a folder of task files, as a suite of this name, for an image, with the files of a cache, and whose metrics judge.

    `oracles` is a folder of oracles for these tasks; without one, ours are used, which are for other tasks too.
    `offers` is what a named machine offers that the tasks are to be played on, if it is another one than ours with the image. `mirror` is a mirror
    of sites.
    """

    folder: Path
    name: str
    image: str
    cache: FileCache
    judged_by: JudgedBy = "ours"
    offers: Offers | None = None
    oracles: Path | None = None
    mirror: Mirror | None = None

    @property
    def machine(self) -> Offers:
        """Return what the machine offers that the tasks are to be played on: the named one, or ours with the image, which need not be built."""
        return self.offers if self.offers is not None else Image(self.image, Path(), None).offers


@dataclass
class Imported:
    """What an import found: a row for each task file, the mistakes, files that only list tasks, and the files that runnable tasks fetch.

    `missing` has the addresses of files that are still wanted: those for which alone tasks are not run, and those that have a stand-in.
    """

    rows: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)
    indexes: list[Path] = field(default_factory=list)
    tasks: dict[str, tuple[Path, TaskFile]] = field(default_factory=dict)
    oracles: dict[str, Oracle] = field(default_factory=dict)
    files: dict[str, tuple[Path, Kept]] = field(default_factory=dict)
    missing: list[str] = field(default_factory=list)

    @property
    def runnable(self) -> list[Row]:
        """Return the rows of runnable tasks."""
        return [row for row in self.rows if row.reason is None]


def import_suite(asked: Asked, data: DataFolder, is_dry: bool) -> Imported:
    """Read every task file of the folder, and write the suite unless `is_dry`. `BadInput` if there is none, or the suite cannot have this name."""
    if not _NAME.fullmatch(asked.name):
        raise BadInput(f"--name {asked.name}: a name begins with a letter, and has small letters, digits and underscores")
    if asked.name in own_suites():
        raise BadInput(f"--name {asked.name}: Deskmill has a suite of this name; choose another")
    images = declared().images
    if asked.mirror is not None and asked.offers is not None:
        raise BadInput("--mirror: only machines of ours serve a mirror of sites: leave --mirror or --machine out")
    if asked.image not in images:
        raise BadInput(f"--image: there is no image '{asked.image}' in machines/desktop.yaml{suggestion(asked.image, images)}")
    found = read_folder(asked)
    if not is_dry:
        _write(asked, found, data)
    return found


def read_folder(asked: Asked) -> Imported:
    """Read every task file of a folder; `BadInput` if there is none."""
    paths = sorted(asked.folder.rglob("*.json"))
    found = Imported(indexes=[path for path in paths if is_index(path)])
    paths = [path for path in paths if path not in found.indexes]
    if not paths:
        raise BadInput(f"{shown_path(asked.folder)}: there are no task files (*.json) in it")
    here = _here(asked, found)
    found.rows = [_row(path, asked, here, found) for path in paths]
    lacking = [found.tasks[row.task][1].addresses for row in found.rows if row.reason == "file"]
    found.oracles = _oracles(asked, found)
    used = {address for row in found.runnable for _, address in found.tasks[row.task][1].addresses}
    wanted = {address for each in lacking for _, address in each if address not in found.files}
    found.files = {address: kept for address, kept in found.files.items() if address in used}
    found.missing = sorted(wanted | {address for address, (_, kept) in found.files.items() if kept.stand_in})
    return found


def _oracles(asked: Asked, found: Imported) -> dict[str, Oracle]:
    """Return the oracles of the runnable tasks; `BadInput` if the folder that was named has one for a task that is not in the imported folder."""
    read = read_oracles(OURS) if asked.oracles is None else read_oracles(asked.oracles, {task.id for _, task in found.tasks.values()})
    return {task.id: read[task.id] for row in found.runnable for _, task in [found.tasks[row.task]] if task.id in read}


def _here(asked: Asked, found: Imported) -> Here:
    from eval_flows.episodes.osworld.getters import GETTERS
    from eval_flows.episodes.osworld.metrics import METRICS

    machine = asked.machine
    has_page = asked.mirror.pages.has if asked.mirror is not None else no_page
    return Here(machine.programs, lambda address: address in found.files, CARRIED_OUT, GETTERS, METRICS, machine.platform, machine.home, has_page)


def _row(path: Path, asked: Asked, here: Here, found: Imported) -> Row:
    from eval_flows.episodes.osworld.metrics import METRICS

    below = path.relative_to(asked.folder)
    name = below.with_suffix("").as_posix()
    mistakes: list[Problem] = []
    task = read_task_file(path, mistakes)
    if (shown := _whole(name)) != name:
        task, name = None, shown
        mistakes = [Problem(_whole(shown_path(path)), 1, "file", "its name is not UTF-8: rename it")]
    application = _whole(below.parent.as_posix()) if below.parent.parts else (task.snapshot if task else None) or "other"
    if task is not None:
        source = read_json(path, [])
        mistakes += [source.problem(place, reason) for place, reason in option_mistakes(task, METRICS)]
        is_wanted = need_of(task, replace(here, has_file=lambda _: True)) is None  # nothing is fetched for a task that is not run anyway
        mistakes += _look_for_files(task, source, asked.cache.got if is_wanted else asked.cache.found, found)
    if task is None or mistakes:
        found.problems += mistakes
        return Row(task=name, application=application, reason=REFUSED, what=f"{len(mistakes)} mistake{'s' * (len(mistakes) != 1)}")
    found.tasks[name] = (path, task)
    need = need_of(task, here)
    has_stand_ins = any(address in found.files and found.files[address][1].stand_in for _, address in task.addresses)
    if need is not None:
        return Row(task=name, application=application, reason=need.reason, what=need.what, has_stand_ins=has_stand_ins)
    mirror = asked.mirror.sha256 if asked.mirror is not None and uses_mirror(task, here) else None
    return Row(task=name, application=application, reason=None, has_stand_ins=has_stand_ins, mirror=mirror)


def _whole(name: str) -> str:
    """Return a name of the file system as a text that can be written; another one if it is not UTF-8."""
    return name.encode("utf-8", "backslashreplace").decode()


def _look_for_files(task: TaskFile, source: Source, look: Callable[[str], tuple[Path, Kept] | None], found: Imported) -> list[Problem]:
    """Note the files of a task that are there, and return what is wrong with them."""
    mistakes = []
    for place, address in task.addresses:
        try:
            file = found.files.get(address) or look(address)
        except BadFile as error:
            mistakes.append(source.problem(place, str(error)))
            continue
        if file is not None:
            found.files[address] = file
    return mistakes


def _write(asked: Asked, found: Imported, data: DataFolder) -> None:
    asked.cache.write_manifest()
    with written_folder(data.imported / asked.name) as folder:
        for row in found.runnable:
            target = folder / "tasks" / f"{row.task}.json"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(found.tasks[row.task][0], target)
        (folder / "files").mkdir()
        for path, kept in found.files.values():
            shutil.copyfile(path, folder / "files" / kept.sha256)
        if asked.mirror is not None and any(row.mirror for row in found.runnable):
            (folder / "files" / asked.mirror.sha256).write_bytes(asked.mirror.archive)
        (folder / "files.json").write_text(written({address: kept.model_copy(update={"file": None}) for address, (_, kept) in found.files.items()}))
        (folder / ORACLES).mkdir()
        (folder / ORACLES / f"{asked.name}.yaml").write_text(written_oracles(found.oracles))
        (folder / "missing.txt").write_text("".join(f"{address}\n" for address in found.missing))
        (folder / "tasks.json").write_bytes(ROWS.dump_json(found.rows, indent=1) + b"\n")
        (folder / "README.md").write_text(f"# {asked.name}\n\n```text\n{told(found.rows)}\n```\n")
        (folder / "suite.yaml").write_text(yaml.safe_dump(_suite(asked, found), sort_keys=False, allow_unicode=True))


def _suite(asked: Asked, found: Imported) -> dict[str, object]:
    """Return the declaration of the suite."""
    platform = asked.machine.platform
    is_home_named = any(names_home(found.tasks[row.task][1], platform) for row in found.runnable)
    return {
        "title": asked.name,
        "description": f"{len(found.runnable)} runnable tasks of {len(found.rows)} imported task files{with_what(found.rows)}.",
        "image": asked.image,
        "seed": 0,
        **({"platform": platform} if platform != "linux" else {}),
        **({"home": HOMES[platform]} if is_home_named else {}),
        "imported": asked.name,
        "judged_by": asked.judged_by,
    }
