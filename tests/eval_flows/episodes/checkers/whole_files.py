"""Right files of professional software, to be damaged, and questions about each that its getter answers."""

import io
from collections.abc import Callable, Mapping
from functools import cache

import numpy as np
from PIL import Image, TiffImagePlugin
from roifile import ROI_TYPE, ImagejRoi

from tests.eval_flows.episodes.tasks.examples import made

NETS = b"""(export (version "E") (components (comp (ref "R1") (value "1k")) (comp (ref C1) (value 100n)))
 (nets (net (code 1) (name OUT) (node (ref "R1") (pin "2") (pintype passive)) (node (ref C1) (pin 1))) (net (code 2) (name IN) (node (ref R1) (pin 1)))))"""
_PLACE_TAGS = {33550: (12, (10.0, 10.0, 0.0)), 33922: (12, (0.0, 0.0, 0.0, 500.0, 630.0, 0.0)), 42113: (2, "-9999")}
"""Tags of a grid by number, each with its type and value: the size of a cell, the place of the first corner, and what stands for nothing."""


def grid_file() -> bytes:
    """A grid of 4 by 3 cells with the values 0 to 10, and one cell without a value."""
    picture = Image.new("F", (4, 3))
    picture.putdata([float(number) for number in range(11)] + [-9999.0])
    tags, file = TiffImagePlugin.ImageFileDirectory_v2(), io.BytesIO()
    for tag, (kind, value) in _PLACE_TAGS.items():
        tags[tag] = value
        tags.tagtype[tag] = kind
    picture.save(file, "TIFF", tiffinfo=tags)
    return file.getvalue()


def _region() -> bytes:
    region = ImagejRoi.frompoints(np.array([[2, 3], [8, 3], [8, 9]]))
    region.roitype = ROI_TYPE.POLYGON
    return bytes(region.tobytes())


_FILES: Mapping[str, Callable[[], bytes]] = {
    "dxf": lambda: made("dxf"),
    "svg": lambda: made("svg"),
    "solid": lambda: made("step"),
    "molecule": lambda: made("molfile"),
    "schematic": lambda: made("schematic"),
    "netlist": lambda: NETS,
    "features": lambda: made("features"),
    "grid": grid_file,
    "coded": lambda: made("interviews"),
    "micrograph": lambda: made("micrograph"),
    "rois": _region,
    "table": lambda: b"name,eggs\nwren,6\nowl,3\n",
}
QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "dxf": ("count.line", "length", "circles", "bounds", "texts", "layers", "area"),
    "svg": ("boxes", "texts", "fill.bar", "area.bar", "layer_of.bar"),
    "solid": ("volume", "box", "holes.4"),
    "molecule": ("formula", "weight", "has.CO", "is.CCO"),
    "schematic": ("references", "amount.R1", "wires"),
    "netlist": ("references", "net_of.C1.1", "nets"),
    "features": ("count", "columns", "bounds", "column.name", "length"),
    "grid": ("width", "cell", "value.505,625", "mean"),
    "coded": ("tags", "documents", "passages.cost", "tags_of.They charge", "count"),
    "micrograph": ("size", "bits", "mean"),
    "rois": ("count", "areas", "bounds"),
    "table": ("columns", "rows", "column.eggs", "value.eggs:owl", "largest.eggs"),
}


@cache
def whole_file(getter: str) -> bytes:
    """Return a right file for a getter."""
    return _FILES[getter]()
