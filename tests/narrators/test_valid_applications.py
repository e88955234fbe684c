"""Protects the definition of valid applications."""

from narrators.valid_applications import valid_applications

EQUIVALENCE = {"a": {"x", "y", "z"}, "b": {"y", "z"}, "c": {"x"}}
CANDIDATES = ["z", "y", "x"]


def test_every_capability_that_is_said_narrows() -> None:
    assert valid_applications(["a"], EQUIVALENCE, CANDIDATES, None) == ["z", "y", "x"]
    assert valid_applications(["a", "b"], EQUIVALENCE, CANDIDATES, None) == ["z", "y"]
    assert valid_applications(["b", "c"], EQUIVALENCE, CANDIDATES, None) == []


def test_an_addressed_application_is_the_only_one_and_a_kind_leaves_its_own() -> None:
    assert valid_applications(["a"], EQUIVALENCE, CANDIDATES, ["y"]) == ["y"]
    assert valid_applications(["a"], EQUIVALENCE, CANDIDATES, ["x", "y", "w"]) == ["y", "x"]


def test_only_candidates_are_valid() -> None:
    assert valid_applications(["a"], EQUIVALENCE, ["x"], None) == ["x"]
    assert valid_applications(["a"], EQUIVALENCE, ["x"], ["y"]) == []
