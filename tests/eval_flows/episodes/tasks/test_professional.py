"""Protects the size of the professional suite: every application of ProSoftArena has its jobs, also where two of them are one program of ours."""

import re
from collections import Counter
from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.tasks.jobs import read_jobs
from eval_flows.episodes.tasks.suite import SUITES

FILES = {  # the files of our jobs by the application of ProSoftArena that they stand for
    "Photoshop": ["gimp_linux"],
    "Illustrator": ["inkscape"],
    "Excel": ["libreoffice_calc"],
    "RGui": ["r"],
    "ImageJ": ["imagej"],
    "ChemDraw": ["bkchem"],
    "ArcGIS": ["qgis"],
    "ANSYS": ["freecad_fem"],
    "Multisim": ["kicad", "ngspice"],
    "NVivo": ["taguette"],
    "VS Code": ["geany"],
    "AutoCAD": ["librecad"],
    "SolidWorks": ["freecad"],
}
SEVERAL = {"pipelines", "briefs"}  # jobs in several programs
DOCS = Path(__file__).parents[4] / "docs" / "professional.md"
LEAST_L1, LEAST_L2 = 15, 8
FEWER_L1 = {"NVivo": 10}  # it has fewer core operations


@pytest.mark.parametrize("theirs", FILES)
def test_every_application_has_enough_jobs(theirs: str, catalog: Catalog) -> None:
    levels = Counter(job.level for job in read_jobs(SUITES / "professional", catalog, FILES[theirs]))
    assert levels["L1"] >= FEWER_L1.get(theirs, LEAST_L1) and levels["L2"] >= LEAST_L2, dict(levels)


def test_the_table_of_the_docs_has_these_numbers(catalog: Catalog) -> None:
    told = {
        theirs: (int(of_l1), int(of_l2))
        for theirs, of_l1, of_l2 in re.findall(r"^\|[^|]+\| ([^|]+) \|[^|]+\| (\d+) \| (\d+) \|$", DOCS.read_text(), re.M)
    }
    jobs = {theirs: [job.level for job in read_jobs(SUITES / "professional", catalog, names)] for theirs, names in FILES.items()}
    assert told == {theirs: (levels.count("L1"), levels.count("L2")) for theirs, levels in jobs.items()}


def test_every_file_of_jobs_stands_for_an_application() -> None:
    files = {path.stem for path in (SUITES / "professional").glob("*.yaml")}
    assert files == {name for names in FILES.values() for name in names} | SEVERAL
