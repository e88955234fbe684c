"""The instruction of an episode, by the narrators of the user tasks, with its own rule for what to drop.

It drops only steps that the needs of a kept step imply (such as opening a file that is then edited). Every checked value stays in the text.
It names no application: an episode may start on an empty desktop, where choosing one is part of the task.
"""

from collections.abc import Mapping
from functools import cache

from atomic_tasks.catalog import Catalog
from atomic_tasks.executable import texts_in
from atomic_tasks.schema import placeholders
from atomic_tasks.seeds import derived_random
from compositions.model import Composition
from eval_flows.episodes.tasks.compose import NotComposed
from narrators.material import Spoken
from narrators.naming import Names
from narrators.narrator import Narrator
from narrators.rates import NamingRates, NarrationRates
from narrators.styles import Styles, read_styles

_DRAWS = 60
_RATES = NarrationRates(
    drop_out=(0, 0),
    generic_drop_out=(0, 0),
    most_said_steps=100,
    naming=NamingRates(application=0, kind=0, vendor=0),
    goal=0,
    references=0,
    voices={"careful": 1},
    styles={"command": 3, "polite": 2, "need": 1.5, "statement": 3},
)


@cache
def _styles() -> Styles:
    return read_styles()


def instruction(composition: Composition, values: Mapping[str, str], catalog: Catalog, *seed: str | int) -> str:
    """Return the instruction of an episode; `NotComposed` if no phrasing names every checked value."""
    narrator = Narrator(_styles(), _RATES)
    spoken = Spoken(None, False, Names(), values, catalog.generators)
    kept = _kept(composition)
    wanted = _checked_arguments(composition)
    for draw in range(_DRAWS):
        narration = narrator.narrate_kept(composition, kept, spoken, derived_random(*seed, "narrate", draw))
        if wanted <= set(placeholders(narration.masked_text)):
            return narration.text
    told = ", ".join(sorted(wanted))
    raise NotComposed(f"{', '.join(step.task.id for step in composition.steps)}: no text says each checked value ({told}); say it in every phrasing")


def _kept(composition: Composition) -> tuple[int, ...]:
    """Return all steps except the generic ones that give what a later step needs."""
    implied = {source for position in range(len(composition.steps)) for source in composition.sources(position)}
    return tuple(position for position, step in enumerate(composition.steps) if not (step.task.generic and position in implied))


def _checked_arguments(composition: Composition) -> set[str]:
    """Return the arguments that a check looks at, by their names in the composition."""
    found = set()
    for step in composition.steps:
        for text in texts_in(step.task.check):
            found |= {step.names.get(name, name) for name in placeholders(text) if name in step.task.arguments}
    return found
