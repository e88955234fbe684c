"""Protects what is promised of kills, by a short form of the campaign, of another part and at another moment with each commit.

`python -m tests.campaign` is the whole.
"""

import pytest

from machines.image import Image
from tests.campaign import PARTS, Part, campaign
from tests.conftest import commit_number


@pytest.mark.slow(minutes=1)
@pytest.mark.rotates
@pytest.mark.parametrize("part", [part for part in PARTS if not part.has_scheduler], ids=lambda part: part.name)
def test_a_short_campaign_loses_nothing_doubles_nothing_and_leaves_nothing(part: Part, image: Image) -> None:
    told = campaign(1, commit_number(), (part,), image.machines, print)
    assert told.wrong == [] and told.kills.total() >= 1


@pytest.mark.whole
def test_a_campaign_of_a_hundred_kills_loses_nothing_doubles_nothing_and_leaves_nothing(image: Image) -> None:
    told = campaign(100, 0, PARTS, image.machines, print)
    assert told.wrong == [] and told.kills.total() >= len(PARTS)
