"""Protects judges from the files of results: a browser gets new pictures, escaped and cut texts, and downloads that it cannot open; nothing else."""

import asyncio
import io
import os
import struct
import threading
import zlib
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar, cast

import httpx
import numpy as np
import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image, PngImagePlugin

from eval_flows.episodes.judging.compare import Comparing
from eval_flows.episodes.judging.files import KeptFile, files_of
from eval_flows.episodes.judging.pairs import Pair, pairs_of
from eval_flows.episodes.judging.results import Result
from eval_flows.episodes.judging.server import judging_app
from eval_flows.episodes.judging.work import Work
from eval_flows.episodes.runs.left_files import LeftFile
from tests.eval_flows.episodes.judging.played import play
from tests.eval_flows.episodes.judging.test_pages import TOKEN, judge, served
from warehouse.layout import DataFolder

Made = TypeVar("Made")
SCRIPT = b"<script>document.title = 'taken'</script>"
SVG = b"<svg xmlns='http://www.w3.org/2000/svg'><script>document.title = 'taken'</script></svg>"


def png(*, text: str = "", after: bytes = b"", size: tuple[int, int] = (30, 20)) -> bytes:
    file, about = io.BytesIO(), PngImagePlugin.PngInfo()
    about.add_text("Comment", text)
    Image.new("RGB", size, "red").save(file, "PNG", pnginfo=about)
    return file.getvalue() + after


def huge() -> bytes:
    """The head of a picture that would have ten thousand million pixels."""
    head = b"IHDR" + struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + struct.pack(">I", 13) + head + struct.pack(">I", zlib.crc32(head))


LEFT = [
    LeftFile("Documents/poster.png", 99, png(text="secret place", after=SCRIPT)),
    LeftFile("Documents/page.html", len(SCRIPT), SCRIPT),
    LeftFile('Documents/"odd" & <b>ä.svg', len(SVG), SVG),
    LeftFile("Documents/data.bin", 4, b"\x00\x01\x02\x03"),
    LeftFile("Documents/film.mkv", 60_000_000, None),
]  # fmt: skip


@pytest.fixture
def data(tmp_path: Path) -> DataFolder:
    return DataFolder(tmp_path)


@pytest.fixture
def comparing(data: DataFolder) -> Comparing:
    runs = [play(data, "human", {"e1": 1.0}, level="L4"), play(data, "agent", {"e1": 1.0}, level="L4", left=LEFT)]
    return Comparing([Pair(pair.a, pair.b, pair.suite, ()) for pair in pairs_of(runs)], data)


def side_of(comparing: Comparing, who: str) -> tuple[str, str]:
    """The pair, and the side on which the judge sees the result that left files."""
    item = comparing.items(who)[0].item
    return item, next(side["name"] for side in comparing.page(item, who)["sides"] if side["files"])


def test_downloads_have_a_type_that_no_browser_opens_and_previews_are_new_pictures(comparing: Comparing) -> None:
    item, side = side_of(comparing, "Ada")
    with served(comparing) as address, httpx.Client(base_url=address, headers={"Origin": address}) as client:
        place = f"/items/{item}/files/{side}_"
        assert client.get(f"{place}1").status_code == 403, "the door is shut"
        client.post("/enter", content=TOKEN)
        client.post("/name", data={"name": "Ada"})
        for number, one in enumerate(LEFT[:4], 1):
            answer = client.get(f"{place}{number}")
            assert answer.content == one.content and answer.headers["content-type"] == "application/octet-stream"
            assert answer.headers["content-disposition"].startswith("attachment; ") and answer.headers["x-content-type-options"] == "nosniff"
            assert "default-src 'none'" in answer.headers["content-security-policy"]
        preview = client.get(f"{place}1/preview")
        assert preview.headers["content-type"] == "image/png" and b"script" not in preview.content and b"secret place" not in preview.content
        assert Image.open(io.BytesIO(preview.content)).size == (30, 20)
        for number in (2, 3, 4):
            assert client.get(f"{place}{number}/preview").status_code == 404
        other = "left" if side == "right" else "right"
        for path in (
            f"{place}5",
            f"{place}0",
            f"{place}6",
            f"{place}x",
            f"{place}{'1' * 5000}",
            f"{place}00001",
            f"/items/{item}/files/{other}_1",
            f"/items/{item}/files/..%2f01",
        ):
            assert client.get(path).status_code == 404, path
            assert client.get(f"{path}/preview").status_code == 404, path
        page = client.get(f"/items/{item}").text
    assert "&lt;script&gt;document.title" in page and "<script>document" not in page and "<svg" not in page and "<b>ä" not in page
    assert "film.mkv, 60.0 MB" in page and "It was too large to be kept." in page and page.count("There is no preview") == 1


