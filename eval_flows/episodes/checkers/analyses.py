"""The getter of analyses by finite elements: what a document of FreeCAD holds for its solver, and what the solver found.

What counts is what the solver would get: objects that are in an analysis, and the faces and edges they refer to by where these are.
"""

import re
import struct
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from eval_flows.episodes.checkers.care import opened, read_part
from eval_flows.episodes.checkers.checker import Checkers
from eval_flows.episodes.checkers.meshes import Mesh, read_unv

_MOST_BYTES = 20_000_000
_KINDS = {  # by the type of an object or, where that says too little, by the module of its proxy
    "Fem::ConstraintFixed": "fixed",
    "Fem::ConstraintForce": "force",
    "Fem::ConstraintPressure": "pressure",
    "Fem::ConstraintDisplacement": "displacement",
    "Fem::ConstraintTemperature": "temperature",
    "Fem::ConstraintHeatflux": "heat",
    "Fem::FemMeshShapeNetgenObject": "mesh",
    "Fem::FemMeshObject": "mesh",
    "femobjects.mesh_gmsh": "mesh",
    "femobjects.mesh_region": "region",
    "femobjects.material_common": "material",
    "femobjects.element_geometry1D": "section",
    "femobjects.element_geometry2D": "thickness",
    "femobjects.constraint_selfweight": "weight",
    "femobjects.result_mechanical": "result",
    "femobjects.solver_ccxtools": "solver",
    "femsolver.calculix.solver": "solver",
}
_NUMBER = re.compile(r"[-+]?[\d.]+(?:[eE][-+]?\d+)?")
_UNITS: Mapping[str, Mapping[str, float]] = {  # of material cards: what one unit is in MPa, kg/m^3, W/m/K and mm/mm/K
    "YoungsModulus": {"Pa": 1e-6, "kPa": 1e-3, "MPa": 1, "GPa": 1e3, "N/mm^2": 1, "N/m^2": 1e-6, "kg/(mm*s^2)": 1e-3},
    "Density": {"kg/m^3": 1, "g/cm^3": 1e3, "kg/mm^3": 1e9, "t/mm^3": 1e12, "kg/dm^3": 1e3},
    "PoissonRatio": {"": 1},
    "ThermalConductivity": {"W/m/K": 1, "W/(m*K)": 1, "mm*kg/(s^3*K)": 1e-3, "W/mm/K": 1e3},
}


@dataclass(frozen=True)
class _Part:
    """An object of a document: its name and kind, and its properties."""

    name: str
    kind: str
    properties: Mapping[str, ElementTree.Element]

    def value(self, name: str) -> Any:
        """Return a property: a number, a truth, the text of a choice, or a vector as a list; KeyError if it has none of that name."""
        inner, *more = self.properties[name]
        if inner.tag == "PropertyVector":
            return [float(inner.get(f"value{axis}", "nan")) for axis in "XYZ"]
        if inner.tag == "Bool":
            return inner.get("value") == "true"
        if inner.get("CustomEnum"):
            return [one.get("value") for one in more[0]][int(inner.get("value", ""))]
        text = inner.get("value", "")
        return float(text) if inner.tag in ("Float", "Integer") else text

    def links(self) -> Iterator[tuple[str, str]]:
        """Yield the objects that it refers to, each with the face or edge that is meant."""
        for one in self.properties.values():
            yield from ((link.get("value") or link.get("obj") or "", link.get("sub") or "") for link in (*one.iter("Link"), *one.iter("LinkSub")))


class _Document:
    """An opened document of FreeCAD."""

    def __init__(self, content: bytes) -> None:
        if len(content) > _MOST_BYTES:
            raise ValueError("this file is too large")
        self._archive = opened(content)
        self._files = {part.filename: part for part in self._archive.infolist()}
        tree = ElementTree.fromstring(self.file("Document.xml"))
        types = {one.get("name", ""): one.get("type", "") for one in tree.findall("Objects/Object")}
        data = {one.get("name", ""): {p.get("name", ""): p for p in one.findall("Properties/Property")} for one in tree.findall("ObjectData/Object")}
        self._parts = {name: _Part(name, _kind(types.get(name, ""), inner), inner) for name, inner in data.items()}
        self.analyses = [part for name, part in self._parts.items() if types.get(name, "").startswith("Fem::FemAnalysis")]

    def file(self, name: str) -> bytes:
        """Return a file of the archive."""
        return read_part(self._archive, self._files[name])

    def in_analysis(self, kind: str) -> list[_Part]:
        """Return the objects of a kind that are in an analysis, or that an object of an analysis refers to."""
        members = [name for one in self.analyses for name, _ in one.links()]
        inner = [name for member in members if member in self._parts for name, _ in self._parts[member].links()]
        return [part for name, part in self._parts.items() if name in {*members, *inner} and part.kind == kind]

    def places(self, part: _Part) -> Iterator[tuple[float, float, float]]:
        """Yield the middles of the faces, edges and corners that an object refers to; of whole shapes nothing."""
        for name, sub in part.links():
            shape_file = self._parts[name].properties["Shape"].find("Part") if sub and name in self._parts else None
            if shape_file is not None:
                yield _middle(self.file(shape_file.get("file", "")), sub)

    def numbers(self, part: _Part, name: str) -> tuple[float, ...]:
        """Return a list of numbers of a result, node by node."""
        inner = part.properties[name].find("FloatList")
        content = b"" if inner is None else self.file(inner.get("file", ""))
        (count,) = struct.unpack_from("<I", content)
        return struct.unpack_from(f"<{count}{'d' if len(content) >= 4 + 8 * count else 'f'}", content, 4)

    def mesh(self) -> Mesh:
        """Return the only mesh of the analyses."""
        (part,) = self.in_analysis("mesh")
        inner = part.properties["FemMesh"].find("FemMesh")
        if inner is None:
            raise ValueError("there is no mesh")
        return read_unv(self.file(inner.get("file", "")).decode("ascii", "replace"))


