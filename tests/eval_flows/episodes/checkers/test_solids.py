"""Protects mechanical parts: volumes, holes and places are the same whatever the format, the history and the way a part lies."""

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.checkers.solids import solid
from eval_flows.episodes.tasks.makers.maker import made_file

PLATE = {"box": [0, 0, 0, 80, 50, 8], "cut": [{"cylinder": [12, 12, 0, 4, 8]}, {"cylinder": [68, 38, 0, 4, 8]}]}
PIN = {"cylinder": [100, 0, 0, 5, 20], "along": "x"}


def step(*parts: Any) -> bytes:
    return made_file("step", {"path": "a.step", "parts": list(parts)})


def brep(tmp_path: Path, mirrored: bool) -> bytes:
    """A tube of FreeCAD's own format, also with a left-handed surface."""
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut
    from OCP.BRepBuilderAPI import BRepBuilderAPI_Transform
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeCylinder
    from OCP.BRepTools import BRepTools
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt, gp_Trsf

    shape = BRepAlgoAPI_Cut(BRepPrimAPI_MakeCylinder(15, 20).Shape(), BRepPrimAPI_MakeCylinder(8, 20).Shape()).Shape()
    if mirrored:
        mirror = gp_Trsf()
        mirror.SetMirror(gp_Ax2(gp_Pnt(0, 0, 0), gp_Dir(1, 0, 0)))
        shape = BRepBuilderAPI_Transform(shape, mirror, True).Shape()
    BRepTools.Write_s(shape, str(tmp_path / "a.brp"))
    return (tmp_path / "a.brp").read_bytes()


def document(**shapes: tuple[bytes, str]) -> bytes:
    """A document of FreeCAD; each object has a shape, and the name of the object that it is made from."""
    objects = "".join(
        f'<Object name="{name}"><Properties><Property name="Shape"><Part file="{name}.brp"/></Property>'
        f'<Property name="Base"><Link value="{base}"/></Property></Properties></Object>'
        for name, (_, base) in shapes.items()
    )
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("Document.xml", f"<Document><ObjectData>{objects}</ObjectData></Document>")
        for name, (content, _) in shapes.items():
            archive.writestr(f"{name}.brp", content)
    return file.getvalue()


def test_a_part_is_measured() -> None:
    content = step(PLATE)
    assert content == step(PLATE), "the same bytes each time"
    assert solid(content, "count") == 1 and solid(content, "volume") == pytest.approx(32000 - 2 * 402.124, abs=0.1)
    assert solid(content, "box") == [0, 0, 0, 80, 50, 8] and solid(content, "lengths") == [8, 50, 80]
    assert solid(content, "holes.4") == 2 and solid(content, "holes.5") == 0 and solid(content, "pins.4") == 0
    assert (
        solid(content, "inside.40,25,4")
        and not solid(content, "inside.12,12,4")
        and solid(content, "centre") == pytest.approx([40, 25, 4], abs=0.001)
    )
    both = step(PLATE, PIN)
    assert solid(both, "count") == 2 and solid(both, "pins.5") == 1 and solid(both, "volumes") == pytest.approx([1570.796, 31195.752], abs=0.01)


@pytest.mark.parametrize("mirrored", [False, True])
def test_only_the_last_shape_of_a_document_counts(tmp_path: Path, mirrored: bool) -> None:
    tube = brep(tmp_path, mirrored)
    content = document(Outer=(tube, ""), Ring=(tube, "Outer"))
    assert solid(content, "count") == 1 and solid(content, "holes.8") == 1 and solid(content, "pins.15") == 1 and solid(content, "pins.8") == 0
    assert solid(document(Outer=(tube, ""), Ring=(tube, "")), "count") == 2


def test_what_is_no_part_is_refused() -> None:
    for content in (b"", b"no part", step(PLATE)[:500], document(Ring=(b"broken", ""))):
        with pytest.raises(Exception, match=r"."):
            solid(content, "volume")
    with pytest.raises(ValueError, match="too large"):
        solid(b" " * 20_000_001, "volume")
