"""The names of an application in a text: its title and aliases. Names that are ordinary words are read strictly."""

import re
from functools import lru_cache

from atomic_tasks.schema import PLACEHOLDER, Application


def spoken_names(application: Application) -> tuple[str, ...]:
    """Return what a narrator may call the application: its aliases, then its title."""
    return tuple(dict.fromkeys((*application.aliases, application.title)))


def named_in(text: str, application: Application) -> str | None:
    """Return the name of the application that the text contains, or None.

    A name that is an ordinary word (Word, Photos) counts only with its capital letter, and not as the first word of a sentence.
    """
    match = _pattern(spoken_names(application), application.name_is_a_word).search(text)
    return match[0] if match else None


def addresses(phrasing: str, application: Application) -> bool:
    """Tell whether a phrasing names the application, by {application} or in its own words."""
    return "{application}" in phrasing or named_in(PLACEHOLDER.sub("", phrasing), application) is not None


@lru_cache(maxsize=512)
def _pattern(names: tuple[str, ...], is_a_word: bool) -> re.Pattern[str]:
    longest_first = sorted(names, key=len, reverse=True)
    spelled = "|".join(re.escape(name) for name in longest_first)
    start = r"(?<!^)(?<![.?!] )" if is_a_word else ""
    return re.compile(rf"{start}(?<![\w+]){'(?:' + spelled + ')'}(?![\w+])", 0 if is_a_word else re.IGNORECASE)
