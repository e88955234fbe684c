"""Protects the files that tasks fetch: they are found where a person would put them, have the hash that is kept, and do no harm."""

import gzip
import hashlib
import io
import json
import lzma
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pyarrow as pa
import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.osworld import archives, file_cache
from eval_flows.episodes.osworld.archives import harm_of
from eval_flows.episodes.osworld.file_cache import BadFile, FileCache
from tests.eval_flows.episodes.osworld.made import SHEET, cached

DRIVE = "https://drive.example.org/uc?id=19NC/dw&export=download"


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize(
    ("address", "place"),
    [
        (SHEET, "files.example.org/tasks/sheet.xlsx"),
        ("https://files.example.org/Zheng%20He%20.docx", "files.example.org/Zheng He .docx"),
        ("https://files.example.org/Zheng%20He%20.docx", "files.example.org/Zheng%20He%20.docx"),
        ("https://drive.example.org/uc?id=1&export=download", "drive.example.org/uc?id=1&export=download"),
        (DRIVE, f"by_hash/{sha256(DRIVE.encode())}"),
        ("https://h.org/../../etc/passwd", f"by_hash/{sha256(b'https://h.org/../../etc/passwd')}"),
    ],
)
def test_a_file_is_found_where_a_person_puts_it(tmp_path: Path, address: str, place: str) -> None:
    (tmp_path / place).parent.mkdir(parents=True)
    (tmp_path / place).write_bytes(b"here")
    found = FileCache.of(tmp_path).found(address)
    assert found is not None and found[0].read_bytes() == b"here" and found[1].sha256 == sha256(b"here") and found[1].bytes == 4


def test_what_is_not_there_is_not_found(tmp_path: Path) -> None:
    cache = FileCache.of(tmp_path)
    assert cache.found(SHEET) is None and cache.got(SHEET) is None and FileCache.of(tmp_path / "none").found("https://h.org/" + "a" * 5000) is None


def test_the_manifest_keeps_the_hash_and_a_changed_file_is_refused(tmp_path: Path) -> None:
    cached(tmp_path, {SHEET: b"first"})
    cache = FileCache.of(tmp_path)
    cache.found(SHEET)
    cache.write_manifest()
    assert json.loads((tmp_path / "manifest.json").read_text()) == {SHEET: {"sha256": sha256(b"first"), "bytes": 5}}
    assert FileCache.of(tmp_path).found(SHEET) is not None
    cached(tmp_path, {SHEET: b"other"})
    with pytest.raises(BadFile, match=f"its SHA-256 is {sha256(b'other')}, but manifest.json says {sha256(b'first')}: put the right file there"):
        FileCache.of(tmp_path).found(SHEET)


def test_an_entry_may_say_where_the_file_lies_but_not_outside(tmp_path: Path) -> None:
    (tmp_path / "mine.xlsx").write_bytes(b"mine")
    manifest = tmp_path / "manifest.json"
    manifest.write_text(json.dumps({SHEET: {"sha256": sha256(b"mine"), "bytes": 4, "file": "mine.xlsx"}}))
    found = FileCache.of(tmp_path).found(SHEET)
    assert found is not None and found[0] == tmp_path / "mine.xlsx"
    for out in ("../mine.xlsx", "/etc/passwd"):
        manifest.write_text(json.dumps({SHEET: {"sha256": sha256(b"mine"), "bytes": 4, "file": out}}))
        with pytest.raises(BadFile, match="leads out of the cache folder: name a file in it"):
            FileCache.of(tmp_path).found(SHEET)


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    place = tmp_path / "cache" / "files.example.org" / "tasks" / "sheet.xlsx"
    place.parent.mkdir(parents=True)
    place.symlink_to(tmp_path / "secret")
    with pytest.raises(BadFile, match="leads out of the cache folder: put the file itself there"):
        FileCache.of(tmp_path / "cache").found(SHEET)


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_cache, "LARGEST", 3)
    with pytest.raises(BadFile, match="has 4 bytes, but at most 3 are taken: leave the task out"):
        FileCache.of(cached(tmp_path, {SHEET: b"long"})).found(SHEET)


def test_a_broken_archive_is_no_harm(tmp_path: Path) -> None:
    packed = bytearray(gzip.compress(bytes(range(256)) * 50))
    packed[20:60] = b"\xff" * 40
    (tmp_path / "a.gz").write_bytes(packed)
    assert harm_of(tmp_path / "a.gz") is None


def test_an_address_that_is_none_is_refused_when_it_is_to_be_fetched(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="is no address of the web"):
        FileCache.of(tmp_path, may_fetch=True).got("http://[bad/x")


