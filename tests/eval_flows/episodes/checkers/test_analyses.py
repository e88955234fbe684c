"""Protects analyses by finite elements: what counts is what the solver would get, wherever it stands, in whatever unit and under whatever name."""

import io
import re
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from eval_flows.episodes.checkers.analyses import analysis
from eval_flows.episodes.checkers.meshes import read_unv
from eval_flows.episodes.tasks import jobs
from tests.eval_flows.episodes.tasks.examples import got

FOLDER = Path(jobs.__file__).parent / "materials" / "freecad"
LEVER, SOLVED = (FOLDER / "lever.FCStd").read_bytes(), (FOLDER / "lever_solved.FCStd").read_bytes()
TETRAHEDRON = """    -1
  2411
         1         1         1        11
   0.0000000000000000E+00   0.0000000000000000E+00   0.0000000000000000E+00
         2         1         1        11
   3.0000000000000000D+00   0.0000000000000000E+00   0.0000000000000000E+00
         3         1         1        11
   0.0000000000000000E+00   4.0000000000000000E+00   0.0000000000000000E+00
         4         1         1        11
   0.0000000000000000E+00   0.0000000000000000E+00   3.0000000000000000E+00
    -1
    -1
  2412
         1        11         2         1         7         2
         0         1         1
         1         2
         2       111         2         1         7         4
         1         2         3         4
    -1
"""


def rewritten(content: bytes, change: Callable[[str], str]) -> bytes:
    """A document with a change in what it says of its objects."""
    made = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(made, "w") as new:
        for name in old.namelist():
            new.writestr(name, change(old.read(name).decode()).encode() if name == "Document.xml" else old.read(name))
    return made.getvalue()


def test_an_analysis_is_read() -> None:
    assert analysis(LEVER, "analyses") == 1 and analysis(LEVER, "count.force") == 1 and analysis(LEVER, "count.pressure") == 0
    assert analysis(LEVER, "value.solver.AnalysisType") == "static" and analysis(LEVER, "value.solver.EigenmodesCount") == 10
    assert analysis(LEVER, "load") == [0, 0, -400] and analysis(LEVER, "value.force.Reversed") is True
    assert analysis(LEVER, "places.fixed") == [0, 15, 5] and analysis(LEVER, "places.force") == [120, 15, 5]
    assert got("analysis", LEVER, what="value.pressure.Pressure") is None, "there is none"


def test_a_mesh_is_measured_in_all_and_at_a_place() -> None:
    assert analysis(LEVER, "corners") == 10 and analysis(LEVER, "elements") == 567
    at_the_eye, far_away = analysis(LEVER, "edge.90,15,5,9"), analysis(LEVER, "edge.15,15,5,20")
    assert at_the_eye == pytest.approx(3.32, abs=0.01) and far_away == pytest.approx(10.35, abs=0.01)
    assert at_the_eye < analysis(LEVER, "edge") < far_away
    mesh = read_unv(TETRAHEDRON)
    assert mesh.nodes_of_each() == 4 and mesh.mean_edge("") == pytest.approx((3 + 4 + 3 + 5 + 18**0.5 + 5) / 6)
    assert mesh.mean_edge("1,0,0,2") == 3


def test_results_are_read_if_they_were_loaded() -> None:
    assert analysis(SOLVED, "count.result") == 1 and analysis(SOLVED, "largest.DisplacementLengths") == pytest.approx(0.4412, abs=1e-4)
    assert analysis(SOLVED, "largest.vonMises") == pytest.approx(90.03, abs=0.01)
    assert analysis(LEVER, "count.result") == 0 and got("analysis", LEVER, what="largest.vonMises") is None


@pytest.mark.parametrize(
    ("written", "modulus"), [("70 GPa", 70000), ("70000 MPa", 70000), ("7e+07 kPa", 70000), ("70000 N/mm^2", 70000), ("70GPa", 70000), ("70 MPa", 70)]
)
def test_a_material_is_the_same_in_any_unit(written: str, modulus: float) -> None:
    content = rewritten(LEVER, lambda text: text.replace("210000 MPa", written))
    assert analysis(content, "material.YoungsModulus") == pytest.approx(modulus)
    assert analysis(content, "material.Density") == 7850 and analysis(content, "material.PoissonRatio") == 0.3


def test_a_unit_that_nobody_knows_is_nothing() -> None:
    assert got("analysis", rewritten(LEVER, lambda text: text.replace("210000 MPa", "210000 furlongs")), what="material.YoungsModulus") is None


def test_what_is_beside_the_analysis_does_not_count() -> None:
    content = rewritten(LEVER, lambda text: re.sub(r'<Link value="Force"/>', "", text))
    assert analysis(content, "count.force") == 0 and analysis(content, "load") == [0, 0, 0] and analysis(content, "places.force") == []
