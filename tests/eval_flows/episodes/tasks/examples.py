"""An example of every kind of file that a maker makes, and short ways to make and to read one."""

from typing import Any

from eval_flows.episodes.checkers.getters import get
from eval_flows.episodes.tasks.makers.maker import makers
from tests.eval_flows.episodes.desktops import desktop

EXAMPLES: dict[str, dict[str, Any]] = {
    "text": {"path": "a.txt", "content": ["first", "Zoë ✓"]},
    "csv": {"path": "a.csv", "rows": [["name", "sum"], ["Müller, Anna", 3.5]]},
    "workbook": {"path": "a.xlsx", "sheets": {"Costs": [["what", "euros"], ["rent", "950.50"], ["all", "=B2"]], "Empty": []}},
    "document": {"path": "a.docx", "paragraphs": [{"heading": "Plan", "level": 2}, "One line.", {"table": [["a", "b"], ["c", 4]]}]},
    "picture": {"path": "a.png", "size": [40, 20], "shapes": [{"fill": True, "colour": "white"}, {"rectangle": [0, 0, 9, 19], "colour": "#ff0000"}]},
    "sound": {"path": "a.wav", "seconds": 0.5, "pitch": 220},
    "video": {"path": "a.avi", "seconds": 1, "size": [32, 24]},
    "database": {"path": "a.db", "script": ["CREATE TABLE birds (name TEXT, eggs INTEGER)", "INSERT INTO birds VALUES ('wren', 6)"]},
    "archive": {"path": "a.zip", "files": {"b.txt": "inside", "c/d.txt": "deeper"}},
    "dxf": {
        "path": "a.dxf",
        "layers": {"walls": 3},
        "entities": [{"line": [0, 0, 10, 0], "layer": "walls"}, {"circle": [5, 5, 2]}, {"text": "A", "at": [1, 1]}],
    },
    "svg": {
        "path": "a.svg",
        "size": [100, 50],
        "shapes": [{"rect": [10, 10, 20, 5], "id": "bar", "layer": "Bars"}, {"text": "Sales & more", "at": [5, 45]}],
    },
    "micrograph": {"path": "a.tif", "size": [80, 60], "seed": 3, "spots": [{"count": 4, "radius": [4, 6], "brightness": 120}]},
    "stack": {
        "path": "a.tif",
        "size": [40, 30],
        "seed": 3,
        "blocks": [[5, 5, 10, 8, 90]],
        "slices": [{"background": 20}, {"background": 60, "salt": 0.1}],
    },
    "stained": {"path": "a.tif", "size": [40, 30], "seed": 3, "red": {"blocks": [[5, 5, 10, 8, 90]]}, "blue": {"noise": 0}},
    "simulated": {"path": "a.csv", "seed": "s", "rows": 3, "columns": {"n": {"count": 1}, "x": {"normal": [0, 1]}}},
    "features": {"path": "a.geojson", "epsg": 25832, "features": [{"point": [1, 2], "name": "stop"}, {"line": [[0, 0], [3, 4]], "name": "way"}]},
    "heights": {"path": "a.asc", "corner": [0, 0], "cell": 10, "size": [4, 3], "hills": [{"at": [20, 15], "height": 5, "width": 10}]},
    "interviews": {
        "path": "a.sqlite3",
        "project": "Buses",
        "tags": {"cost": "what people pay", "safety": ""},
        "documents": {"Nadia": ["Yes. ", "They charge 2 & more."], "Tomás": ["Tomás: Sí. ", "It is dark."]},
        "passages": [
            {"of": "Nadia", "text": "They charge 2 & more.", "tags": ["cost", "safety"]},
            {"of": "Tomás", "text": "It is dark.", "tags": ["safety"]},
        ],
    },
    "schematic": {
        "path": "a.kicad_sch",
        "parts": [{"name": "R1", "kind": "R", "value": "4.7k", "at": [100, 50]}, {"name": "C1", "kind": "C", "value": "100n", "at": [100, 65]}],
        "wires": [[100, 53.81, 100, 61.19]],
        "nets": {"OUT": [100, 57]},
    },
    "step": {"path": "a.step", "parts": [{"box": [0, 0, 0, 30, 20, 10], "cut": [{"cylinder": [15, 10, 0, 4, 10]}]}]},
    "molfile": {"path": "a.mol", "smiles": "CCO"},
    "material": {"path": "a.md", "from": "README.md"},
    "capture": {
        "path": "a.pcapng",
        "packets": [
            {"from": "10.0.0.1", "to": "10.0.0.2", "protocol": "tcp", "text": "GET /"},
            {"from": "10.0.0.2", "to": "10.0.0.1", "protocol": "dns", "text": "example.org"},
            {"from": "10.0.0.3", "to": "10.0.0.1", "protocol": "icmp", "text": "ping"},
        ],
    },
}


def made(name: str, **asked: Any) -> bytes:
    return makers().of_files[name]({**EXAMPLES[name], **asked})


def got(getter: str, content: bytes, /, **asked: Any) -> Any:
    return get(desktop({"f": content}), getter, {"path": "f", **asked})


def pdf(drawn: bytes, of_stream: bytes = b"") -> bytes:
    """A file of one page on which that is drawn."""
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 200 200]/Contents 4 0 R/Resources<</Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>>>>>",
        b"<</Length %d%b>>stream\n%b\nendstream" % (len(drawn), of_stream, drawn),
    ]
    content, places = b"%PDF-1.4\n", [b"0000000000 65535 f \n"]
    for number, part in enumerate(parts, 1):
        places.append(b"%010d 00000 n \n" % len(content))
        content += b"%d 0 obj%b endobj\n" % (number, part)
    table = b"xref\n0 %d\n%btrailer<</Root 1 0 R/Size %d>>\n" % (len(places), b"".join(places), len(places))
    return content + table + b"startxref\n%d\n%%%%EOF\n" % len(content)
