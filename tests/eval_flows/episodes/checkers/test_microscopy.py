"""Protects microscopy: pictures, stacks and regions are read as they were made, and what is too large is refused."""

import io
import zipfile

import numpy as np
import pytest
from roifile import ImagejRoi
from tifffile import imwrite

from eval_flows.episodes.checkers.microscopy import micrograph, rois
from eval_flows.episodes.tasks.makers.maker import made_file
from tests.eval_flows.episodes.tasks.examples import EXAMPLES

STACK = made_file("stack", EXAMPLES["stack"])


def written(pixels_per_unit: float = 1.0, **metadata: str) -> bytes:
    file = io.BytesIO()
    imwrite(file, np.full((30, 40), 7, np.uint8), imagej=True, resolution=(pixels_per_unit, pixels_per_unit), metadata=metadata)
    return file.getvalue()


def archive(*regions: ImagejRoi) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as made:
        for number, region in enumerate(regions):
            made.writestr(f"{number}.roi", region.tobytes())
    return file.getvalue()


def test_a_stack_is_read_slice_by_slice() -> None:
    assert made_file("stack", EXAMPLES["stack"]) == STACK, "the same bytes each time"
    assert micrograph(STACK, "slices") == 2 and micrograph(STACK, "size") == [40, 30] and micrograph(STACK, "bits") == 8
    assert micrograph(STACK, "mean.5.5.10.8") == pytest.approx(110, abs=2), "a block is brighter by what it says"
    assert micrograph(STACK, "mean.20.20.10.8") == pytest.approx(20, abs=2)
    assert micrograph(STACK, "most.20.20.10.8") < 60 and micrograph(STACK, "most.0.0.40.30.1") == 255, "salt is in the second slice alone"
    with pytest.raises(ValueError, match="ends before"):
        micrograph(STACK, "mean.35.5.10.8")


def test_colours_are_one_grey_level() -> None:
    stained = made_file("stained", EXAMPLES["stained"])
    assert micrograph(stained, "bits") == 24 and micrograph(stained, "slices") == 1
    assert micrograph(stained, "mean.5.5.10.8") == pytest.approx((110 + 0 + 20) / 3, abs=2)


def test_a_scale_is_read() -> None:
    scaled = written(2.5, unit="\\u00B5m")
    assert micrograph(scaled, "unit") == "µm" and micrograph(scaled, "pixels_per_unit") == pytest.approx(2.5)
    assert micrograph(written(), "unit") == "pixel"


def test_levels_and_their_shares() -> None:
    assert micrograph(written(), "levels") == [7] and micrograph(written(), "share.7") == 1
    assert micrograph(written(), "deviation") == 0 and micrograph(written(), "least") == 7


def test_regions_are_read_alone_and_in_an_archive() -> None:
    square = ImagejRoi.frompoints([[2, 3], [12, 3], [12, 8], [2, 8]])
    small = ImagejRoi.frompoints([[0, 0], [4, 0], [4, 4], [0, 4]])
    assert rois(square.tobytes(), "count") == 1 and rois(square.tobytes(), "areas") == [50]
    both = archive(square, small)
    assert rois(both, "count") == 2 and rois(both, "areas") == [16, 50]
    assert rois(both, "bounds")[1][:2] == [2, 3]


def test_an_archive_without_end_is_refused() -> None:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as made:
        made.writestr("a.roi", b"Iout" + bytes(6_000_000))
    with pytest.raises(ValueError, match="too large"):
        rois(file.getvalue(), "count")
