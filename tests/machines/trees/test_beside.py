"""Protects the labels of fields that toolkits leave without a name: the one at the left, and no other."""

from machines.trees.beside import with_labels
from machines.trees.elements import Element


def element(role: str, name: str, box: tuple[int, int, int, int]) -> Element:
    return Element(0, role, name, "", None, frozenset({"focusable"}), box, "w", "a")


def test_a_field_is_called_by_the_label_at_its_left() -> None:
    labels = [
        element("label", "Locale:", (10, 10, 90, 30)),
        element("label", "Other:", (10, 60, 90, 30)),
        element("label", "Far:", (10, 110, 20, 30)),
    ]
    fields = [
        element("toggle button", "", (112, 12, 300, 30)),
        element("text", "Named", (112, 60, 300, 30)),
        element("text", "", (112, 110, 300, 30)),
    ]
    assert [one.label for one in with_labels([*labels, *fields], ["Tab"] * 5 + ["Bar"])[3:]] == ["Locale:", "Named", "Bar"]
