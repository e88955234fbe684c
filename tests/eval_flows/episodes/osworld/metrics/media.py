"""What metrics of pictures, films, sounds, browsers and other files are given: right, and wrong."""

import array
import wave
from collections.abc import Mapping
from math import pi, sin
from pathlib import Path
from typing import Any

import av
import numpy as np
from PIL import Image, ImageEnhance, ImageFilter, ImageOps

from tests.eval_flows.episodes.osworld.metrics.made import (
    Call,
    Maker,
    document,
    given,
    packed,
    pdf,
    picture_of,
    picture_pdf,
    png,
    workbook,
    written,
)


def _same(picture: Image.Image) -> Image.Image:
    return picture


def _pictures(change: Any, **options: Any) -> Maker:
    """Give a changed picture, and the picture."""
    return lambda p: given(picture_of(change, p / "a.png"), picture_of(_same, p / "b.png"), **options)


def _turned(change: Any) -> Maker:
    """Give a picture, and the changed picture."""
    return lambda p: given(picture_of(_same, p / "b.png"), picture_of(change, p / "a.png"))


def _clear_edge(picture: Image.Image) -> Image.Image:
    wide = Image.new("RGBA", (80, 70), (0, 0, 0, 0))
    wide.paste(picture.convert("RGBA"), (20, 20))
    return wide


def _vlcrc(folder: Path, *lines: str) -> Path:
    return written(folder / "vlcrc", "\n".join(("# made", *lines, "")))


_STATUS = '<root><state>{state}</state><information><category name="meta"><info name="filename">{name}</info></category></information></root>'


def status(folder: Path, name: str, state: str = "playing") -> Path:
    return written(folder / "status.xml", _STATUS.format(name=name, state=state))


