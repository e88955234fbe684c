"""The maker of mechanical parts: STEP files with boxes and cylinders that are added to and cut from one another."""

import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eval_flows.episodes.tasks.makers.maker import Makers

_TIME = re.compile(rb"'\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d'")
_NO_TIME = b"'2026-01-01T00:00:00'"
_COUNTED = re.compile(rb"Open CASCADE STEP translator [\d.]+ \d+")  # a name with the number of the file that this process writes
_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1)}
Json = Mapping[str, Any]


def _step(asked: Json) -> bytes:
    """Return a STEP file: each part is a solid of its own."""
    from OCP.Message import Message, Message_PrinterOStream
    from OCP.STEPControl import STEPControl_AsIs, STEPControl_Writer

    Message.DefaultMessenger_s().RemovePrinters(Message_PrinterOStream.get_type_descriptor_s())  # the kernel tells everything on the terminal
    writer = STEPControl_Writer()
    for part in asked["parts"]:
        writer.Transfer(_part(part), STEPControl_AsIs)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "part.step"
        writer.Write(str(path))
        return _COUNTED.sub(b"part", _TIME.sub(_NO_TIME, path.read_bytes()))


def _part(asked: Json) -> Any:
    from OCP.BRepAlgoAPI import BRepAlgoAPI_Cut, BRepAlgoAPI_Fuse

    shape = _primitive(asked)
    for more in asked.get("add", ()):
        shape = BRepAlgoAPI_Fuse(shape, _primitive(more)).Shape()
    for less in asked.get("cut", ()):
        shape = BRepAlgoAPI_Cut(shape, _primitive(less)).Shape()
    return shape


def _primitive(asked: Json) -> Any:
    from OCP.BRepPrimAPI import BRepPrimAPI_MakeBox, BRepPrimAPI_MakeCylinder
    from OCP.gp import gp_Ax2, gp_Dir, gp_Pnt

    if "box" in asked:
        x, y, z, *lengths = map(float, asked["box"])
        return BRepPrimAPI_MakeBox(gp_Pnt(x, y, z), *lengths).Shape()
    x, y, z, radius, height = map(float, asked["cylinder"])
    return BRepPrimAPI_MakeCylinder(gp_Ax2(gp_Pnt(x, y, z), gp_Dir(*_AXES[asked.get("along", "z")])), radius, height).Shape()


MAKERS = Makers(of_files={"step": _step})
