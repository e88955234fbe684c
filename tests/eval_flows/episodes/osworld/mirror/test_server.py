"""Protects what the server of a mirror answers: the pages of its hosts by http and https, words for all else, and it keeps nothing."""

import http.client
import json
import ssl
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from eval_flows.episodes.osworld.in_guest import mirror
from eval_flows.episodes.osworld.mirror.certificate import made_certificate
from eval_flows.episodes.osworld.mirror.folder import Mirror, read_mirror
from tests.eval_flows.episodes.osworld.mirror.made import PAGES, SHOP, made_mirror

Answered = tuple[int, bytes, http.client.HTTPMessage]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Mirror:
    return read_mirror(made_mirror(tmp_path_factory.mktemp("sites")))


@pytest.fixture(scope="module")
def served(made: Mirror, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, list[mirror.Server]]]:
    """The servers of http and https for a mirror, at free ports, and their folder."""
    folder = tmp_path_factory.mktemp("served")
    (folder / "mirror.zip").write_bytes(made.archive)
    (folder / "mirror.pem").write_text(made_certificate(made.pages.hosts).pem)
    servers = mirror.served(str(folder), (0, 0))
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    yield folder, servers
    for server in servers:
        server.shutdown()
        server.server_close()


def asked(served: tuple[Path, list[mirror.Server]], address: str, method: str = "GET", body: bytes | None = None) -> Answered:
    """What is answered at an address. The certificate is verified against itself, for the host."""
    folder, (plain, encrypted) = served
    scheme, _, rest = address.partition("://")
    host, _, path = rest.partition("/")
    if scheme == "http":
        line = http.client.HTTPConnection("127.0.0.1", plain.server_port, timeout=10)
    else:
        context = ssl.create_default_context(cafile=str(folder / "mirror.pem"))
        line = http.client.HTTPSConnection(host, encrypted.server_port, timeout=10, context=context)
        line._create_connection = lambda _, *rest: http.client.socket.create_connection(("127.0.0.1", encrypted.server_port), *rest)  # type: ignore[attr-defined]
    line.request(method, f"/{path}", body, headers={"Host": host})
    answer = line.getresponse()
    read = answer.status, answer.read(), answer.headers
    line.close()
    return read


FOUND = [
    ("https://www.example.com/", "www.example.com/index.html"),
    ("http://www.example.com/", "www.example.com/index.html"),
    ("https://example.com/index.html", "www.example.com/index.html"),
    ("https://WWW.example.com/", "www.example.com/index.html"),
    ("https://www.example.com/about", "www.example.com/about.html"),
    ("https://www.example.com/about.html?utm_source=a", "www.example.com/about.html"),
    ("https://www.example.com/a%20b.html", "www.example.com/a b.html"),
    ("https://www.example.com/news/?page=2", "www.example.com/news/index.html?page=2"),
    ("https://www.example.com/news/?page=3", "www.example.com/news/index.html"),
    (f"{SHOP}/find?q=lamp", "shop.example.org/find?q=lamp"),
    (f"{SHOP}/find?sort=price&q=l%61mp", "shop.example.org/find?q=lamp&sort=price"),
    (f"{SHOP}/find?q=chair", "shop.example.org/hashed4f2a.html"),
    (f"{SHOP}/show?id=7", "shop.example.org/show@id=7"),
    (f"{SHOP}/cart?id=1", "shop.example.org/cart?id=1.html"),
    (f"{SHOP}/logo@2x.png", "shop.example.org/logo@2x.png"),
]
NOT_FOUND = [f"{SHOP}/find", f"{SHOP}/find?q=table", f"{SHOP}/none", f"{SHOP}/..%2fmirror.json", f"{SHOP}/mirror.json"]


@pytest.mark.parametrize(("address", "file"), FOUND)
def test_an_address_is_answered_with_its_page_and_the_import_knows_it(
    served: tuple[Path, list[mirror.Server]], made: Mirror, address: str, file: str
) -> None:
    if "WWW" not in address:  # a name that the certificate is not for, and that no browser sends
        status, content, _ = asked(served, address)
        assert (status, content) == (200, PAGES[file])
    assert made.pages.has(address)


