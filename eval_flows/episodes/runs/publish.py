"""Publishing a suite as a dataset: Parquet with ProSoftArena's metadata, a manifest and a card."""

import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.proofs.record import read_record
from eval_flows.episodes.references import ReferenceRun, reference_runs
from eval_flows.episodes.tasks.annotation import annotation
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks, valid_programs
from eval_flows.episodes.tasks.task import STEP_BUDGETS
from machines.image import find_image
from warehouse.layout import DataFolder, written_folder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows

_TEMPLATES = Path(__file__).parent / "templates"


def publish_suite(name: str, data: DataFolder) -> Path:
    """Write the suite to the data folder, completely or not at all, and return its folder; BadInput if it is imported.

    The warehouse is loaded before, since it tells the demonstrations of people, and after, since it has the published suites.
    """
    suite, catalog, record = read_suite(name), sound_catalog(), read_record(name)
    if suite.imported:
        raise BadInput(f"the tasks of the suite '{name}' are imported: they are their authors' to publish")
    tasks = suite_tasks(suite, catalog)
    load_warehouse(data)
    shown = reference_runs(data.warehouse, name)
    programs = find_image(suite.image, data.machines).programs if suite.image else {program for one in tasks for program in one.task.programs}
    rows = [
        {
            **annotation(one, catalog),
            **_of_person(shown.get(one.task.episode_id)),
            "valid_applications": valid_programs(one, catalog, programs),
            "composition_id": one.lineage,
            "episode": one.task.model_dump_json(),
            "oracle_seconds": record[one.lineage].oracle_seconds if one.lineage in record else None,
        }
        for one in tasks
    ]
    by_application = dict(sorted(Counter(application for row in rows for application in row["applications"]).items()))
    card = Environment(loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, trim_blocks=True).get_template("suite.md.j2")
    manifest = {
        "suite": name,
        "title": suite.title,
        "image": suite.image,
        "proven_on": suite.proven_on,
        "episodes": len(rows),
        "levels": dict(Counter(row["level"] for row in rows)),
    }
    with written_folder(data.suites / name) as folder:
        write_rows(folder / "data" / "episodes.parquet", "suite_episodes", rows)
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        (folder / "README.md").write_text(card.render(name=name, suite=suite, rows=rows, budgets=STEP_BUDGETS, by_application=by_application))
    load_warehouse(data)
    return data.suites / name


def _of_person(shown: ReferenceRun | None) -> Mapping[str, Any]:
    """Return what the best demonstration of an episode says, in place of what its annotation has; nothing if nobody has shown it."""
    return {} if shown is None else {"human_steps": shown.steps, "human_seconds": shown.seconds, "human_recording": shown.recording}
