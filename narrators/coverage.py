"""Check that the chosen styles can say every composition. Only what all compositions have counts."""

from collections.abc import Collection

from narrators.styles import Style, Styles

_MOST_VALUES = 8  # of a clause


def steps_without_style(styles: Styles, chosen: Collection[str], most_steps: int) -> list[int]:
    """Return the numbers of said steps, from 1 to `most_steps`, for which no chosen style has a template that every text can fill."""
    return [steps for steps in range(1, most_steps + 1) if not any(_fits_all(styles.styles[name], steps) for name in chosen)]


def styles_for_all(styles: Styles, most_steps: int) -> list[str]:
    """Return the styles that can each say every composition alone."""
    return [name for name in styles.styles if not steps_without_style(styles, [name], most_steps)]


def _fits_all(style: Style, steps: int) -> bool:
    """Tell whether the style fits any clauses, so many of them, or any whole text."""
    if style.says_whole:
        return steps == 1
    return steps <= style.most_steps and not (style.first_person or style.not_with) and style.most_values >= _MOST_VALUES