@pytest.mark.parametrize("address", NOT_FOUND)
def test_what_the_mirror_lacks_is_not_found_and_the_import_knows_it(served: tuple[Path, list[mirror.Server]], made: Mirror, address: str) -> None:
    status, content, _ = asked(served, address)
    assert status == 404 and b"The mirror has no page at this address." in content and not made.pages.has(address)


@pytest.mark.parametrize(
    "address", ["https://live.example.net/", "ftp://www.example.com/", "https://www.example.com:8443/", "about:blank", "", "https://["]
)
def test_other_hosts_schemes_and_ports_are_not_of_the_mirror(made: Mirror, address: str) -> None:
    assert not made.pages.has(address)


def test_another_host_gets_no_page(served: tuple[Path, list[mirror.Server]]) -> None:
    status, content, _ = asked(served, "http://live.example.net/")
    assert status == 404 and b"This host is not in the mirror." in content


def test_a_folder_leads_to_its_index_so_that_links_lead_where_they_should(served: tuple[Path, list[mirror.Server]], made: Mirror) -> None:
    for query in ("", "?page=2"):
        status, _, headers = asked(served, f"https://www.example.com/news{query}")
        assert (status, headers["Location"]) == (301, f"/news/{query}") and made.pages.has(f"https://www.example.com/news{query}")


def test_declared_answers_have_their_status_their_place_and_their_type(served: tuple[Path, list[mirror.Server]], made: Mirror) -> None:
    assert asked(served, f"{SHOP}/gone")[0] == 410 and b"Gone." in asked(served, f"{SHOP}/gone")[1]
    assert asked(served, f"{SHOP}/missing")[0] == 404 and made.pages.has(f"{SHOP}/missing"), "it is declared that there is nothing"
    status, _, headers = asked(served, f"{SHOP}/old")
    assert (status, headers["Location"]) == (302, "https://www.example.com/news/")
    assert asked(served, f"{SHOP}/data")[2]["Content-Type"] == "application/x-data"


def test_pages_have_their_types(served: tuple[Path, list[mirror.Server]]) -> None:
    types = {path: asked(served, f"{SHOP}/{path}")[2]["Content-Type"] for path in ("find?q=lamp", "style.css", "logo@2x.png")}
    assert types == {"find?q=lamp": "text/html; charset=utf-8", "style.css": "text/css; charset=utf-8", "logo@2x.png": "image/png"}
    assert mirror.type_of("a.html", "é".encode("latin-1")) == "text/html", "the page itself says what it is written in"


def test_the_head_of_a_page_is_answered_without_it(served: tuple[Path, list[mirror.Server]]) -> None:
    status, content, headers = asked(served, f"{SHOP}/", "HEAD")
    assert (status, content, headers["Content-Length"]) == (200, b"", str(len(PAGES["shop.example.org/index.html"])))


def test_what_is_sent_is_refused_in_words_and_changes_nothing(served: tuple[Path, list[mirror.Server]]) -> None:
    folder, _ = served
    before = {path: path.read_bytes() for path in folder.iterdir()}
    status, content, headers = asked(served, f"{SHOP}/find?q=lamp", "POST", b"a=b" * 10_000)
    assert status == 405 and b"takes nothing." in content and headers["Allow"] == "GET, HEAD"
    assert asked(served, f"{SHOP}/", "DELETE")[0] == 501
    assert asked(served, f"{SHOP}/find?q=lamp")[1] == PAGES["shop.example.org/find?q=lamp"] and before == {
        path: path.read_bytes() for path in folder.iterdir()
    }


def test_a_browser_that_takes_no_certificate_ends_nothing(served: tuple[Path, list[mirror.Server]]) -> None:
    _, (_, encrypted) = served
    line = http.client.HTTPSConnection("127.0.0.1", encrypted.server_port, timeout=10, context=ssl.create_default_context())
    with pytest.raises(ssl.SSLCertVerificationError):
        line.request("GET", "/")
    assert asked(served, f"{SHOP}/")[0] == 200


def test_it_goes_on_in_the_background_and_says_why_it_cannot_begin(served: tuple[Path, list[mirror.Server]]) -> None:
    folder, (plain, encrypted) = served
    taken = json.dumps({"folder": str(folder), "ports": [plain.server_port, encrypted.server_port]})
    done = subprocess.run([sys.executable, "-I", mirror.__file__, taken], capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode != 0 and "Address already in use" in done.stderr, "by the Python of a machine, without anything of ours"
