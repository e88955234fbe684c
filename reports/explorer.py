"""The explorer: search over all user tasks, a page for each task, and the confusion of categories, all opened from disk.

A page from file:// cannot fetch, so its data lies beside it as script files, each of which calls `deskmill.put(name, value)`:

data/explorer/index.js                          datasets, their runs, applications
data/explorer/atomic_tasks.js                   titles and capabilities of atomic tasks
data/explorer/columns/<dataset_id>.js           the columns of the filters, a code for each task
data/explorer/compositions/<dataset_id>.js      which tasks share a composition
data/explorer/texts/<dataset_id>/<number>.js    ids and texts, in pieces
data/explorer/outcomes/<run_id>.js              the result of a run for each task
data/explorer/tasks/<dataset_id>/<xx>.js        all columns of the tasks whose ids begin with xx, and each run's answers
data/explorer/prompts/<dataset_id>/<xx>.js      prompts of the calls for the first tasks

Tasks have one order everywhere: by category, target application and id, so that tasks on one page are loaded together.
"""

import shutil
from collections.abc import Callable
from pathlib import Path

import duckdb
from jinja2 import Environment, FileSystemLoader, StrictUndefined

from reports.explorer_data import read_datasets, write_dataset, write_index
from reports.explorer_prompts import PROMPTED_TASKS, PromptOf, write_prompts

_ROOT = Path(__file__).parent
_PAGES = {"tasks": "Tasks", "task": "Task", "confusion": "Confusion"}
Layout = Callable[[str, str, str], str]


def write_explorer(connection: duckdb.DuckDBPyConnection, folder: Path, layout: Layout, *, prompt_of: PromptOf | None = None) -> None:
    """Write tasks.html, task.html, confusion.html and their data into a folder.

    `layout(title, body, root)` makes a whole page of a body; `prompt_of` returns the messages of a call by its id, or None if they are not kept.
    """
    environment = Environment(
        loader=FileSystemLoader(_ROOT / "templates" / "explorer"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    for page, title in _PAGES.items():
        body = environment.get_template(f"{page}.html.j2").render(prompted_tasks=PROMPTED_TASKS)
        (folder / f"{page}.html").write_text(layout(title, body, ""), encoding="utf-8")
    shutil.copytree(_ROOT / "assets" / "explorer", folder / "assets" / "explorer", dirs_exist_ok=True)
    data = folder / "data" / "explorer"
    datasets = read_datasets(connection)
    for dataset in datasets:
        dataset["shards"] = write_dataset(connection, data, dataset)
        dataset["prompted_shards"] = write_prompts(connection, data, dataset["dataset_id"], prompt_of) if prompt_of else []
    write_index(connection, data, datasets)
