"""Protects reading a mirror: what wget and httrack make is taken as it is, every mistake is told with its place and a remedy, and the zip file is the same anywhere."""

import os
import re
import shutil
import zipfile
from io import BytesIO
from pathlib import Path

import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.osworld.mirror import folder
from eval_flows.episodes.osworld.mirror.folder import host_mistake, read_mirror
from tests.eval_flows.episodes.osworld.mirror.made import PAGES, SHOP, made_mirror


def refused(place: Path) -> str:
    with pytest.raises(BadInput) as error:
        read_mirror(place)
    return str(error.value)


def test_a_mirror_is_taken_as_it_is_and_what_belongs_to_no_host_is_left_out(tmp_path: Path) -> None:
    place = made_mirror(tmp_path, {**PAGES, "hts-cache/new.zip": b"", "index.html": b"", "cookies.txt": b""})
    read = read_mirror(place)
    assert set(read.files) == set(PAGES) and read.pages.hosts == {"www.example.com", "example.com", "shop.example.org"}


def test_the_same_content_gives_the_same_zip_file_and_other_content_another(tmp_path: Path) -> None:
    one, two = made_mirror(tmp_path / "one"), made_mirror(tmp_path / "two", dict(reversed(list(PAGES.items()))))
    os.utime(two / "shop.example.org" / "data", (1, 1))
    assert read_mirror(one).sha256 == read_mirror(two).sha256
    with zipfile.ZipFile(BytesIO(read_mirror(one).archive)) as archive:
        assert {name: archive.read(name) for name in PAGES} == PAGES
    (two / "shop.example.org" / "data").write_bytes(b"other")
    changed = read_mirror(two).sha256
    (one / "mirror.yaml").unlink()
    assert len({read_mirror(made_mirror(tmp_path / "three")).sha256, changed, read_mirror(one).sha256}) == 3


@pytest.mark.parametrize("host", ["www.example.com", "a-b.co", "xn--mnchen-3ya.de", "1.example.org"])
def test_names_of_hosts_are_taken(host: str) -> None:
    assert host_mistake(host) is None


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("localhost", "'localhost' is no name of a host: name it as an address does, such as www.example.com, or leave it out"),
        ("Www.Example.com", "write it as 'www.example.com'"),
        ("127.0.0.1", "is no name of a host"),
        (".git", "is no name of a host"),
        ("-a.org", "is no name of a host"),
        ("a b.org", "is no name of a host"),
        ("a..org", "is no name of a host"),
        (f"{'a' * 64}.org", "is no name of a host"),
        ("www.example.com:8080", "names a port: only the ports of http and https are served; leave it out, or call it 'www.example.com'"),
    ],
)
def test_a_folder_that_is_no_host_is_refused_with_its_place(tmp_path: Path, name: str, reason: str) -> None:
    made_mirror(tmp_path, {**PAGES, f"{name}/index.html": b""})
    said = refused(tmp_path)
    assert f"{tmp_path}/{name}:1: mirror: " in said and reason in said


def test_links_that_lead_out_are_refused_and_links_within_are_pages(tmp_path: Path) -> None:
    place = made_mirror(tmp_path / "sites")
    (tmp_path / "secret").write_bytes(b"secret")
    shop = place / "shop.example.org"
    (shop / "same").symlink_to("data")
    assert read_mirror(place).files["shop.example.org/same"].read_bytes() == PAGES["shop.example.org/data"]
    (shop / "out").symlink_to(tmp_path / "secret")
    (shop / "folder").symlink_to(tmp_path)
    (shop / "again").symlink_to(place / "www.example.com")
    (shop / "nothing").symlink_to("none")
    os.mkfifo(shop / "pipe")
    said = refused(place)
    assert said.count("is a link that leads out of the mirror: put the file itself there") == 2
    assert "again:1: mirror: is a link to a folder: put the folder itself there" in said
    assert "nothing:1: mirror: is no regular file, or a link to nothing" in said and "pipe:1: mirror: is no regular file" in said


