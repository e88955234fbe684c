"""Proper names in a text: quotations, addresses, paths, files, flags, and words with a capital letter inside a sentence."""

import re

_LITERAL = re.compile(
    r'"(?P<quoted>[^"]+)"'
    r"|https?://\S+|\S+@\S+\.\w+|[A-Za-z]:\\\S*|\\\\\S+|(?<![\w/])/\w[\w./-]*|(?<!\w)[\w-]*\.[A-Za-z][A-Za-z0-9]{1,4}(?!\w)|(?<!\w)--?[A-Za-z][\w-]*|(?<!\w)[#@]\w[\w-]*"
)
_CAPITAL = re.compile(r"(?<![.?!:\"] )(?<=[^\s] )[A-Z][\w+#&]*(?:-\w+)*|(?<![\w'-])[A-Za-z]*(?:[a-z][A-Z]|[A-Z][A-Z])\w*")
_FIRST_PERSON = frozenset({"I", "OK"})


def names_in(text: str) -> set[str]:
    """Return the proper names of the text."""
    literal = {match["quoted"] or match[0].rstrip(".,;:?!") for match in _LITERAL.finditer(text)}
    rest = _LITERAL.sub(" x ", text)
    capital = {match[0] for match in _CAPITAL.finditer(rest)}
    return {name for name in literal | capital if name not in _FIRST_PERSON and any(letter.isalnum() for letter in name)}


def stands_in(name: str, text: str) -> bool:
    """Tell whether a name is in the text as a word of its own, in any case, perhaps with a possessive or plural ending."""
    before = r"(?<!\w)" if name[0].isalnum() else ""
    after = r"(?:'s|s)?(?!\w)" if name[-1].isalnum() else ""
    return re.search(before + re.escape(name) + after, text, re.IGNORECASE) is not None
