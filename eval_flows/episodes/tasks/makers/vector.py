"""The maker of vector graphics in SVG, with layers of Inkscape."""

from xml.sax.saxutils import escape, quoteattr

from eval_flows.episodes.tasks.makers.maker import Json, Makers

_HEAD = (
    '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
    'xmlns:inkscape="http://www.inkscape.org/namespaces/inkscape" width="{0}mm" height="{1}mm" viewBox="0 0 {0} {1}">'
)
_KEYS = {"rect": ("x", "y", "width", "height"), "ellipse": ("cx", "cy", "rx", "ry"), "line": ("x1", "y1", "x2", "y2")}


def _svg(asked: Json) -> bytes:
    width, height = asked["size"]
    lines, layer = [_HEAD.format(width, height)], None
    for number, shape in enumerate(asked["shapes"]):
        if shape.get("layer") != layer:
            lines += ["</g>"] if layer is not None else []
            layer = shape.get("layer")
            if layer is not None:
                lines.append(f'<g inkscape:groupmode="layer" inkscape:label={quoteattr(layer)} id={quoteattr(f"layer-{layer}")}>')
        lines.append(_shape(shape, number))
    return "\n".join([*lines, *(["</g>"] if layer is not None else []), "</svg>", ""]).encode()


def _shape(shape: Json, number: int) -> str:
    common = f"id={quoteattr(str(shape.get('id', f'shape{number}')))} style={quoteattr(str(shape.get('style', 'fill:#808080')))}"
    if "text" in shape:
        x, y = shape["at"]
        return f'<text {common} x="{x}" y="{y}">{escape(str(shape["text"]))}</text>'
    if "path" in shape:
        return f"<path {common} d={quoteattr(str(shape['path']))} />"
    kind = next(name for name in _KEYS if name in shape)
    places = " ".join(f'{key}="{value}"' for key, value in zip(_KEYS[kind], shape[kind], strict=True))
    return f"<{kind} {common} {places} />"


MAKERS = Makers(of_files={"svg": _svg})
