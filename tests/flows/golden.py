"""What every stage makes of a small input that depends on the code alone, as hashes. Run as a module to write the golden file anew."""

import hashlib
import json
import tempfile
from pathlib import Path
from typing import Any

from compositions.schema import Workflow
from flows.recipe import read_recipe
from flows.shard import ShardJob, make_shard
from flows.versions import PARAPHRASE, shaping_versions
from narrators.styles import read_styles
from tests.flows.golden_dataset import golden_dataset

GOLDEN_FILE = Path(__file__).parent / "golden.json"
_SAY = ["add up {column} in {workbook}", "put {column} of {workbook} in order", "What does {column} in {workbook} come to?"]


def golden_state() -> dict[str, Any]:
    """Versions, and the hashes of the golden shard's bytes and of what the later stages make of a golden dataset."""
    with tempfile.TemporaryDirectory() as folder:
        shard = make_shard(golden_job(), Path(folder))
        content = (Path(folder) / f"{shard.address}.parquet").read_bytes()
        later = golden_dataset(Path(folder) / "dataset")
    made = {"shard": hashlib.sha256(content).hexdigest(), **later}
    return {"versions": {**shaping_versions(), "paraphrase": str(PARAPHRASE)}, "sha256": made}


def golden_job() -> ShardJob:
    """Tasks of its own, every kind of composition, computed, pooled and tied arguments."""
    recipe = read_recipe("tiny")[1]
    arguments = {"column": "golden_column", "workbook": "spreadsheet_file"}
    opening = {"id": "golden.open", "title": "Open", "capability": "a.open", "generic": True, "arguments": {"workbook": "spreadsheet_file"}}
    tasks: list[dict[str, Any]] = [
        {**opening, "gives": ["open(workbook)"], "say": ["open {workbook}", "bring up {workbook}", "I need {workbook}."]},
        {
            "id": "golden.sum",
            "title": "Sum",
            "capability": "a.sum",
            "arguments": arguments,
            "needs": ["open(workbook)"],
            "gives": ["summed(column)"],
            "say": _SAY,
            "named": ["add up {column} with Golden Sheets"],
        },
        {
            "id": "golden.send",
            "title": "Send",
            "capability": "a.send",
            "arguments": {"workbook": "spreadsheet_file", "person": "person", "address": {"generator": "email_address", "of": "person"}},
            "needs": ["open(workbook)"],
            "say": [
                "send {workbook} to {person} at {address}",
                "mail {workbook} to {person}, {address}",
                "Does {person} ({address}) have {workbook}?",
            ],
        },
    ]
    workflow = {
        "id": "golden_flow",
        "goal": {"capability": "a.sum", "say": ["sum up {workbook} for {person}", "{person} waits for {workbook}."]},
        "steps": [{"task": "golden.open"}, {"task": "golden.sum"}, {"task": "golden.send"}],
    }
    return ShardJob.model_validate(
        {
            "application": "golden",
            "names": {
                "application": [("Golden", ["golden"]), ("Golden App", ["golden"])],
                "kind": [("in my golden program", ["golden", "silver"])],
                "vendor": [("in the Acme golden program", ["golden"])],
            },
            "wanted": 80,
            "most_attempts": 12,
            "wanted_graphs": {},
            "tasks": {task["id"]: task for task in tasks},
            "workflows": {"golden_flow": Workflow.model_validate(workflow)},
            "worlds": (),
            "pools": [{"columns": ["golden_column"], "later": {"golden_column": ["that column"]}, "values": ["Revenue", "Cost", "Tax", "Net"]}],
            "seed": 1,
            "locales": recipe.locales,
            "compositions": recipe.compositions,
            "splits": recipe.splits,
            "narration": recipe.narration,
            "styles": read_styles(),
            "versions": {},
        }
    )


if __name__ == "__main__":
    GOLDEN_FILE.write_text(json.dumps(golden_state(), indent=2) + "\n")
