"""Protects the getters of pictures, pages, sounds and films: they read back what was made, in whatever format it is kept."""

import io
import wave
from typing import Any

import docx
import pytest
from PIL import Image
from pypdf import PdfWriter

from tests.eval_flows.episodes.tasks.examples import got, made, pdf


@pytest.mark.parametrize("ending", ["png", "bmp", "gif", "tif", "webp", "jpg"])
def test_pictures_are_read_back(ending: str) -> None:
    content = made("picture", path=f"a.{ending}")
    shown = {what: got("picture", content, what=what) for what in ("width", "height", "ratio", "has_alpha", "transparent", "format")}
    assert shown | {"format": ""} == {"width": 40, "height": 20, "ratio": 2, "has_alpha": False, "transparent": 0, "format": ""}
    assert shown["format"] == {"jpg": "JPEG", "tif": "TIFF"}.get(ending, ending.upper())
    if ending not in ("jpg", "webp"):  # which lose colours
        assert got("picture", content, what="pixel.2.3") == got("picture", content, what="pixel.5%.50%") == "#ff0000"
        assert got("picture", content, what="pixel.30.3") == "#ffffff" and got("picture", content, what="count.#ff0000") == 200
    assert got("picture", content, what="pixel.99.99") is None


def test_places_count_from_a_share_and_colours_within_levels() -> None:
    content = made("picture", path="a.png", size=[40, 30], shapes=[{"rectangle": [10, 5, 19, 14], "colour": "#804020"}])
    places = {("50%-10", "50%-10"): "#804020", ("50%-11", "50%"): "#ffffff", ("50%-1", 14): "#804020", ("50%+0", 14): "#ffffff", (40, 1): None}
    places |= {("50%x", 1): None, ("", 1): None}
    assert {(x, y): got("pixel", content, x=x, y=y) for x, y in places} == places
    assert [got("near_colour", content, colour="#904020", levels=levels) for levels in (15, 16)] == [0, 100]


def test_resolutions_are_read_in_pixels_per_inch_and_the_sizes_of_icons() -> None:
    def written(kind: str, **how: Any) -> bytes:
        Image.open(io.BytesIO(made("picture", size=[64, 64]))).save(file := io.BytesIO(), kind, **how)
        return file.getvalue()

    for kind in ("JPEG", "PNG", "TIFF"):
        assert got("picture_file", written(kind, dpi=(300, 72)), what="resolution") == pytest.approx([300, 72], abs=0.02)
    assert got("picture_file", written("JPEG"), what="resolution") is None
    icon = written("ICO", sizes=[(64, 64), (16, 16)])
    assert got("picture_file", icon, what="sizes") == [[16, 16], [64, 64]] and got("picture_file", written("PNG"), what="sizes") is None


def test_pixels_tell_pictures_apart_however_they_are_kept() -> None:
    said, other_word = ([{"text": word, "at": [4, 4], "colour": "black"}] for word in ("Fair", "Market"))
    kept = {got("picture", made("picture", path=f"a.{ending}", shapes=said), what="pixels") for ending in ("png", "bmp", "tif")}
    others = [made("picture", shapes=other_word), made("picture", shapes=said, size=[20, 40])]
    assert len(kept) == 1 and len(kept | {got("picture", other, what="pixels") for other in others}) == 3


def test_the_picture_after_a_line_of_a_document_is_read() -> None:
    document, picture = docx.Document(), made("picture")
    document.add_paragraph("It looks like this:")
    document.add_picture(io.BytesIO(picture))
    document.add_paragraph("And that is all.")
    document.save(file := io.BytesIO())
    assert got("document", file.getvalue(), what="picture_after.looks like") == got("picture", picture, what="pixels")
    assert got("document", file.getvalue(), what="picture_after.is all") is None
    assert got("document", file.getvalue(), what="pictures") == 1 and got("document", made("document"), what="pictures") == 0


def test_the_words_of_a_pdf_file_are_read_over_the_ends_of_its_lines() -> None:
    assert got("pdf_text", pdf(b"BT /F 12 Tf 10 100 Td (Doors  close) Tj 0 -14 Td (at six.) Tj ET")) == "Doors close at six."
    assert got("pdf_text", b"%PDF-1.4\n" + bytes(9000)) is None, "it takes more than the first bytes"


def test_pages_and_title_of_a_pdf_file_are_read() -> None:
    def written(*pages: tuple[float, float, int]) -> bytes:
        writer = PdfWriter()
        for width, height, turned in pages:
            writer.add_blank_page(width, height).rotate(turned)
        writer.add_metadata({"/Title": "Fête (June)"})
        writer.write(file := io.BytesIO())
        return file.getvalue()

    flat = written((842, 595, 0), (612, 1008, 90))
    assert {what: got("pdf", flat, what=what) for what in ("pages", "title", "orientation")} == {
        "pages": 2,
        "title": "Fête (June)",
        "orientation": "landscape",
    }
    assert (
        got("pdf", written((842, 595, 90)), what="orientation") == "portrait"
        and got("pdf", written((842, 595, 0), (595, 842, 0)), what="orientation") is None
    )
    assert got("pdf", pdf(b""), what="title") is None and got("pdf", b"<html>", what="pages") is None


def test_sounds_and_films_are_whole() -> None:
    with wave.open(io.BytesIO(made("sound"))) as sound:
        assert (sound.getframerate(), sound.getnframes()) == (8000, 4000)
    film = made("video")
    assert film[:4] == b"RIFF" and film[8:12] == b"AVI " and int.from_bytes(film[4:8], "little") == len(film) - 8 and film.count(b"00db") == 20


def test_a_sound_is_told_by_what_is_heard() -> None:
    tone = made("sound", seconds=3, pitch=330)
    assert {what: got("sound", tone, what=what) for what in ("format", "seconds", "pitch")} == {"format": "WAV", "seconds": 3, "pitch": 330}
    assert got("sound", b"fLaC" + bytes(50_000), what="seconds") is None, "it takes more than the first bytes"
    assert got("sound", b"no sound", what="format") is None
    with wave.open(silence := io.BytesIO(), "wb") as written:
        written.setparams((2, 2, 44100, 0, "NONE", "not compressed"))
        written.writeframes(bytes(4 * 44100))
    assert got("sound", silence.getvalue(), what="pitch") is None and got("sound", silence.getvalue(), what="seconds") == pytest.approx(1, abs=0.01)
