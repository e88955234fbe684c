"""The maker of technical drawings in DXF."""

import io
from typing import Any

from eval_flows.episodes.tasks.makers.maker import Json, Makers

_UNITS = {"mm": 4, "cm": 5, "m": 6}


def _dxf(asked: Json) -> bytes:
    from ezdxf._options import options
    from ezdxf.filemanagement import new

    options.write_fixed_meta_data_for_testing = True  # no time and no new identity, so the bytes are the same each time
    document = new("R2000", setup=True, units=_UNITS[asked.get("unit", "mm")])
    for name, colour in asked.get("layers", {}).items():
        document.layers.add(str(name), color=int(colour))
    for entity in asked.get("entities", ()):
        _add(document.modelspace(), entity, {"layer": str(entity.get("layer", "0"))})
    file = io.StringIO()
    document.write(file)
    return file.getvalue().encode()


def _add(space: Any, entity: Json, attributes: dict[str, Any]) -> None:
    if "line" in entity:
        x0, y0, x1, y1 = map(float, entity["line"])
        space.add_line((x0, y0), (x1, y1), attributes)
    elif "circle" in entity:
        x, y, radius = map(float, entity["circle"])
        space.add_circle((x, y), radius, attributes)
    elif "arc" in entity:
        x, y, radius, start, end = map(float, entity["arc"])
        space.add_arc((x, y), radius, start, end, dxfattribs=attributes)
    elif "polyline" in entity:
        space.add_lwpolyline([(float(x), float(y)) for x, y in entity["polyline"]], close=bool(entity.get("closed")), dxfattribs=attributes)
    elif "text" in entity:
        height = float(entity.get("height", 2.5))
        space.add_text(str(entity["text"]), height=height, dxfattribs=attributes).set_placement(tuple(map(float, entity["at"])))
    else:
        x0, y0, x1, y1 = map(float, entity["dimension"])
        space.add_aligned_dim((x0, y0), (x1, y1), distance=float(entity.get("away", 5)), dxfattribs=attributes).render()


MAKERS = Makers(of_files={"dxf": _dxf})
