"""Protects references: a value said before is referred to, but never after a word that makes that read wrong."""

from random import Random

import pytest

from atomic_tasks.arguments import computed_generators
from atomic_tasks.schema import Argument
from narrators import references
from narrators.material import Spoken
from narrators.naming import Names

ARGUMENTS = {"workbook": Argument(generator="spreadsheet_file")}
SPOKEN = Spoken(None, False, Names(), {"workbook": "a.xlsx"}, computed_generators())


def filled(masked: str, rate: float = 1.0) -> str:
    return references.filled(masked, ARGUMENTS, SPOKEN, None, rate, Random(0))


def test_the_first_mention_says_the_value() -> None:
    assert filled("Open {workbook}") == "Open a.xlsx"


def test_a_second_mention_refers_to_it() -> None:
    text = filled("Open {workbook} and sort the rows of {workbook}")
    assert text.count("a.xlsx") == 1 and text.startswith("Open a.xlsx and sort the rows of ")


def test_a_reference_that_begins_a_sentence_has_a_capital() -> None:
    assert filled("Open {workbook}. {workbook} is slow.").split(". ")[1][0].isupper()


@pytest.mark.parametrize("before", ["the uploaded {}", "a newer {}", '"{}"', "my {}", "the minidump {}", "({}"])
def test_no_reference_where_it_would_read_wrong(before: str) -> None:
    assert filled("Open {workbook}, then see " + before.format("{workbook}")).count("a.xlsx") == 2


def test_the_rate_decides_how_often_values_are_said_again() -> None:
    assert filled("Open {workbook} and sort the rows of {workbook}", rate=0.0).count("a.xlsx") == 2
