"""Check that the chosen styles can say every composition. Only what all compositions have counts."""

from collections.abc import Collection

from narrators.material import Shape
from narrators.styles import Style, Styles


def steps_without_style(styles: Styles, chosen: Collection[str], most_steps: int) -> list[int]:
    """Return the numbers of said steps, from 1 to `most_steps`, for which no chosen style has a template that every text can fill."""
    return [steps for steps in range(1, most_steps + 1) if not any(_fits_all(styles.styles[name], steps) for name in chosen)]


def styles_for_all(styles: Styles, most_steps: int) -> list[str]:
    """Return the styles that can each say every composition alone."""
    return [name for name in styles.styles if not steps_without_style(styles, [name], most_steps)]


def _fits_all(style: Style, steps: int) -> bool:
    return steps <= style.at_most and any(_barest(steps).fits(template) for template in style.templates)


def _barest(steps: int) -> Shape:
    """Return what the catalog promises for every text: a clause and a sentence for each step. Goal, fragment and the rest can be missing."""
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