def analysis(content: bytes, what: str) -> Any:
    """Return a property of the analyses in a document; None if there is no such thing, or not exactly one where one is meant."""
    kind, _, about = what.partition(".")
    return _OF_ANALYSES[kind](_Document(content), about)


def _kind(kind: str, properties: Mapping[str, ElementTree.Element]) -> str:
    proxy = properties["Proxy"].find("Python") if "Proxy" in properties else None
    return _KINDS.get(kind) or _KINDS.get("" if proxy is None else proxy.get("module", ""), "")


def _middle(brep: bytes, sub: str) -> tuple[float, float, float]:
    """Return the centre of mass of a face or an edge, which is named by its kind and its number from 1; IndexError if the shape has none of it."""
    from OCP.BRep import BRep_Builder
    from OCP.BRepGProp import BRepGProp
    from OCP.BRepTools import BRepTools
    from OCP.GProp import GProp_GProps
    from OCP.TopAbs import TopAbs_EDGE, TopAbs_FACE
    from OCP.TopoDS import TopoDS_Shape

    shape, found = TopoDS_Shape(), GProp_GProps()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "shape"
        path.write_bytes(brep)
        BRepTools.Read_s(shape, str(path), BRep_Builder())
    is_face = sub.startswith("Face")
    one = _different(shape, TopAbs_FACE if is_face else TopAbs_EDGE)[int(sub.removeprefix("Face" if is_face else "Edge")) - 1]
    (BRepGProp.SurfaceProperties_s if is_face else BRepGProp.LinearProperties_s)(one, found)
    centre = found.CentreOfMass()
    return round(centre.X(), 3), round(centre.Y(), 3), round(centre.Z(), 3)


def _different(shape: Any, kind: Any) -> list[Any]:
    """Return the faces or edges of a shape in the order in which FreeCAD numbers them: an edge between two faces counts once."""
    from OCP.TopExp import TopExp_Explorer

    found: list[Any] = []
    explorer = TopExp_Explorer(shape, kind)
    while explorer.More():
        if not any(explorer.Current().IsSame(other) for other in found):
            found.append(explorer.Current())
        explorer.Next()
    return found


def _value(document: _Document, about: str) -> Any:
    kind, _, name = about.partition(".")
    (part,) = document.in_analysis(kind)
    return part.value(name)


def _material(document: _Document, name: str) -> float | None:
    """Return a property of the only material, in the unit that the table of units has as 1."""
    (part,) = document.in_analysis("material")
    text = next((one.get("value", "") for one in part.properties["Material"].iter("Item") if one.get("key") == name), "")
    number = _NUMBER.match(text.strip())
    if number is None:
        return None
    factor = _UNITS[name].get(text.strip()[number.end() :].replace(" ", "").replace("³", "^3"))
    return None if factor is None else float(number.group()) * factor


def _places(document: _Document, kind: str) -> list[float]:
    """Return the middles of all faces and edges that objects of a kind refer to, from left to right, each as x, y and z."""
    found = sorted({place for part in document.in_analysis(kind) for place in document.places(part)})
    return [number for place in found for number in place]


def _moves(document: _Document, _: str) -> list[float | str]:
    """Return what the only displacement prescribes in x, y and z in mm, an empty text where it leaves the body free."""
    (part,) = document.in_analysis("displacement")
    return [_move(part, axis) for axis in "xyz"]


def _move(part: _Part, axis: str) -> float | str:
    if part.value(f"{axis}Fix"):
        return 0.0
    return "" if part.value(f"{axis}Free") else float(part.value(f"{axis}Displacement"))


def _load(document: _Document, _: str) -> list[float]:
    """Return the sum of all forces, as x, y and z in N."""
    loads = [(part.value("Force"), part.value("DirectionVector")) for part in document.in_analysis("force")]
    return [round(sum(force * along[axis] for force, along in loads), 4) for axis in range(3)]


def _largest(document: _Document, name: str) -> float:
    """Return the largest number of the last result."""
    return max(document.numbers(document.in_analysis("result")[-1], name))


_OF_ANALYSES: Mapping[str, Callable[[_Document, str], Any]] = {
    "analyses": lambda document, _: len(document.analyses),
    "count": lambda document, kind: len(document.in_analysis(kind)),
    "value": _value,
    "material": _material,
    "places": _places,
    "moves": _moves,
    "load": _load,
    "elements": lambda document, _: len(document.mesh().elements),
    "corners": lambda document, _: document.mesh().nodes_of_each(),
    "edge": lambda document, where: document.mesh().mean_edge(where),
    "largest": _largest,
}
CHECKERS = Checkers(of_files={"analysis": lambda content, asked: analysis(content, asked["what"])})
