"""A mirror of two hosts that is made for tests: pages, a query, a file of a style, and what only `mirror.yaml` can tell."""

from collections.abc import Mapping
from pathlib import Path

SHOP = "https://shop.example.org"
PAGES: Mapping[str, bytes] = {
    "www.example.com/index.html": b'<!DOCTYPE html><title>Welcome</title><h1>Welcome</h1><a href="https://shop.example.org/find?q=lamp">Lamps</a>',
    "www.example.com/news/index.html": b"<title>News</title>",
    "www.example.com/news/index.html?page=2": b"<title>Older news</title>",
    "www.example.com/about.html": b"<title>About</title>",
    "www.example.com/a b.html": b"<title>Blank</title>",
    "shop.example.org/index.html": b"<title>Shop</title>",
    "shop.example.org/find?q=lamp&sort=price": b"<title>Lamps by price</title>",
    "shop.example.org/find?q=lamp": b"<title>Lamps</title>",
    "shop.example.org/show@id=7": b"<title>Seven</title>",
    "shop.example.org/cart?id=1.html": b"<title>Cart</title>",
    "shop.example.org/style.css": b"p { color: red }",
    "shop.example.org/logo@2x.png": b"\x89PNG",
    "shop.example.org/hashed4f2a.html": b"<title>Chairs</title>",
    "shop.example.org/data": b"\0\1",
}
DECLARED = """
same: {example.com: www.example.com}
answers:
  https://shop.example.org/find?q=chair: {file: shop.example.org/hashed4f2a.html}
  https://shop.example.org/gone: {status: 410}
  https://shop.example.org/missing: {status: 404}
  https://shop.example.org/old: {status: 302, to: "https://www.example.com/news/"}
  https://shop.example.org/data: {file: shop.example.org/data, type: application/x-data}
"""


def made_mirror(folder: Path, pages: Mapping[str, bytes] = PAGES, declared: str = DECLARED) -> Path:
    """The folder of a mirror with these pages, and what is declared beside them."""
    for name, content in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    if declared:
        (folder / "mirror.yaml").write_text(declared)
    return folder
