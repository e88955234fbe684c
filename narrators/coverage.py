"""Whether a choice of styles can say every composition: what is known of all of them, and nothing that only some have."""

from collections.abc import Collection

from narrators.material import Shape
from narrators.styles import Style, Styles


def steps_without_style(styles: Styles, chosen: Collection[str], most_steps: int) -> list[int]:
    """The numbers of said steps, up to the most, for which no chosen style has a template that every text can fill."""
    return [steps for steps in range(1, most_steps + 1) if not any(_fits_all(styles.styles[name], steps) for name in chosen)]


def styles_for_all(styles: Styles, most_steps: int) -> list[str]:
    """The styles of which each says every composition alone."""
    return [name for name in styles.styles if not steps_without_style(styles, [name], most_steps)]


def _fits_all(style: Style, steps: int) -> bool:
    return steps <= style.at_most and any(_barest(steps).fits(template) for template in style.templates)


def _barest(steps: int) -> Shape:
    """What the catalog's rules promise of every text: a clause and a sentence for each step. A goal, a fragment and the rest may lack."""
    return Shape(
        steps=steps,
        first_sentence=True,
        clauses=True,
        clauses_as_i=False,
        goal=False,
        goal_as_i=False,
        goal_sentence=False,
        goal_alone=False,
        fragment=False,
        goal_fragment=False,
        background=False,
        due=False,
    )
