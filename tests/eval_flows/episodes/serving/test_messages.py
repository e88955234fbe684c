"""Protects the messages of the server: what they say is read again as it was."""

import json

import pytest

from eval_flows.episodes.checkers.checks import Checked
from eval_flows.episodes.environment import Reward
from eval_flows.episodes.serving.messages import read_reward, reward_as_json


@pytest.mark.parametrize(("share", "holds"), [(1.0, True), (0.9, True), (0.7, False)])
def test_a_reward_says_whether_it_is_a_success(share: float, holds: bool) -> None:
    """A graded reward below 1 can be a success: a client that only got the value could not know."""
    reward = Reward(share, [Checked({"picture": "a.png", "like": "b.png", "threshold": 0.8}, "pixels", share)], [])
    told = json.loads(json.dumps(reward_as_json(reward)))
    assert (told["value"], told["holds"], told["is_success"]) == (share, holds, holds)
    assert [one["holds"] for one in told["checked"]] == [holds]
    again = read_reward(told)
    assert (again.value, again.holds, again.is_success) == (share, holds, holds) and again.checked[0].entry == reward.checked[0].entry


def test_damage_is_no_success_though_the_checks_hold() -> None:
    told = reward_as_json(Reward(1.0, [Checked({"text": "a.txt", "is": "a"}, "a", 1.0)], ["b.txt deleted"]))
    assert (told["value"], told["holds"], told["is_success"]) == (0, True, False)
