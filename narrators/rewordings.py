"""The check of reviewed rewordings: each passes the faithfulness check of a model's paraphrase, for a phrasing with the same arguments.

A rewording says the same as a phrasing in one voice. Here every argument has a word of its own as its value, since only the words around
the values are judged.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import Place, Problem, Source, suggestion
from atomic_tasks.schema import PLACEHOLDER, is_sentence, placeholders
from compositions.library import Located
from narrators.asks import Ask, Narrated, about
from narrators.faithfulness import flaw
from narrators.mentions import Mentions
from narrators.references import capitalized

_VALUES = ("qua", "quebe", "quidi", "quoro", "ququ", "quaxe", "quezi", "quilo")  # no words of any language that the check knows


class _Said(NamedTuple):
    """What is said in several ways: its phrasings, its rewordings by voice, and all words of the catalog about it."""

    phrasings: Sequence[str]
    rewordings: Mapping[str, str]
    about: str


def problems_of(catalog: Catalog, workflows: Sequence[Located], voices: Mapping[str, object]) -> Iterator[Problem]:
    """Yield the rewordings of unknown voices, and those that are faithful to no phrasing of their task, goal or joint words."""
    mentions = Mentions(catalog.applications, catalog.kinds)
    for source, place, said in (*_of_tasks(catalog), *_of_workflows(catalog, workflows)):
        for voice, text in said.rewordings.items():
            if voice not in voices:
                yield source.problem((*place, "rewordings", voice), f"unknown voice '{voice}'{suggestion(voice, voices)}")
            elif reason := _unfaithful(text, said, mentions):
                yield source.problem((*place, "rewordings", voice), reason)


def _of_tasks(catalog: Catalog) -> Iterator[tuple[Source, Place, _Said]]:
    for name, application in catalog.applications.items():
        for number, task in enumerate(application.tasks):
            if task.rewordings:
                yield catalog.sources[name], ("tasks", number), _Said(task.say, task.rewordings, about(task))


def _of_workflows(catalog: Catalog, workflows: Sequence[Located]) -> Iterator[tuple[Source, Place, _Said]]:
    for workflow, source, number in workflows:
        goal = workflow.goal
        if goal.rewordings:
            yield source, ("workflows", number, "goal"), _Said(goal.say, goal.rewordings, about(goal))
        for item, joint in enumerate(workflow.joint):
            if joint.rewordings:
                words = "\n".join([*joint.say, *(about(catalog.tasks[step.task]) for step in workflow.steps)])
                yield source, ("workflows", number, "joint", item), _Said(joint.say, joint.rewordings, words)


def _unfaithful(text: str, said: _Said, mentions: Mentions) -> str | None:
    """Return why the text is no faithful rewording of any phrasing, or None if it is one of some."""
    names = set(placeholders(text))
    alike = [phrasing for phrasing in said.phrasings if set(placeholders(phrasing)) == names]
    if not alike:
        return "no phrasing has the same arguments, so nothing tells whether it says the same: use the arguments of one of them"
    flaws = [_flaw(text, phrasing, said.about, mentions) for phrasing in alike]
    return None if None in flaws else f"does not say the same as any phrasing ({', '.join(sorted(map(str, set(flaws))))})"


def _flaw(text: str, phrasing: str, words: str, mentions: Mentions) -> str | None:
    values = {name: _VALUES[number] for number, name in enumerate(dict.fromkeys(placeholders(phrasing)))}
    whole = capitalized(phrasing if is_sentence(phrasing) else f"{phrasing}.")
    before, after = (PLACEHOLDER.sub(lambda match: values[match[1]], one) for one in (whole, text))
    asks = (Ask(before, frozenset(values), words),)
    return flaw(Narrated(before, "", values, {name: name for name in values}, frozenset(), asks), after, [after], mentions)
