"""Fill in values, and refer to values that were said before ("that workbook")."""

import re
from collections.abc import Mapping
from random import Random

from atomic_tasks.schema import PLACEHOLDER, Argument
from narrators.material import Spoken
from narrators.naming import Words

# "the uploaded that spreadsheet", "newer that package" and "\"that note\"" read wrong: after a determiner, a noun or a
# quotation mark, the value itself is said again
_DETERMINERS = "a|an|the|my|your|our|his|her|their|its|this|that|these|those|each|every|both|any|no|new|newer|old|older|same|other|named|called"
_PREPOSITIONS = "of|in|to|from|with|on|for|and|at|as|by|into|onto|under|over|inside|through|than|is|are|so|if|when"
_NO_REFERENCE_AFTER = re.compile(rf"(?:[\"'(#@/\\]|\b(?:{_DETERMINERS}|\d+) (?:(?!(?:{_PREPOSITIONS})\b)[\w'-]+ ){{0,2}})$", re.IGNORECASE)


def filled(masked: str, arguments: Mapping[str, Argument], spoken: Spoken, words: Words | None, rate: float, random: Random) -> str:
    """Return the text with its values and the words for its application.

    At the rate, the text refers to a value that was said before, if its generator has words for it and the sentence reads well.
    """
    said: set[str] = set()

    def value(match: re.Match[str]) -> str:
        name = match[1]
        if name == "application" and words is not None:
            return words.text
        generator = spoken.generators.get(arguments[name].generator or "")
        if name not in said or generator is None or generator.later is None:
            said.add(name)
            return spoken.values[name]
        if random.random() >= rate:
            return spoken.values[name]
        later = generator.later(random, spoken.values[name])
        before, after = masked[: match.start()], masked[match.end() :]
        if _NO_REFERENCE_AFTER.search(before) or after.startswith('"') or after.startswith(f" {later.rpartition(' ')[2]}"):
            return spoken.values[name]
        return capitalized(later) if before.endswith((". ", "? ", "! ")) else later

    return PLACEHOLDER.sub(value, masked)


def capitalized(text: str) -> str:
    """Return the text with a capital first letter. A placeholder keeps the case of its value."""
    return text[:1].upper() + text[1:]
