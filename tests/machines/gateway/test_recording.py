"""Protects films of a machine: what they show, when they end, and whom they do not disturb."""

import io
import threading
import time
from collections.abc import Callable, Iterator

import pytest
from fastapi.testclient import TestClient

from machines.errors import MachineError, MachineNeeds
from machines.gateway import recording
from machines.gateway.places import Places
from machines.gateway.protocol import create_gateway
from machines.gateway.recording import Recording
from tests.machines.gateway.counted import Counted, place_of, png


def film(pictures: Callable[[], bytes]) -> bytes:
    recorded = Recording(pictures)
    return recorded.end()


def test_a_recording_ends_with_its_user_and_keeps_no_machine_in_use(machine: Counted, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gets a machine after a reset, or because nobody used it, records it anew; pictures for a film are no use of the machine."""
    monkeypatch.setattr(recording, "_EVERY", 0.01)
    pytest.importorskip("av")
    place = place_of(machine)
    places = Places([place], idle_seconds=100.0)
    harness = TestClient(create_gateway(places.take()))
    for begin_anew in (place.reset, places.take):
        assert harness.post("/start_recording").status_code == 200
        place.used = then = time.monotonic() - 200.0
        seen = machine.guest.looks
        while machine.guest.looks < seen + 3:
            time.sleep(0.01)
        assert place.used == then, "a harness that is gone keeps its machine as long as it records"
        begin_anew()
        assert not any(thread.name == "recording" for thread in threading.enumerate())
        assert harness.post("/end_recording").status_code == 400, "the film of another user"


def test_a_recording_that_nobody_ends_does_not_grow_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recording, "_EVERY", 0.01)
    monkeypatch.setattr(recording, "_LONGEST", 0.05)
    pytest.importorskip("av")
    recorded = Recording(lambda: png("red"))
    recorded._thread.join(30)
    assert not recorded._thread.is_alive() and recorded.end()


def test_a_film_shows_what_changed_and_lasts_to_the_end(monkeypatch: pytest.MonkeyPatch) -> None:
    av = pytest.importorskip("av")
    monkeypatch.setattr(recording, "_EVERY", 0.01)
    shown: Iterator[bytes | MachineError] = iter([png("red"), png("red"), png("blue"), MachineError("it is reset"), png("blue")])
    enough = threading.Event()

    def picture() -> bytes:
        found = next(shown, None)
        if found is None:
            enough.set()
            return png("blue")
        if isinstance(found, MachineError):
            raise found
        return found

    begun = Recording(picture)
    assert enough.wait(60)
    with av.open(io.BytesIO(begun.end())) as opened:
        frames = [frame.to_image() for frame in opened.decode(video=0)]
    assert [frame.size for frame in frames] == [(64, 48)] * 3, "red, blue, and blue at the end; the sides are even"
    red, blue = (frame.getpixel((5, 5)) for frame in (frames[0], frames[-1]))
    assert red[0] - red[2] > 150 and blue[2] - blue[0] > 150


def test_a_film_needs_a_picture_and_a_package(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> bytes:
        raise MachineError("gone")

    pytest.importorskip("av")
    with pytest.raises(MachineError, match="gave no picture"):
        film(none)
    with pytest.raises(MachineError, match="could not be made: UnidentifiedImageError"):
        film(lambda: b"no picture")
    monkeypatch.setattr(recording, "find_spec", lambda name: None)
    with pytest.raises(MachineNeeds, match=r"pip install 'deskmill\[osworld\]'"):
        Recording(none)
