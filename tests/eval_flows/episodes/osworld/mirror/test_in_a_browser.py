"""Protects that Chromium finds the hosts of a mirror by its flags, and takes the certificate as that of the host."""

import shutil
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.osworld.in_guest import mirror
from eval_flows.episodes.osworld.mirror import serving
from eval_flows.episodes.osworld.mirror.certificate import made_certificate
from eval_flows.episodes.osworld.mirror.folder import read_mirror
from tests.eval_flows.episodes.osworld.mirror.made import SHOP, made_mirror


@pytest.fixture
def page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, browser: Any) -> Iterator[Any]:
    """A page of a browser that has the flags of a mirror, which is served at free ports. The browser of other tests has none."""
    made = read_mirror(made_mirror(tmp_path / "sites"))
    certificate = made_certificate(made.pages.hosts)
    (tmp_path / "mirror.zip").write_bytes(made.archive)
    (tmp_path / "mirror.pem").write_text(certificate.pem)
    servers = mirror.served(str(tmp_path), (0, 0))
    for server in servers:
        threading.Thread(target=server.serve_forever, daemon=True).start()
    monkeypatch.setattr(serving, "PORTS", tuple(server.server_port for server in servers))
    flags = ["--no-sandbox", *serving.flags_of(made.pages.hosts, certificate.key_hash)]
    with_flags = browser.browser_type.launch(executable_path=shutil.which("chromium"), args=flags)
    yield with_flags.new_page()
    with_flags.close()
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.browser
def test_a_browser_shows_the_hosts_of_the_mirror_at_their_addresses(page: Any) -> None:
    page.goto("https://www.example.com/")
    assert (page.title(), page.url) == ("Welcome", "https://www.example.com/") and page.evaluate("isSecureContext")
    page.click("text=Lamps")
    page.wait_for_url(f"{SHOP}/find?q=lamp")
    assert page.title() == "Lamps"
    page.goto("http://example.com/news")
    assert page.title() == "News" and page.url.endswith("://example.com/news/")
    assert page.evaluate("fetch('/', {method: 'POST', body: 'a'}).then(said => said.status)") == 405
