"""Files that tests of side effects begin with, as `setup` makes them; `saved/` holds two of them as LibreOffice saved them, unchanged."""

from collections.abc import Mapping
from typing import Any

from eval_flows.episodes.tasks.makers.maker import makers

MADE: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    "report.docx": (
        "document",
        {
            "paragraphs": [
                "A report of the year",
                {"heading": "Figures", "level": 1},
                "The shop sold 40 lamps and 12 desks.",
                {"heading": "Stock", "level": 2},
                {"table": [["Item", "Pieces"], ["Lamps", 4], ["Desks", 9]]},
                "Questions go to the office.",
            ]
        },
    ),
    "sales.xlsx": ("workbook", {"sheets": {"Sales": [["Item", "Pieces", "Price"], ["Lamp", 3, 19.5], ["Desk", 1, "=B2*80"]], "Notes": [["None yet"]]}}),
    "note.txt": ("text", {"content": ["milk", "bread", "eggs"]}),
    "towns.csv": ("csv", {"rows": [["town", "people"], ["Hull", 10], ["York", 20]]}),
    "shop.db": (
        "database",
        {"script": ["create table items (id integer primary key, name text, price real)", "insert into items values (1, 'lamp', 20), (2, 'desk', 80)"]},
    ),
    "red.png": ("picture", {"size": [40, 30], "shapes": [{"fill": True, "colour": "red"}]}),
    "lan.pcapng": ("capture", {"packets": [{"from": "10.0.0.1", "to": "10.0.0.2", "protocol": "udp", "text": text} for text in ("a", "b", "c")]}),
}  # fmt: skip


def made(name: str) -> bytes:
    """The content of one of them."""
    maker, asked = MADE[name]
    return makers().of_files[maker]({"path": name, **asked})