def tone(place: Path, *pitches: float) -> Path:
    """Write half a second of each pitch."""
    rate = 22_050
    samples = array.array(
        "h", (int(12_000 * (sin(2 * pi * pitch * at / rate) + 0.5 * sin(6 * pi * pitch * at / rate))) for pitch in pitches for at in range(rate // 2))
    )
    with wave.open(str(place), "wb") as made:
        made.setnchannels(1)
        made.setsampwidth(2)
        made.setframerate(rate)
        made.writeframes(samples.tobytes())
    return place


def film(place: Path, *, flipped: bool = False, frames: int = 12) -> Path:
    with av.open(str(place), "w") as made:
        stream = made.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 64, 64, "yuv420p"
        for at in range(frames):
            picture = np.zeros((64, 64, 3), dtype=np.uint8)
            picture[8:40, at : at + 20] = 255
            picture[40:60, 30:50, at % 3] = 200
            for packet in stream.encode(av.VideoFrame.from_ndarray(picture[::-1].copy() if flipped else picture, format="rgb24")):
                made.mux(packet)
        for packet in stream.encode():
            made.mux(packet)
    return place


def _tagged(place: Path, title: str) -> Path:
    body = b"\x03" + title.encode()
    frames = b"TIT2" + len(body).to_bytes(4, "big") + b"\0\0" + body
    return written(place, b"ID3\x04\0\0" + bytes([0, 0, len(frames) >> 7, len(frames) & 127]) + frames)


def _bookmarks(*children: Mapping[str, Any]) -> Mapping[str, Any]:
    return {"bookmark_bar": {"children": list(children)}}


def _page(url: str, name: str = "x") -> Mapping[str, str]:
    return {"type": "url", "url": url, "name": name}


def _zips(folder: Path, one: Mapping[str, Any], other: Mapping[str, Any], **options: Any) -> Call:
    return given(packed(folder / "a.zip", one), packed(folder / "b.zip", other), **options)


def _pdf_bytes(*pages: str) -> bytes:
    from tempfile import TemporaryDirectory

    with TemporaryDirectory() as folder:
        return pdf(Path(folder, "x.pdf"), *pages).read_bytes()


def _draw_triangle(*corners: tuple[int, int], colour: str = "yellow") -> Any:
    return lambda pen: pen.polygon(corners, fill=colour)


_MIDDLE, _ASIDE = ((40, 30), (60, 30), (50, 60)), ((5, 5), (25, 5), (15, 35))


def _squared(pen: Any) -> None:
    pen.rectangle((10, 10, 20, 20), fill="black")


RIGHT: Mapping[str, Maker] = {
    "check_structure_sim": _pictures(lambda picture: picture.convert("RGBA")),
    "check_structure_sim_with_threshold": _pictures(lambda picture: picture.filter(ImageFilter.GaussianBlur(0.4)), threshold=0.5),
    "check_file_exists_and_structure_sim": _pictures(_same),
    "check_structure_sim_resized": _pictures(_clear_edge),
    "compare_images": _pictures(_same),
    "compare_image_list": lambda p: given([picture_of(_same, p / "a.png")], [picture_of(_same, p / "b.bmp")]),
    "check_brightness_decrease_and_structure_sim": _pictures(lambda picture: ImageEnhance.Brightness(picture).enhance(0.7)),
    "check_saturation_increase_and_structure_sim": _pictures(lambda picture: ImageEnhance.Color(picture).enhance(1.2)),
    "check_contrast_increase_and_structure_sim": _pictures(lambda picture: ImageEnhance.Contrast(picture).enhance(1.5)),
    "increase_saturation": _turned(lambda picture: ImageEnhance.Color(picture).enhance(1.5)),
    "decrease_brightness": _turned(lambda picture: ImageEnhance.Brightness(picture).enhance(0.5)),
    "check_sharper": _pictures(lambda picture: picture.filter(ImageFilter.SHARPEN)),
    "check_palette_and_structure_sim": _pictures(lambda picture: picture.quantize(256)),
    "check_image_mirror": _pictures(ImageOps.mirror),
    "check_green_background": lambda p: given(png(p / "a.png", draw=_squared, ground="green"), png(p / "b.png", draw=_squared)),
    "check_triangle_position": lambda p: given(png(p / "a.png", (100, 80), _draw_triangle(*_MIDDLE))),
    "compare_triangle_positions": lambda p: given(
        png(p / "a.png", (100, 80), _draw_triangle(*_ASIDE)), png(p / "b.png", (100, 80), _draw_triangle(*_MIDDLE))
    ),
    "check_textbox_on_leftside": lambda p: given(png(p / "a.png", (200, 50), lambda pen: pen.rectangle((3, 10, 40, 20), fill="black"))),
    "check_image_size": lambda p: given(picture_of(_clear_edge, p / "a.png"), {"height": 30, "width": 40, "ignore_transparent": True}),
    "check_image_file_size": lambda p: given(png(p / "a.png"), {"max_size": 500_000}),
    "check_config_status": lambda p: given(
        written(p / "gimprc", '# x\n\n(theme "Light")\n(color-management (mode off))\n(undo-levels 100)\n'), {"key": "undo-levels", "value": "100"}
    ),
    "check_file_exists": lambda p: given(written(p / "x.txt", "").parent, "x.txt"),
    "is_vlc_playing": lambda p: given(status(p, "file:///home/my%20film.mp4"), {"type": "file_name", "file_name": "my film.mp4"}),
    "is_vlc_recordings_folder": lambda p: given(_vlcrc(p, "input-record-path=/home/user/Desktop"), {"recording_file_path": "/home/user/Desktop"}),
    "is_vlc_fullscreen": lambda _: given({"width": 1920, "height": 1080}, {"width": 1920, "height": 1080}),
    "check_qt_bgcone": lambda p: given(_vlcrc(p, "qt-bgcone=0"), {"expected_qt_bgcone": 0}),
    "check_qt_max_volume": lambda p: given(_vlcrc(p, "qt-max-volume=200"), {"expected_qt_max_volume": 200}),
    "check_qt_minimal_view": lambda p: given(_vlcrc(p, "qt-minimal-view=1"), {"expected_qt_minimal_view": 1}),
    "check_one_instance_when_started_from_file": lambda p: given(
        _vlcrc(p, "one-instance-when-started-from-file=0"), {"expected_one_instance_when_started_from_file": 0}
    ),
    "check_play_and_exit": lambda p: given(_vlcrc(p, "play-and-exit=1"), {"expected_play_and_exit": 1}),
    "check_qt_slider_colours": lambda p: given(_vlcrc(p, "qt-slider-colours=1;2;3;20;99;10"), {"type": "blackish"}),
    "check_global_key_play_pause": lambda p: given(_vlcrc(p, "global-key-play-pause=F9"), {"expected_global_key_play_pause": 1}),
    "compare_videos": lambda p: given(film(p / "a.mp4"), film(p / "b.avi")),
    "compare_audios": lambda p: given(tone(p / "a.wav", 440, 660), tone(p / "b.wav", 440, 660)),
    "is_expected_active_tab": lambda _: given({"url": "https://www.Amazon.com/a/"}, {"type": "url", "url": "https://amazon.com/a"}),
    "is_expected_active_tab_approximate": lambda _: given("https://a.com/b?x=1", {"type": "url", "url": "https://a.com/b?y=2"}),
    "is_expected_url_pattern_match": lambda _: given({"url": "https://a.com/reservation#/vehicles"}, {"expected": ["reservation#/vehicles"]}),
    "is_expected_search_query": lambda _: given({"url": "https://a.com/?q=cats"}, {"expect": {"pattern": "q=cats"}}),
    "is_expected_tabs": lambda _: given(
        [{"url": "https://b.com/"}, {"url": "https://a.com"}], {"type": "url", "urls": ["https://a.com/", "https://b.com"]}
    ),
    "check_url_and_content_include": lambda _: given(
        {"url": "https://shop.example.org/Women/jerseys", "body": "Jerseys over $60"},
        {"url_must_include": ["women"], "body_must_include": ["$60", "JERSEYS"], "body_must_exclude": ["sold out"]},
    ),
    "is_added_to_steam_cart": lambda _: given({"content": "<p>The Dota 2 Official Soundtrack</p>"}, {"items": ["Dota 2 Official"]}),
    "is_expected_bookmarks": lambda _: given(
        _bookmarks({"type": "folder", "name": "Liked Authors", "children": [_page("https://b.org/"), _page("https://a.org")]}),
        {"type": "liked_authors_websites_urls", "urls": [["https://x.org", "https://a.org"], "https://b.org"]},
    ),
    "is_cookie_deleted": lambda _: given([(1, ".google.com", "x")], {"type": "domains", "domains": [".amazon.com"]}),
    "check_history_deleted": lambda _: given([("https://a.com", "A", 1)], {"type": "keywords", "keywords": ["youtube"]}),
    "is_expected_installed_extensions": lambda _: given(["a", "b"], {"expected": ["a"]}),
    "check_enabled_experiments": lambda _: given(["b@1", "a"], {"type": "names", "names": ["a", "b"]}),
    "check_font_size": lambda _: given({"default_font_size": 20}, {"type": "range", "min": 16, "max": 99}),
    "check_edge_font_size": lambda _: given({"default_font_size": 20}, {"type": "range", "min": 20, "max": 99}),
    "is_shortcut_on_desktop": lambda _: given(
        {"a.desktop": "[Desktop Entry]\nName=Play Puzzle Game 2048"}, {"type": "name", "name": "Play Puzzle Game 2048"}
    ),
    "is_url_shortcut_on_desktop": lambda _: given(
        {"a.url": "[InternetShortcut]\nURL=https://a.com/"}, {"type": "url", "url_content": "URL=https://a.com/"}
    ),
    "compare_pdfs": lambda p: given([pdf(p / "a.pdf", "one", "two")], [pdf(p / "b.pdf", "one", "two")]),
    "compare_pdf_images": lambda p: given(*(picture_pdf(p / f"{name}.pdf", Image.open(picture_of(_same, p / f"{name}.png"))) for name in "ab")),
    "check_pdf_pages": lambda p: given(pdf(p / "a.pdf", "one", "two"), {"relation": "eq", "ref_value": 2}),
    "is_gold_text_included_in_pdf": lambda p: given(pdf(p / "a.pdf", "Anna Schmidt 12"), written(p / "g.json", '{"name": "Anna Schmidt", "n": 12}')),
    "compare_htmls": lambda p: given(
        written(p / "a.html", '<p sdnum="1">a <b>b</b></p>'), written(p / "b.html", '<p sdnum="2">a\n<b>b</b></p>'), ignore_sdnum=True
    ),
    "compare_epub": lambda p: given(
        packed(p / "a.epub", {"content.opf": "a\n<dc:identifier>1\n", "x.html": "l"}),
        packed(p / "b.epub", {"content.opf": "a\n<dc:identifier>2\n", "x.html": "l"}),
    ),
    "compare_archive": lambda p: _zips(p, {"d/a.pdf": _pdf_bytes("one")}, {"d/a.pdf": _pdf_bytes("one")}, file_type="pdf", file_path="d"),
    "compare_zip_files": lambda p: _zips(p, {"a.pdf": _pdf_bytes("one") + b"\n", "b": "x"}, {"b": "x", "a.pdf": _pdf_bytes("one")}),
    "check_mp3_meta": lambda p: given(_tagged(p / "a.mp3", "Sunny Day"), {"title": {"method": "eq", "ref": "Sunny Day"}}),
}

WRONG: Mapping[str, Maker] = {
    "check_structure_sim": _pictures(ImageOps.mirror),
    "check_structure_sim_with_threshold": _pictures(lambda picture: picture.filter(ImageFilter.GaussianBlur(0.4)), threshold=0.9999),
    "check_file_exists_and_structure_sim": _pictures(lambda picture: picture.resize((80, 60))),
    "check_structure_sim_resized": _pictures(lambda picture: _clear_edge(ImageOps.mirror(picture))),
    "compare_images": _pictures(ImageOps.mirror, reference_base_result=0.99),
    "compare_image_list": lambda p: given([picture_of(_same, p / "a.png")], [picture_of(lambda one: one.crop((0, 0, 39, 30)), p / "b.png")]),
    "check_brightness_decrease_and_structure_sim": _pictures(lambda picture: ImageEnhance.Brightness(picture).enhance(1.1)),
    "check_saturation_increase_and_structure_sim": _pictures(lambda picture: ImageEnhance.Color(picture).enhance(0.5)),
    "check_contrast_increase_and_structure_sim": _pictures(lambda picture: ImageEnhance.Contrast(picture).enhance(0.5)),
    "increase_saturation": _turned(_same),
    "decrease_brightness": _turned(_same),
    "check_sharper": _pictures(lambda picture: picture.filter(ImageFilter.BLUR)),
    "check_palette_and_structure_sim": _pictures(_same),
    "check_image_mirror": _pictures(_same),
    "check_green_background": lambda p: given(png(p / "a.png", draw=_squared, ground="red"), png(p / "b.png", draw=_squared)),
    "check_triangle_position": lambda p: given(png(p / "a.png", (100, 80), _draw_triangle(*_ASIDE))),
    "compare_triangle_positions": lambda p: given(
        png(p / "a.png", (100, 80), _draw_triangle(*_MIDDLE)), png(p / "b.png", (100, 80), _draw_triangle(*_ASIDE))
    ),
    "check_textbox_on_leftside": lambda p: given(png(p / "a.png", (200, 50), lambda pen: pen.rectangle((30, 10, 40, 20), fill="black"))),
    "check_image_size": lambda p: given(png(p / "a.png"), {"height": 512}),
    "check_image_file_size": lambda p: given(written(p / "a.png", ""), {"max_size": 500_000}),
    "check_config_status": lambda p: given(written(p / "gimprc", "(undo-levels 5)\n"), {"key": ["undo-levels", "x"], "value": "100"}),
    "check_file_exists": lambda p: given(p, "x.txt"),
    "is_vlc_playing": lambda p: given(status(p, "my_film.mp4"), {"type": "file_name", "file_name": "film.mp4"}),
    "is_vlc_recordings_folder": lambda p: given(_vlcrc(p, "#input-record-path=/home/user/Desktop"), {"recording_file_path": "/home/user/Desktop"}),
    "is_vlc_fullscreen": lambda _: given({"width": 1920, "height": 1080}, {"width": 1920, "height": 1053}),
    "check_qt_bgcone": lambda p: given(_vlcrc(p, "#qt-bgcone=0"), {"expected_qt_bgcone": 0}),
    "check_qt_max_volume": lambda p: given(_vlcrc(p), {"expected_qt_max_volume": 200}),
    "check_qt_minimal_view": lambda p: given(_vlcrc(p), {"expected_qt_minimal_view": 1}),
    "check_one_instance_when_started_from_file": lambda p: given(_vlcrc(p), {"expected_one_instance_when_started_from_file": 0}),
    "check_play_and_exit": lambda p: given(_vlcrc(p), {"expected_play_and_exit": 1}),
    "check_qt_slider_colours": lambda p: given(_vlcrc(p), {"type": "blackish"}),
    "check_global_key_play_pause": lambda p: given(_vlcrc(p, "#global-key-play-pause="), {"expected_global_key_play_pause": 1}),
    "compare_videos": lambda p: given(film(p / "a.mp4"), film(p / "b.mp4", flipped=True)),
    "compare_audios": lambda p: given(written(p / "a.wav", "broken"), written(p / "b.wav", "broken")),
    "is_expected_active_tab": lambda _: given("https://a.com/b", {"type": "url", "url": "https://a.com/a"}),
    "is_expected_active_tab_approximate": lambda _: given("https://a.com/c?x=1", {"type": "url", "url": "https://a.com/b"}),
    "is_expected_url_pattern_match": lambda _: given("https://a.com", {"expected": ["a.com", "vehicles"]}),
    "is_expected_search_query": lambda _: given({"url": "https://a.com/?q=dogs"}, {"expect": {"pattern": "q=cats"}}),
    "is_expected_tabs": lambda _: given(
        [{"url": "https://a.com"}, {"url": "https://b.com"}], {"type": "url", "urls": ["https://a.com", "https://a.com"]}
    ),
    "check_url_and_content_include": lambda _: given(
        {"url": "https://a.org/women", "body": "$60, sold out"},
        {"url_must_include": ["women"], "body_must_include": ["$60"], "body_must_exclude": ["Sold out"]},
    ),
    "is_added_to_steam_cart": lambda _: given({"content": ""}, {"items": ["x"]}),
    "is_expected_bookmarks": lambda _: given(_bookmarks(_page("https://a.org")), {"type": "bookmark_bar_websites_urls", "urls": ["https://b.org"]}),
    "is_cookie_deleted": lambda _: given([(1, "www.amazon.com", "x")], {"type": "domains", "domains": [".amazon.com"]}),
    "check_history_deleted": lambda _: given([("https://youtube.com", "A", 1)], {"type": "keywords", "keywords": ["youtube"]}),
    "is_expected_installed_extensions": lambda _: given(["b"], {"expected": ["a"]}),
    "check_enabled_experiments": lambda _: given(["a@1", "c"], {"type": "names", "names": ["a", "b"]}),
    "check_font_size": lambda _: given({"default_font_size": 16}, {"type": "value", "value": 20}),
    "check_edge_font_size": lambda _: given({"default_font_size": 16}, {"type": "range", "min": 17, "max": 99}),
    "is_shortcut_on_desktop": lambda _: given({"a.desktop": "Name=Play Puzzle Game 2048 x\n"}, {"type": "name", "name": "Play Puzzle Game 2048"}),
    "is_url_shortcut_on_desktop": lambda _: given({"a.url": "x"}, {"type": "url", "url_content": "URL=https://a.com/"}),
    "compare_pdfs": lambda p: given(pdf(p / "a.pdf", ""), pdf(p / "b.pdf", "")),
    "compare_pdf_images": lambda p: given(
        picture_pdf(p / "a.pdf", Image.open(picture_of(ImageOps.mirror, p / "a.png"))),
        picture_pdf(p / "b.pdf", Image.open(picture_of(_same, p / "b.png"))),
    ),
    "check_pdf_pages": lambda p: given(pdf(p / "a.pdf", "one"), {"relation": "gt", "ref_value": 1}),
    "is_gold_text_included_in_pdf": lambda p: given(pdf(p / "a.pdf", "x"), written(p / "g.json", '{"name": "Anna"}')),
    "compare_htmls": lambda p: given(written(p / "a.html", "<p>a</p>"), written(p / "b.html", "<p>a</p><p>b</p>")),
    "compare_epub": lambda p: given(packed(p / "a.epub", {"toc.ncx": "x"}), packed(p / "b.epub", {"content.opf": "x"})),
    "compare_archive": lambda p: _zips(p, {"a": "x"}, {"b": "x"}),
    "compare_zip_files": lambda p: _zips(p, {"a": "x"}, {"a": "y"}),
    "check_mp3_meta": lambda p: given(_tagged(p / "a.mp3", "Sunny"), {"artist": {"method": "eq", "ref": "Anna"}}),
}

MORE: Mapping[str, tuple[float, Maker]] = {
    "compare_image_list of opaque pictures": (
        0.0, lambda p: given(png(p / "a.png", ground=(255, 0, 0, 255), mode="RGBA"), png(p / "b.png", ground=(0, 255, 0, 255), mode="RGBA"))
    ),
    "check_config_status of two words": (
        1.0, lambda p: given(written(p / "gimprc", "(color-management mode off)\n   \n"), {"key": ["color-management", "mode"], "value": "off"})
    ),
    "is_vlc_playing a stream": (1.0, lambda p: given(status(p, "master.m3u8"), {"type": "url", "url": "https://a.com/b/master.m3u8"})),
    "is_vlc_playing nothing": (0.0, lambda p: given(status(p, "a.mp4", "paused"), {"type": "file_name", "file_name": "a.mp4"})),
    "check_qt_slider_colours matching": (1.0, lambda p: given(_vlcrc(p, "qt-slider-colours=1;2"), {"type": "match", "expected_qt_slider_colours": "1;2"})),
    "check_global_key_play_pause without": (1.0, lambda p: given(_vlcrc(p), {"expected_global_key_play_pause": 0})),
    "compare_videos of other lengths": (0.0, lambda p: given(film(p / "a.mp4", frames=8), film(p / "b.mp4"))),
    "is_expected_bookmarks of folders": (1.0, lambda _: given(_bookmarks({"type": "folder", "name": "F"}, _page("x")), {"type": "bookmark_bar_folders_names", "names": ["F"]})),
    "is_shortcut_on_desktop of Windows": (
        1.0, lambda _: given({"a.lnk": '{"data": {"description": "Play 2048. Use"}}', "b.lnk": "x"}, {"type": "description", "description": "Play 2048"})
    ),
    "compare_pdfs of pictures": (1.0, lambda p: given(*(picture_pdf(p / f"{name}.pdf", Image.open(picture_of(_same, p / f"{name}.png"))) for name in "ab"))),
    "compare_pdf_images without pictures": (1.0, lambda p: given(pdf(p / "a.pdf", "x"), pdf(p / "b.pdf", "y"))),
    "compare_epub half": (0.5, lambda p: given(packed(p / "a.epub", {"toc.ncx": "x"}), packed(p / "b.epub", {"toc.ncx": "x", "a.html": "y"}))),
    "compare_archive that climbs out": (0.0, lambda p: _zips(p, {"../a": "x"}, {"../a": "x"})),
    "compare_archive of workbooks": (
        1.0,
        lambda p: _zips(
            p, {"a.xlsx": workbook(p / "x.xlsx").read_bytes()}, {"a.xlsx": workbook(p / "y.xlsx").read_bytes()},
            file_type="table", rules=[{"type": "sheet_data", "sheet_idx0": 0, "sheet_idx1": "EI0"}],
        ),
    ),
    "compare_archive half": (0.5, lambda p: _zips(p, {"a": "x", "b": "x"}, {"a": "x", "b": "y"})),
    "compare_archive of documents": (
        1.0, lambda p: _zips(p, {"a.docx": document(p / "x.docx", "x").read_bytes()}, {"a.docx": document(p / "y.docx", "x").read_bytes()}, file_type="docx")
    ),
    "compare_archive of nothing": (0.0, lambda p: _zips(p, {}, {})),
    "compare_images from a base": (1.0, _pictures(_same, reference_base_result=0.5)),
    "check_image_size of a picture that is clear": (0.0, lambda p: given(png(p / "a.png", mode="RGBA", ground=(0, 0, 0, 0)), {"height": 30, "ignore_transparent": True})),
}  # fmt: skip
