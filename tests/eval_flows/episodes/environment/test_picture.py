"""Protects the form of pictures: what is asked for is what comes, strictly read, the same each time, and right about what the screen shows."""

import io

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops

from atomic_tasks.problems import BadInput
from eval_flows.episodes.environment import Environment, PictureForm, picture_form
from eval_flows.episodes.environment.picture import in_form, tiling
from eval_flows.episodes.tasks.needs import refuse_form
from eval_flows.episodes.tasks.suite import tasks_of
from machines.actions import Action
from machines.errors import MachineNeeds
from machines.image import Image as MachineImage
from machines.sandbox import Sandbox
from tests.eval_flows.episodes.desktops import OFFERS

SIZE = (1280, 800)
PLACE = (640, 400)


def opened(file: bytes) -> Image.Image:
    return Image.open(io.BytesIO(file)).convert("RGB")


def gradient() -> bytes:
    """A picture in which every place looks different."""
    file = io.BytesIO()
    wide, high = Image.linear_gradient("L").rotate(90).resize(SIZE), Image.linear_gradient("L").resize(SIZE)
    Image.merge("RGB", (wide, high, Image.new("L", SIZE))).save(file, "PNG")
    return file.getvalue()


SCREEN = gradient()


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("native,png,pointer", PictureForm()),
        ("pointer", PictureForm()),
        ("1024,jpeg,pointer,action", PictureForm(1024, "jpeg", 85, True, True)),
        (" Action , JPEG:60,tiles", PictureForm("tiles", "jpeg", 60, False, True)),
        ("1280", PictureForm(1280, pointer=False)),
    ],
)
def test_a_form_is_read_in_any_order_and_written_as_it_reads(text: str, form: PictureForm) -> None:
    assert picture_form(text) == form and picture_form(str(form)) == form


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "'' is unknown; join by commas"),
        ("1024,gif", "'gif' is unknown"),
        ("1024,1280", "given twice"),
        ("png,jpeg", "given twice"),
        ("pointer,pointer", "given twice"),
        ("tiles,native", "given twice"),
        ("63", "64 pixels or more"),
        ("jpeg:0", "from 1 to 95"),
        ("jpeg:100", "from 1 to 95"),
        ("-5", "'-5' is unknown"),
        ("1024x768", "'1024x768' is unknown"),
        ("\u0661\u0660\u0662\u0664", "is unknown"),
    ],
)
def test_any_other_form_is_refused_with_what_there_is(text: str, said: str) -> None:
    with pytest.raises(BadInput) as error:
        picture_form(text)
    assert said in str(error.value)


def test_a_form_that_asks_for_nothing_leaves_the_file_as_it_is() -> None:
    assert in_form(SCREEN, PictureForm(), PLACE) == (SCREEN,)
    assert in_form(SCREEN, PictureForm(action=True), None) == (SCREEN,), "there was no action at a place"


@pytest.mark.parametrize("kind", ["png", "jpeg"])
def test_a_picture_has_the_size_and_the_format_that_were_asked_for(kind: str) -> None:
    form = picture_form(f"1024,{kind}")
    (file,) = in_form(SCREEN, form, None)
    found = Image.open(io.BytesIO(file))
    assert (found.format, found.size) == (kind.upper(), (1024, 640)) and in_form(SCREEN, form, None) == (file,)
    assert ImageChops.difference(found.convert("RGB").resize(SIZE), opened(SCREEN)).convert("L").point(lambda one: one > 12).getbbox() is None, (
        "it shows the same"
    )


def test_a_better_quality_takes_more_bytes() -> None:
    poor, good = (in_form(SCREEN, picture_form(f"jpeg:{quality}"), None)[0] for quality in (10, 95))
    assert len(poor) < len(good)


@given(st.integers(64, 4000), st.integers(64, 4000))
def test_tiles_are_the_whole_screen_at_its_own_scale(width: int, height: int) -> None:
    columns, rows = tiling((width, height))
    assert (width - 1) // columns < 768 and (height - 1) // rows < 768


def test_tiles_come_row_by_row_and_join_to_the_screen() -> None:
    tiles = [opened(file) for file in in_form(SCREEN, picture_form("tiles"), None)]
    assert [tile.size for tile in tiles] == [(640, 400)] * 4
    joined = Image.new("RGB", SIZE)
    for tile, place in zip(tiles, ((0, 0), (640, 0), (0, 400), (640, 400)), strict=True):
        joined.paste(tile, place)
    assert ImageChops.difference(joined, opened(SCREEN)).getbbox() is None


def test_the_last_action_is_ringed_where_it_was() -> None:
    (file,) = in_form(SCREEN, PictureForm(action=True), PLACE)
    changed = ImageChops.difference(opened(file), opened(SCREEN)).getbbox()
    assert changed is not None and ((changed[0] + changed[2]) // 2, (changed[1] + changed[3]) // 2) == PLACE
    assert opened(file).getpixel(PLACE) == opened(SCREEN).getpixel(PLACE), "what was acted on is seen"
    (small,) = in_form(SCREEN, PictureForm(640, action=True), PLACE)
    assert ImageChops.difference(opened(small), opened(in_form(SCREEN, PictureForm(640), None)[0])).getbbox() is not None


def test_a_model_is_told_what_it_has_to_know_of_the_form_and_nothing_of_the_usual_one() -> None:
    assert PictureForm().told(SIZE) == [] and picture_form("1024,jpeg,pointer").told(SIZE) == []
    parts, pointer, ring = picture_form("tiles,action").told(SIZE)
    assert "4 parts, 2 side by side and 2 one below the other" in parts and "shares of the whole screen, not of a part" in parts
    assert "pointer is not" in pointer and "red ring" in ring


def test_what_a_machine_cannot_show_is_refused_before_anything_starts() -> None:
    refuse_form(PictureForm(1280), "remote", OFFERS)
    for text, said in (
        ("1024", "draws the pointer into every picture: add `pointer`"),
        ("1281,pointer", "the screen of this machine is 1280 pixels wide"),
    ):
        with pytest.raises(MachineNeeds, match=said):
            refuse_form(picture_form(text), "remote", OFFERS)


def test_the_pointer_is_in_the_picture_or_not_and_the_action_is_marked(image: MachineImage) -> None:
    task, there = tasks_of("smoke")[0], Action("move_abs", {"x": 0.5, "y": 0.5})
    seen = {}
    with Environment(Sandbox(image)) as environment:
        environment.reset(task)
        for text in ("native,pointer", "native", "1024,jpeg,action", "tiles,pointer,action"):
            environment.form = picture_form(text)
            environment.step(Action("move_abs", {"x": 0.9, "y": 0.9}))
            seen[text] = environment.step(there)
    drawn, bare = (opened(seen[text].pictures[0]) for text in ("native,pointer", "native"))
    changed = ImageChops.difference(drawn, bare).getbbox()
    assert changed is not None and changed[0] <= 640 <= changed[2] and changed[1] <= 400 <= changed[3]
    assert changed[2] - changed[0] < 40 and changed[3] - changed[1] < 40, "they differ by the pointer alone"
    assert seen["native"].pictures == (seen["native"].screenshot,)
    assert [Image.open(io.BytesIO(file)).size for file in seen["1024,jpeg,action"].pictures] == [(1024, 640)]
    assert len(seen["tiles,pointer,action"].pictures) == 4 and seen["tiles,pointer,action"].pointer == seen["native"].pointer
