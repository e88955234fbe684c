"""Publishing a suite as a dataset: Parquet with ProSoftArena's metadata, a manifest and a card."""

import json
from collections import Counter
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.proofs.record import read_record
from eval_flows.episodes.tasks.annotation import annotation
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks, valid_programs
from eval_flows.episodes.tasks.task import STEP_BUDGETS
from machines.image import find_image
from warehouse.layout import DataFolder, written_folder
from warehouse.loader import load_warehouse
from warehouse.parquet import write_rows

_TEMPLATES = Path(__file__).parent / "templates"


def publish_suite(name: str, data: DataFolder) -> Path:
    """Write the suite to the data folder, completely or not at all, load the warehouse, and return the suite's folder."""
    suite, catalog, record = read_suite(name), sound_catalog(), read_record(name)
    programs = find_image(suite.image, data.machines).programs
    rows = [
        {
            **annotation(one, catalog),
            "valid_applications": valid_programs(one, catalog, programs),
            "composition_id": one.lineage,
            "episode": one.task.model_dump_json(),
            "oracle_seconds": record[one.lineage].oracle_seconds if one.lineage in record else None,
        }
        for one in suite_tasks(suite, catalog)
    ]
    by_application = dict(sorted(Counter(application for row in rows for application in row["applications"]).items()))
    card = Environment(loader=FileSystemLoader(_TEMPLATES), undefined=StrictUndefined, trim_blocks=True).get_template("suite.md.j2")
    manifest = {
        "suite": name,
        "title": suite.title,
        "image": suite.image,
        "episodes": len(rows),
        "levels": dict(Counter(row["level"] for row in rows)),
    }
    with written_folder(data.suites / name) as folder:
        write_rows(folder / "data" / "episodes.parquet", "suite_episodes", rows)
        (folder / "manifest.json").write_text(json.dumps(manifest, indent=2) + "\n")
        (folder / "README.md").write_text(card.render(name=name, suite=suite, rows=rows, budgets=STEP_BUDGETS, by_application=by_application))
    load_warehouse(data)
    return data.suites / name