@pytest.mark.parametrize("text", ["{", '{"a": 1}', '{"a": {"sha256": "b"}}', '{"a": {"sha256": "b", "bytes": 1, "fil": "c"}}'])
def test_a_broken_manifest_is_refused_with_its_place(tmp_path: Path, text: str) -> None:
    (tmp_path / "manifest.json").write_text(text)
    with pytest.raises(BadInput, match=r"manifest\.json: .*; correct it, or remove the file to keep new hashes"):
        FileCache.of(tmp_path)


def zipped(*parts: tuple[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            archive.writestr(name, content)
    return file.getvalue()


def tarred(name: str, size: int, mode: str = "w:gz") -> bytes:
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode=mode) as archive:  # type: ignore[call-overload]
        member = tarfile.TarInfo(name)
        member.size = size
        archive.addfile(member, io.BytesIO(bytes(size)))
    return file.getvalue()


def linked(name: str, target: str, kind: bytes = tarfile.SYMTYPE) -> bytes:
    """A tar archive with a link."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as archive:
        member = tarfile.TarInfo(name)
        member.type, member.linkname = kind, target
        archive.addfile(member)
    return file.getvalue()


def zip_with_link(name: str, target: str) -> bytes:
    file, link = io.BytesIO(), zipfile.ZipInfo(name)
    link.external_attr = 0o120777 << 16
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(link, target)
    return file.getvalue()


def zstd(content: bytes) -> bytes:
    return bytes(pa.compress(content, codec="zstd", asbytes=True))


def nested(deep: int) -> bytes:
    made = b"inside"
    for _ in range(deep):
        made = zipped(("inner.zip", made))
    return made


def number(value: int) -> bytes:
    """A number as 7-Zip writes it, for values below 2 ** 56."""
    for count in range(8):
        if value < 1 << (7 * count + 7):
            first = (0xFF00 >> count) & 0xFF | value >> (8 * count)
            return bytes([first]) + (value & ((1 << 8 * count) - 1)).to_bytes(count, "little")
    raise AssertionError


def seven_zipped(name: str, size: int, packs_header: str = "") -> bytes:
    """An archive of 7-Zip that says of one part that it unpacks to so much; its header may be packed, or seem to be encrypted."""

    def streams(offset: int, packed: int, coder: bytes, unpacked: int) -> bytes:
        pack = b"\x06" + number(offset) + number(1) + b"\x09" + number(packed) + b"\x00"
        return pack + b"\x07\x0b\x01\x00\x01" + coder + b"\x0c" + number(unpacked) + b"\x0a\x01" + bytes(4) + b"\x00\x00"

    names = b"\x00" + f"{name}\0".encode("utf-16-le")
    header = b"\x01\x04" + streams(0, 4, b"\x01\x00", size) + b"\x05\x01\x11" + number(len(names)) + names + b"\x00\x00"
    body = b"part"
    if packs_header:
        options = [{"id": lzma.FILTER_LZMA1, "dict_size": 1 << 16, "lc": 3, "lp": 0, "pb": 2}]
        packed = lzma.compress(header, lzma.FORMAT_RAW, filters=options)
        coder = {"lzma": b"\x23\x03\x01\x01\x05\x5d" + (1 << 16).to_bytes(4, "little"), "secret": b"\x24\x06\xf1\x07\x01\x01\x00"}[packs_header]
        body, header = body + packed, b"\x17" + streams(4, len(packed), coder, len(header))
    return b"7z\xbc\xaf\x27\x1c\0\4" + bytes(4) + len(body).to_bytes(8, "little") + len(header).to_bytes(8, "little") + bytes(4) + body + header


@pytest.mark.parametrize(
    ("content", "harm"),
    [
        (zipped(("a.txt", b"a")), None),
        (zipped(("a.txt", bytes(30_000))), "unpacks to more than"),
        (zipped(*((f"{number}.txt", b"") for number in range(12))), "has more than"),
        (zipped(("../../.bashrc", b"a")), "has a part '../../.bashrc' that leads out of its folder"),
        (zipped(("/etc/passwd", b"a")), "has a part '/etc/passwd' that leads out of its folder"),
        (tarred("profile/prefs.js", 10), None),
        (tarred("a", 30_000), "unpacks to more than"),
        (tarred("a", 30_000, "w"), "unpacks to more than"),
        (tarred("../a", 10), "has a part '../a' that leads out of its folder"),
        (gzip.compress(bytes(30_000)), "unpacks to more than"),
        (b"PK\x03\x04 and then nothing", None),
        (b"\x1f\x8b and then nothing", None),
        (b"", None),
        (linked("a/lock", "127.0.1.1:+2"), None),
        (linked("a/up", "../b"), None),
        (linked("a/out", "../../b"), "has a link 'a/out' to '../../b' that leads out of its folder"),
        (linked("out", "/etc"), "has a link 'out' to '/etc' that leads out of its folder"),
        (linked("hard", "../b", tarfile.LNKTYPE), "has a link to '../b' that leads out of its folder"),
        (zip_with_link("in", "a/b"), None),
        (zip_with_link("out", "../b"), "has a link 'out' to '../b' that leads out of its folder"),
        (zstd(b"a text"), None),
        (zstd(bytes(30_000)), "unpacks to more than"),
        (zstd(tarred("../a", 10, "w")), "has a part '../a' that leads out of its folder"),
        (zipped(("inner.tar.gz", tarred("../a", 10))), "has a part '../a' that leads out of its folder"),
        (zipped(("a.zip", zipped(("a", bytes(12_000)))), ("b.zip", zipped(("b", bytes(12_000))))), "unpacks to more than"),
        (nested(4), None),
        (nested(7), "has archives within archives, more than 6 deep"),
        (seven_zipped("a/b.txt", 10), None),
        (seven_zipped("a/b.txt", 30_000), "unpacks to more than"),
        (seven_zipped("../b.txt", 10), "has a part '../b.txt' that leads out of its folder"),
        (seven_zipped("a\\..\\..\\b.txt", 10, "lzma"), "that leads out of its folder"),
        (seven_zipped("a.txt", 30_000, "lzma"), "unpacks to more than"),
        (seven_zipped("a.txt", 10, "secret"), "keeps the list of its parts secret"),
        (seven_zipped("a.txt", 10)[:40], None),
    ],
    ids=["zip", "large zip", "zip of many", "zip above", "zip at the root", "tar.gz", "large tar.gz", "large tar", "tar.gz above", "large gz", "no zip",
         "no gz", "nothing", "link", "link up", "link out", "link to the root", "hard link out", "zip with link", "zip with link out", "zst", "large zst",
         "tar.zst above", "tar.gz in zip", "two in zip", "deep", "too deep", "7z", "large 7z", "7z above", "packed 7z above", "large packed 7z", "secret 7z",
         "broken 7z"],  # not the bytes, which hold the time of day: every worker has to collect the same names
)  # fmt: skip
def test_archives_that_would_hurt_are_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes, harm: str | None) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 20_000)  # a tar archive is filled up to ten kilobytes
    monkeypatch.setattr(archives, "MOST_PARTS", 10)
    (tmp_path / "file").write_bytes(content)
    found = harm_of(tmp_path / "file")
    assert found is None if harm is None else found is not None and harm in found


def test_an_archive_that_explodes_is_refused_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(archives, "MOST_UNPACKED", 1000)
    with pytest.raises(BadFile, match="the file unpacks to more than .*: put a harmless one there, or leave the task out"):
        FileCache.of(cached(tmp_path, {SHEET: zipped(("a", bytes(5000)))})).found(SHEET)


class Served(BaseHTTPRequestHandler):
    """Two files, and one that is somewhere else."""

    def do_GET(self) -> None:
        if self.path == "/moved.xlsx":
            self.send_response(302)
            self.send_header("Location", "/sheet.xlsx")
            self.end_headers()
            return
        found = {"/sheet.xlsx": b"sheet", "/large.xlsx": bytes(100)}.get(self.path)
        self.send_response(404 if found is None else 200)
        self.end_headers()
        self.wfile.write(found or b"")

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[str]:
    made = HTTPServer(("127.0.0.1", 0), Served)
    threading.Thread(target=made.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{made.server_port}"
    made.shutdown()


def test_what_the_cache_lacks_is_fetched_once_if_that_is_asked_for(tmp_path: Path, server: str) -> None:
    assert FileCache.of(tmp_path).got(f"{server}/sheet.xlsx") is None, "nothing is fetched unasked"
    cache = FileCache.of(tmp_path, may_fetch=True)
    for name in ("sheet", "moved"):
        found = cache.got(f"{server}/{name}.xlsx")
        assert found is not None and found[0].read_bytes() == b"sheet" and found[1].sha256 == sha256(b"sheet")
    cache.write_manifest()
    again = FileCache.of(tmp_path).got(f"{server}/sheet.xlsx")
    assert again is not None and again[0].read_bytes() == b"sheet"


def test_what_cannot_be_fetched_says_so_and_leaves_nothing(tmp_path: Path, server: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(file_cache, "LARGEST", 50)
    cache = FileCache.of(tmp_path, may_fetch=True)
    for address, told in (
        (f"{server}/none.xlsx", "404"),
        (f"{server}/large.xlsx", "has more than 50 bytes"),
        ("http://127.0.0.1:1/a", "cannot be fetched"),
        ("ftp://h.org/a", "is no address of the web"),
    ):
        with pytest.raises(BadFile, match=told):
            cache.got(address)
    assert [path for path in tmp_path.rglob("*") if path.is_file()] == []
