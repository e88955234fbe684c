"""Protects what goes when a request is too much for a server: in which order, in which words, never what stays, and never without an end."""

import pytest

from eval_flows.episodes.agents.context import Context, Messages, Part
from eval_flows.episodes.agents.native.places import size_of
from language_models.chat import Message
from language_models.errors import Excess
from tests.eval_flows.episodes.agents.test_agents import picture

RULES = "Be careful."
SCREEN = picture("black")
GOAL = Part(0, (Message("user", "goal", (SCREEN,)),), stays=True)
NOW = Message("user", "now", (SCREEN,))
SMALLER = ["with all pictures half as wide and high"] * 2


def with_steps(number: int) -> Context:
    context = Context()
    context.add(GOAL)
    for step in range(1, number + 1):
        context.add(Part(step, (Message("assistant", f"act {step}"), Message("tool", f"done {step}", (SCREEN,), answers="c"))))
    return context


def reduced(context: Context, excess: Excess, *now: Message) -> list[str]:
    """How the model is asked again and again, until nothing can be left out any more."""
    told: list[str] = []
    while how := context.reduce(excess, context.before(*now)):
        told.append(how)
    return told


def sizes(messages: Messages) -> list[tuple[int, int]]:
    return [size_of(image) for message in messages for image in message.images]


def test_a_request_that_is_too_long_loses_older_pictures_then_older_steps_and_then_pictures_get_smaller() -> None:
    context = with_steps(3)
    assert reduced(context, "request", NOW) == [
        "without the pictures of 2 earlier steps",
        "without the pictures of 1 earlier step",
        "without the pictures of 1 earlier step",
        "without 2 earlier steps",
        "without 1 earlier step",
        *SMALLER,
    ]
    goal, now = context.before(NOW)
    assert goal.text == "goal\n(The pictures of this step are left out.)" and not goal.images, "the goal stays, without its picture"
    width, height = size_of(SCREEN)
    assert now.text == "now" and sizes((now,)) == [(width // 4, height // 4)]
    assert context.told_in(f"{RULES}\n").split("\n\n") == [
        RULES,
        "Steps 1 to 3 did not fit and are left out.",
        "Pictures did not fit: they have 1/4 of the width and height that they had at first.",
    ]


def test_if_a_picture_is_too_large_all_get_smaller_first_and_then_older_ones_go() -> None:
    context, (width, height) = with_steps(2), size_of(SCREEN)
    assert context.reduce("picture", context.before(NOW)) == SMALLER[0]
    assert sizes(context.before(NOW)) == [(width // 2, height // 2)] * 4, (
        "those of earlier steps too: many servers take smaller ones where there are many"
    )
    assert reduced(context, "picture", NOW) == [
        SMALLER[1],
        "without the pictures of 2 earlier steps",
        "without the pictures of 1 earlier step",
    ]
    assert [message.text.partition("\n")[0] for message in context.before(NOW)] == ["goal", "act 1", "done 1", "act 2", "done 2", "now"]


@pytest.mark.parametrize("excess", ["request", "picture"])
def test_texts_alone_have_no_pictures_to_make_smaller(excess: Excess) -> None:
    context = Context()
    context.add(Part(1, (Message("user", "a"), Message("assistant", "b"))))
    assert reduced(context, excess, Message("user", "now")) == (["without 1 earlier step"] if excess == "request" else [])
    assert context.told_in(RULES) == (f"{RULES}\n\nStep 1 did not fit and is left out." if excess == "request" else RULES)


def test_nothing_is_told_and_nothing_changes_while_everything_fits() -> None:
    context = with_steps(2)
    assert context.told_in(f"{RULES}\n") == f"{RULES}\n" and context.before(NOW)[-1] is NOW and len(context.before(NOW)) == 6


def test_the_newest_parts_or_their_pictures_can_be_all_that_is_kept() -> None:
    context = with_steps(3)
    context.keep_pictures(1)
    assert [bool(message.images) for message in context.before(NOW) if message.role != "assistant"] == [False, False, False, True, True]
    context.keep(1)
    assert [message.text for message in context.before(NOW)] == ["act 3", "done 3", "now"]
    context.keep_pictures(0)
    context.keep(0)
    assert context.before(NOW) == (NOW,)
