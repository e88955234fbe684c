"""Protects the reading of tasks by two people: none sees the other's, findings are answered, and the suite's reviews get them in the place of their round."""

import json
from pathlib import Path

import pytest

from atomic_tasks.problems import BadInput
from eval_flows.episodes.judging.readings import Readings, write_reviews
from eval_flows.episodes.judging.review import Answering, Reviewing
from eval_flows.episodes.tasks.reviews import read_reviews
from warehouse.layout import DataFolder

CLEAR = {"way": "Open it and type.", "found": "", "verdict": "clear", "seconds": "12"}
UNCLEAR = {"way": "Open it and type.", "found": "two files have this name\n\nthe end of line is not told", "verdict": "unclear"}
EARLIER = {"by": "model", "read": "An instruction as it was read.", "way": "as it says", "found": [], "verdict": "clear", "answer": ""}


def written(folder: Path, *lines: tuple[str, int]) -> str:
    """The reviews of a suite by a model, as a text."""
    text = "".join(json.dumps({"task": task, "round": number, **EARLIER}) + "\n" for task, number in lines)
    (folder / "smoke.jsonl").write_text(text)
    return text


def test_two_people_read_and_an_author_answers(tmp_path: Path) -> None:
    data = DataFolder(tmp_path / "data")
    work = Reviewing("smoke", data)
    [first, second, *_] = [one.item for one in work.items("ada")]
    orders = [[one.item for one in work.items(who)] for who in ("ada", "bob")]
    assert orders[0] != orders[1] and sorted(orders[0]) == sorted(orders[1])
    work.keep(first, "ada", CLEAR)
    work.keep(first, "bob", UNCLEAR)
    work.keep(second, "bob", CLEAR)
    assert work.done("ada") == {first} and work.done("bob") == {first, second}
    assert "two files" not in str(work.page(first, "ada")), "readers do not see each other's findings"
    assert first not in [one.item for one in work.items("cy")] and second in [one.item for one in work.items("cy")], "two have read it"
    folder = tmp_path / "reviews"
    folder.mkdir()
    before = written(folder, (first, 1), (first, 2), ("another", 1))
    with pytest.raises(BadInput, match=f"the reading of {first} by bob: .*nobody answered"):
        write_reviews(Readings("smoke", data), folder)
    assert (folder / "smoke.jsonl").read_text() == before, "nothing is half-written"
    author = Answering("smoke", data)
    assert [one.item for one in author.items("me")] == [first] and author.done("me") == set()
    [reading] = author.page(first, "me")["readings"]
    assert (reading.reader, list(reading.found)) == ("bob", ["two files have this name", "the end of line is not told"])
    with pytest.raises(BadInput, match="answer the reading of bob"):
        author.keep(first, "me", {"answer_1": " "})
    author.keep(first, "me", {"answer_1": "The text names the folder now."})
    assert author.done("me") == {first}
    assert write_reviews(Readings("smoke", data), folder) == 3
    found = read_reviews("smoke", folder)
    assert [(one.round, one.by, one.verdict, one.answer) for one in found[first]] == [
        (1, "person", "clear", ""), (2, "person", "unclear", "The text names the folder now."),
    ]  # fmt: skip
    assert list(found) == [first, "another", second] and found["another"][0].by == "model"


@pytest.mark.parametrize(("said", "reason"), [
    ({**CLEAR, "way": "ok"}, "say in a line how"), ({**CLEAR, "verdict": ""}, "verdict: choose one of clear"), ({**UNCLEAR, "found": " \n"}, "say what could mislead"),
])  # fmt: skip
def test_a_reading_that_says_too_little_is_not_kept(tmp_path: Path, said: dict[str, str], reason: str) -> None:
    work = Reviewing("smoke", DataFolder(tmp_path))
    with pytest.raises(BadInput, match=reason):
        work.keep(work.items("ada")[0].item, "ada", said)
    assert work.done("ada") == set()
    with pytest.raises(BadInput, match="the suite has no task 'nonesuch'"):
        work.keep("nonesuch", "ada", CLEAR)