@pytest.mark.browser
@pytest.mark.parametrize(("width", "scheme"), [(1200, "light"), (400, "dark")])
def test_a_judge_opens_the_files_and_nothing_of_them_runs(comparing: Comparing, browser: Any, width: int, scheme: str) -> None:
    with served(comparing) as address, judge(browser, address, "Ada", viewport={"width": width, "height": 900}, color_scheme=scheme) as (page, wrong):
        page.goto(f"{address}/next")
        title = page.title()
        for summary in page.locator("details.file > summary").all():
            summary.click()
        page.wait_for_function("[...document.querySelectorAll('details.file img')].every(image => image.complete && image.naturalWidth === 30)")
        assert page.locator("details.file pre").count() == 2 and page.title() == title
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        found = Axe().run(page)
        assert found.violations_count == 0, found.generate_report()
        with page.expect_download() as got:
            page.get_by_role("link", name="Download Documents/page.html").click()
        assert got.value.suggested_filename == "page.html" and Path(got.value.path()).read_bytes() == SCRIPT
        assert wrong == []


@pytest.mark.parametrize(("content", "shown"), [
    (b"", ("", False)), ("Gr\u00fc\u00dfe\n".encode(), ("Gr\u00fc\u00dfe\n", False)), (b"a\x00b", ("", False)), (b"\x1b[31mred", ("", False)),
    ("Gr\u00fc\u00dfe".encode("latin-1"), ("", False)), (b"x" * 6000, ("x" * 6000, False)), (b"x" * 6001, ("x" * 6000, True)),
    ("\u00fc".encode() * 40_000, ("\u00fc" * 6000, True)), (b"x" + "\u00fc".encode() * 40_000, ("x" + "\u00fc" * 5999, True)),
])  # fmt: skip
def test_a_text_is_cut_and_what_is_no_text_is_not_shown_as_one(tmp_path: Path, content: bytes, shown: tuple[str, bool]) -> None:
    path = tmp_path / "01"
    path.write_bytes(content)
    told = KeptFile("a.txt", len(content), path).shown()
    assert (told["text"], told["is_cut"]) == shown