def test_a_host_that_is_a_link_out_is_refused(tmp_path: Path) -> None:
    made_mirror(tmp_path / "elsewhere")
    place = made_mirror(tmp_path / "sites")
    shutil.rmtree(place / "shop.example.org")
    (place / "shop.example.org").symlink_to(tmp_path / "elsewhere" / "shop.example.org")
    assert "shop.example.org:1: mirror: is a link that leads out of the mirror" in refused(place)


def test_a_name_that_is_not_utf_8_is_refused(tmp_path: Path) -> None:
    made_mirror(tmp_path)
    Path(os.fsdecode(os.fsencode(tmp_path / "shop.example.org") + b"/\xff")).write_bytes(b"")
    assert r"\xff:1: mirror: its name is not UTF-8: rename it" in refused(tmp_path)


@pytest.mark.parametrize(
    ("declared", "reason"),
    [
        ("sam: {}", "unknown key 'sam'; did you mean 'same'?"),
        ("same: {exam ple.com: www.example.com}", "same.exam ple.com: 'exam ple.com' is no name of a host"),
        ("same: {shop.example.org: www.example.com}", "same.shop.example.org: has a folder of its own"),
        ("same: {example.com: www.exampel.com}", "'www.exampel.com' has no folder in the mirror; did you mean 'www.example.com'?"),
        (f"answers: {{'{SHOP}/a': {{file: ../secret}}}}", "'../secret' leads out of the mirror: name a file in it"),
        (f"answers: {{'{SHOP}/a': {{file: /etc/passwd}}}}", "'/etc/passwd' leads out of the mirror"),
        (f"answers: {{'{SHOP}/a': {{file: shop.example.org/dat}}}}", "'shop.example.org/dat' is not in the mirror; did you mean 'shop.example.org/data'?"),
        (f"answers: {{'{SHOP}/a': {{status: 301}}}}", "a status from 300 to 399 and `to` belong together"),
        (f"answers: {{'{SHOP}/a': {{to: '{SHOP}/data'}}}}", "a status from 300 to 399 and `to` belong together"),
        (f"answers: {{'{SHOP}/a': {{status: 302, to: 'https://live.example.net/'}}}}", "'https://live.example.net/' is no page of the mirror"),
        (f"answers: {{'{SHOP}/a': {{}}}}", "answers nothing: name a `file`"),
        (f"answers: {{'{SHOP}/a': {{status: 99}}}}", "status"),
        (f"answers: {{'{SHOP}:8443/a': {{status: 404}}}}", "is no address of http or https of a host in the mirror"),
        ("answers: {'https://live.example.net/': {status: 404}}", "is no address of http or https of a host in the mirror"),
        ("answers: {'ftp://www.example.com/': {status: 404}}", "is no address of http or https of a host in the mirror"),
        ("answers: {'https://[': {status: 404}}", "is no address of http or https of a host in the mirror"),
        (f"answers: {{'{SHOP}/a': {{file: shop.example.org/data, type: \"a/b\\r\\nX: y\"}}}}", "type"),
        ("same: [", "mirror.yaml:"),
    ],
)  # fmt: skip
def test_a_wrong_declaration_is_refused_with_its_place(tmp_path: Path, declared: str, reason: str) -> None:
    said = refused(made_mirror(tmp_path, declared=declared))
    assert re.search(r"mirror\.yaml:\d+: ", said) and reason in said


def test_a_declaration_of_another_name_is_not_passed_over(tmp_path: Path) -> None:
    made_mirror(tmp_path)
    (tmp_path / "mirror.yaml").rename(tmp_path / "mirrors.yml")
    assert "mirrors.yml:1: mirror: is not read: call it mirror.yaml, or remove it" in refused(tmp_path)


def test_an_empty_folder_and_a_huge_mirror_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "has no pages: give a folder with a folder for each host in it" in refused(tmp_path)
    made_mirror(tmp_path)
    monkeypatch.setattr(folder, "LARGEST", 10)
    assert "at most 20000 files and 10 bytes are taken" in refused(tmp_path)
    monkeypatch.setattr(folder, "MOST_HOSTS", 2)
    assert "has 3 hosts, but at most 2 are taken" in refused(tmp_path)
