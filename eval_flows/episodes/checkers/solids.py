"""The getter of mechanical parts: solids in STEP files and in documents of FreeCAD, measured by the kernel that such programs use."""

import io
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from eval_flows.episodes.checkers.care import opened, read_part
from eval_flows.episodes.checkers.checker import Checkers

TOLERANCE = 0.01  # mm, and degrees
_MOST_BYTES = 20_000_000


def solid(content: bytes, what: str) -> Any:
    """Return a property of the solids in a file; ValueError for a file that is too large or has none."""
    if len(content) > _MOST_BYTES:
        raise ValueError("this file is too large")
    found = [part for shape in _shapes(content) for part in _solids(shape)]
    if not found:
        raise ValueError("no solid is in this file")
    kind, _, about = what.partition(".")
    return _OF_SOLIDS[kind](found, about)


def _shapes(content: bytes) -> Iterator[Any]:
    """Yield the shapes of a file: of a document of FreeCAD those that no other shape is made from."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shape"
        if zipfile.is_zipfile(io.BytesIO(content)):
            for part in _final_parts(content):
                path.write_bytes(part)
                yield _read_brep(path)
        else:
            path.write_bytes(content)
            yield _read_step(path)


def _read_brep(path: Path) -> Any:
    from OCP.BRep import BRep_Builder
    from OCP.BRepTools import BRepTools
    from OCP.TopoDS import TopoDS_Shape

    shape = TopoDS_Shape()
    if not BRepTools.Read_s(shape, str(path), BRep_Builder()):
        raise ValueError("this shape cannot be read")
    return shape


def _read_step(path: Path) -> Any:
    from OCP.IFSelect import IFSelect_RetDone
    from OCP.Message import Message, Message_PrinterOStream
    from OCP.STEPControl import STEPControl_Reader

    Message.DefaultMessenger_s().RemovePrinters(Message_PrinterOStream.get_type_descriptor_s())  # the kernel tells everything on the terminal
    reader = STEPControl_Reader()
    if reader.ReadFile(str(path)) != IFSelect_RetDone:
        raise ValueError("this is no STEP file")
    reader.TransferRoots()
    return reader.OneShape()


def _final_parts(content: bytes) -> list[bytes]:
    """Return the shapes in a document of FreeCAD whose objects no other object with a shape refers to."""
    with opened(content) as archive:
        parts = {part.filename: part for part in archive.infolist()}
        objects = ElementTree.fromstring(read_part(archive, parts["Document.xml"])).findall("ObjectData/Object")
        shape_of = {name: part for one in objects if (part := _shape_file(one)) in parts and (name := one.get("name", ""))}
        used = {link for one in objects if one.get("name") in shape_of for link in _links(one)}
        return [read_part(archive, parts[part]) for name, part in shape_of.items() if name not in used and part is not None]


def _shape_file(one: ElementTree.Element) -> str | None:
    part = one.find("Properties/Property[@name='Shape']/Part")
    return None if part is None else part.get("file")


def _links(one: ElementTree.Element) -> Iterator[str]:
    for link in (*one.iter("Link"), *one.iter("LinkSub")):
        yield link.get("value") or link.get("obj") or ""


def _solids(shape: Any) -> list[Any]:
    from OCP.TopAbs import TopAbs_SOLID

    return list(_of_kind(shape, TopAbs_SOLID))


def _of_kind(shape: Any, kind: Any) -> Iterator[Any]:
    from OCP.TopExp import TopExp_Explorer

    explorer = TopExp_Explorer(shape, kind)
    while explorer.More():
        yield explorer.Current()
        explorer.Next()


def _properties(shape: Any, of: str) -> Any:
    from OCP.BRepGProp import BRepGProp
    from OCP.GProp import GProp_GProps

    found = GProp_GProps()
    getattr(BRepGProp, f"{of}Properties_s")(shape, found)
    return found


def _volume(shape: Any) -> float:
    return float(_properties(shape, "Volume").Mass())


def _box(shapes: list[Any], _: str) -> list[float]:
    """Return left, front, lower, right, back and upper edge."""
    from OCP.Bnd import Bnd_Box
    from OCP.BRepBndLib import BRepBndLib

    box = Bnd_Box()
    for shape in shapes:
        BRepBndLib.AddOptimal_s(shape, box)
    least, most = box.CornerMin(), box.CornerMax()
    return [round(float(edge), 3) for edge in (least.X(), least.Y(), least.Z(), most.X(), most.Y(), most.Z())]


def _lengths(shapes: list[Any], about: str) -> list[float]:
    edges = _box(shapes, about)
    return sorted(round(edges[axis + 3] - edges[axis], 3) for axis in range(3))


def _centre(shapes: list[Any], _: str) -> list[float]:
    weights = [(_volume(shape), _properties(shape, "Volume").CentreOfMass()) for shape in shapes]
    whole = sum(weight for weight, _ in weights)
    return [round(sum(weight * getattr(point, axis)() for weight, point in weights) / whole, 4) for axis in ("X", "Y", "Z")]


def _cylinders(shapes: list[Any], radius: float, is_hollow: bool) -> int:
    """Return the number of axes with a cylindrical face of that radius, hollow as in a hole or round as on a pin."""
    from OCP.BRepAdaptor import BRepAdaptor_Surface
    from OCP.GeomAbs import GeomAbs_Cylinder
    from OCP.TopAbs import TopAbs_FACE, TopAbs_REVERSED
    from OCP.TopoDS import TopoDS

    axes: list[Any] = []
    for shape in shapes:
        for face in _of_kind(shape, TopAbs_FACE):
            surface = BRepAdaptor_Surface(TopoDS.Face(face))
            if surface.GetType() != GeomAbs_Cylinder:
                continue
            cylinder = surface.Cylinder()
            points_inwards = (face.Orientation() == TopAbs_REVERSED) == cylinder.Direct()  # a left-handed surface has its normal inside
            if points_inwards != is_hollow or abs(cylinder.Radius() - radius) > TOLERANCE:
                continue
            axis = cylinder.Axis()
            if not any(axis.IsCoaxial(other, TOLERANCE, TOLERANCE) or axis.IsCoaxial(other.Reversed(), TOLERANCE, TOLERANCE) for other in axes):
                axes.append(axis)
    return len(axes)


def _inside(shapes: list[Any], about: str) -> bool:
    """Tell whether a place is in the material, not outside and not on a face."""
    from OCP.BRepClass3d import BRepClass3d_SolidClassifier
    from OCP.gp import gp_Pnt
    from OCP.TopAbs import TopAbs_IN

    point = gp_Pnt(*map(float, about.split(",")))
    return any(BRepClass3d_SolidClassifier(shape, point, TOLERANCE).State() == TopAbs_IN for shape in shapes)


_OF_SOLIDS: Mapping[str, Callable[[list[Any], str], Any]] = {
    "count": lambda shapes, _: len(shapes),
    "volume": lambda shapes, _: sum(map(_volume, shapes)),
    "volumes": lambda shapes, _: sorted(map(_volume, shapes)),
    "area": lambda shapes, _: sum(float(_properties(shape, "Surface").Mass()) for shape in shapes),
    "box": _box,
    "lengths": _lengths,
    "centre": _centre,
    "holes": lambda shapes, radius: _cylinders(shapes, float(radius), is_hollow=True),
    "pins": lambda shapes, radius: _cylinders(shapes, float(radius), is_hollow=False),
    "inside": _inside,
}
CHECKERS = Checkers(
    of_files={"solid": lambda content, asked: solid(content, asked["what"])},
    apart=frozenset({"solid"}),
)