@pytest.mark.parametrize("content", [b"GIF89a", png()[:60], huge(), b"", b"%!PS-Adobe-3.0 EPSF-3.0", SVG])
def test_a_picture_that_is_damaged_too_large_or_of_another_kind_is_none(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "01"
    path.write_bytes(content)
    assert KeptFile("a.png", len(content), path).picture() is None


def test_a_large_picture_is_made_smaller(tmp_path: Path) -> None:
    path = tmp_path / "01"
    path.write_bytes(png(size=(3000, 200)))
    made = KeptFile("a.png", 1, path).picture()
    assert made is not None and Image.open(io.BytesIO(made)).size == (1600, 107)


def test_a_picture_is_upright_as_its_camera_says(tmp_path: Path) -> None:
    for form in ("JPEG", "PNG", "TIFF"):
        picture, about = Image.new("RGB", (40, 20), "red"), Image.Exif()
        about[0x0112] = 6  # EXIF 2.3, 4.6.4: the picture lies on its side
        picture.save(tmp_path / "01", form, exif=about)
        made = KeptFile("a", 1, tmp_path / "01").picture()
        assert made is not None and Image.open(io.BytesIO(made)).size == (20, 40), form


@pytest.mark.parametrize(("form", "mode", "kind"), [("PNG", "I;16", "<u2"), ("TIFF", "I;16", "<u2"), ("TIFF", "I;16B", ">u2"), ("TIFF", "I", "<i4"), ("TIFF", "F", "<f4")])  # fmt: skip
@pytest.mark.parametrize("width", [300, 2000])
def test_a_picture_of_deep_greys_goes_from_black_to_white(tmp_path: Path, form: str, mode: str, kind: str, width: int) -> None:
    """As ImageJ writes them: values from 1000 to 4000 are neither all white nor all black, also if the picture is made smaller."""
    values = np.tile(np.linspace(1000, 4000, width), (40, 1)).astype(kind)
    Image.frombytes(mode, (width, 40), values.tobytes()).save(tmp_path / "01", form)
    made = KeptFile("a", 1, tmp_path / "01").picture()
    assert made is not None
    line = np.asarray(Image.open(io.BytesIO(made)).convert("L"), int)[10]
    assert line[0] <= 3 and line[-1] >= 252 and (np.diff(line) >= 0).all() and abs(line[len(line) // 2] - 127) <= 3


@pytest.mark.parametrize(
    ("values", "greys"), [([0.0, np.nan, 10.0], [0, 0, 255]), ([np.nan, np.nan, np.nan], [0, 0, 0]), ([5.0, 5.0, 5.0], [0, 0, 0])]
)
def test_greys_that_were_not_measured_or_are_all_the_same_are_black(tmp_path: Path, values: list[float], greys: list[int]) -> None:
    Image.fromarray(np.array([values], np.float32)).save(tmp_path / "01", "TIFF")
    made = KeptFile("a", 1, tmp_path / "01").picture()
    assert made is not None and np.asarray(Image.open(io.BytesIO(made)).convert("L")).tolist() == [greys]


@pytest.mark.parametrize(
    "kept", ["files/02", "files/03", "files/04", "files/05", "/etc/passwd", "../secret", "files/../secret", "files/01/", "files/\u0660\u0661", 7, ""]
)
def test_a_file_that_is_gone_or_is_told_in_a_place_where_no_run_puts_it_is_not_opened(tmp_path: Path, kept: Any) -> None:
    (tmp_path / "run" / "files" / "03").mkdir(parents=True)
    for name in ("secret", "run/secret", "run/files/01", "run/files/\u0660\u0661"):
        (tmp_path / name).write_text("what a judge may not see")
    (tmp_path / "run" / "files" / "04").symlink_to(tmp_path / "secret")
    os.mkfifo(tmp_path / "run" / "files" / "05")
    rows = [{"path": "a.txt", "bytes": 3, "kept": told} for told in (kept, "files/01", None)]
    asked, sound, large = files_of(Result({}, [], tmp_path / "run", rows))
    assert asked.kept is None and asked.picture() is None and (asked.shown()["is_lost"], asked.shown()["text"]) == (True, "")
    assert sound.kept == tmp_path / "run" / "files" / "01" and not sound.is_lost
    assert large.kept is None and not large.is_lost, "it was too large"
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "files").symlink_to(tmp_path / "run" / "files")
    assert files_of(Result({}, [], tmp_path / "other", rows))[1].kept is None, "a folder elsewhere"


def test_the_page_of_a_pair_says_which_file_is_gone(comparing: Comparing, data: DataFolder) -> None:
    item, side = side_of(comparing, "Ada")
    (path,) = data.runs.glob("agent/trajectories/*/files/02")
    path.unlink()

    async def answers() -> list[httpx.Response]:
        async with client_of(comparing) as client:
            return [await client.get(f"/items/{item}{place}") for place in ("", f"/files/{side}_2", f"/files/{side}_2/preview", f"/files/{side}_1")]

    page, *files = done(answers())
    assert page.status_code == 200 and page.text.count("It was kept, and is no longer there.") == 1
    assert [one.status_code for one in files] == [404, 404, 200]


def test_one_preview_is_drawn_at_a_time(comparing: Comparing) -> None:
    """A preview of a large picture takes more than 100 MB, and a page asks for many at once."""
    together = threading.Barrier(2)
    met: list[bool] = []

    def picture() -> bytes:
        try:
            together.wait(0.2)
            met.append(True)
        except threading.BrokenBarrierError:
            met.append(False)
        return b""

    async def ask() -> None:
        work = SimpleNamespace(file=lambda *_: SimpleNamespace(picture=picture))
        async with client_of(cast("Work", work)) as client:
            await asyncio.gather(*(client.get(f"/items/any/files/left_{number}/preview") for number in (1, 2)))

    done(ask())
    assert met == [False, False]


def done(work: Coroutine[Any, Any, Made]) -> Made:
    """Run it in a thread of its own: in this one a browser of other tests may have a loop."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(asyncio.run, work).result()


def client_of(work: Work) -> httpx.AsyncClient:
    """A client of the pages without their door, for a judge who gave a name."""
    return httpx.AsyncClient(transport=httpx.ASGITransport(judging_app(work)), base_url="http://here", cookies={"deskmill_name": "Ada"})
