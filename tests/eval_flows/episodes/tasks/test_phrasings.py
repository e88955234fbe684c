"""Protects that an instruction names what it is about: another thing may have been spoken of last when a step is told in a longer episode."""

import re

from atomic_tasks.catalog import Catalog
from atomic_tasks.schema import AtomicTask, placeholders

_KEEPS = re.compile(r"save|export|convert|print_page|overwrite|write_changes|extract|record_macro")
_ELSEWHERE = re.compile(
    r"^(?:please )?(?:it|they|them|this|these|those)\b"  # the subject is not named
    r"|^(?!make it \{)\w+ (?:it|them|this|these|those|that)\b(?! \w)"  # nor the object
    r"|^\w+ (?:it|them)\b (?:in|as|with|under|to|into|for)\b"
    r"|\bthese (?:changes|settings|lines)\b"
    r"|\b(?:all|hold|with) that\b(?=[.,]| in the end)",
    re.IGNORECASE,
)


def executable(catalog: Catalog) -> list[AtomicTask]:
    return [task for task in catalog.tasks.values() if task.oracle]


def said_of(task: AtomicTask) -> list[str]:
    """What an instruction says for a task."""
    return list(map(str, task.asks or task.say))


def test_no_instruction_speaks_of_a_thing_of_an_earlier_step_by_a_pronoun(catalog: Catalog) -> None:
    found = [f"{task.id}: {said}" for task in executable(catalog) for said in said_of(task) if _ELSEWHERE.search(said)]
    assert not found, "\n".join(found)


def test_phrasings_that_misled_are_found() -> None:
    misleading = (
        "keep it with its layers as {label}.xcf in Pictures",
        "save it in the Pictures folder as the project {label}.xcf",
        "It should be saved as a project, {label}.xcf, next to the picture in Pictures.",
        "{workbook} should be saved with these changes, still as .xlsx.",
        "{capture_file} should keep all that, so save it under its own name.",
        "The file {poster}.png itself should hold that in the end.",
        "{text_file} should be saved with that.",
    )
    assert [said for said in misleading if not _ELSEWHERE.search(said)] == []
    assert not _ELSEWHERE.search("make it {new_day} instead of Monday in {text_file}")


def test_what_is_saved_or_exported_is_named_and_so_is_its_name(catalog: Catalog) -> None:
    """Every phrasing says every argument: the thing that is kept, and the name that it is kept under."""
    keeping = [task for task in executable(catalog) if _KEEPS.search(f"{task.id} {task.capability}") and task.arguments]
    assert len(keeping) >= 20
    found = [
        f"{task.id} leaves out {sorted(missing)}: {said}"
        for task in keeping
        for said in said_of(task)
        if (missing := set(task.arguments) - set(placeholders(said)))
    ]
    assert not found, "\n".join(found)
