"""Mistakes that people make in catalog files: each turns the lines of a file into those of one with that mistake, at a place drawn at random."""

import re
from collections.abc import Callable, Mapping
from random import Random

Lines = list[str]
Mistake = Callable[[Lines, Random], int]  # changes the lines in place; the index of the line that is wrong

_KEY = re.compile(r"^( *(?:- )?)([a-z_]+):(.*)$")


def _drawn(lines: Lines, random: Random, pattern: str) -> int:
    """The index of a line in which the pattern is found."""
    return random.choice([number for number, line in enumerate(lines) if re.search(pattern, line)])


def _replaced(pattern: str, replacement: str) -> Mistake:
    """The mistake of writing the replacement where the pattern is found."""

    def mistake(lines: Lines, random: Random) -> int:
        number = _drawn(lines, random, pattern)
        lines[number] = re.sub(pattern, replacement, lines[number], count=1)
        return number

    return mistake


def _inserted(text: str, after: str) -> Mistake:
    """The mistake of one more line after one in which the pattern is found."""

    def mistake(lines: Lines, random: Random) -> int:
        number = _drawn(lines, random, after) + 1
        lines.insert(number, text)
        return number

    return mistake


def item_too_deep(lines: Lines, random: Random) -> int:
    """A list item that stands one space too far to the right, below one without quotes: YAML folds it into that one."""
    number = _second_item(lines, random)
    lines[number] = f" {lines[number]}"
    return number - 1


def item_not_deep_enough(lines: Lines, random: Random) -> int:
    """A list item that stands one space too far to the left."""
    number = _second_item(lines, random)
    lines[number] = lines[number][1:]
    return number


def _second_item(lines: Lines, random: Random) -> int:
    plain = re.compile(r"      - [^\"'{\[]")
    return random.choice([number for number in range(1, len(lines)) if plain.match(lines[number]) and plain.match(lines[number - 1])])


def said_twice(lines: Lines, random: Random) -> int:
    """A phrasing that stands twice in its list."""
    number = _drawn(lines, random, r"^      - [^{].{12}")
    lines.insert(number + 1, lines[number])
    return number + 1


def clause_with_a_capital(lines: Lines, random: Random) -> int:
    """A clause that starts as a sentence does."""
    number = random.choice(
        [number for number in range(1, len(lines)) if lines[number - 1] == "    say:" and re.match(r"      - [a-z]", lines[number])]
    )
    lines[number] = f"      - X{lines[number][8:]}"
    return number


def key_misspelt(lines: Lines, random: Random) -> int:
    """A key with two letters swapped, or with one left out."""
    number = _drawn(lines, random, r"^  (?:- |  )(id|title|capability|arguments|needs|gives|ends|say|named|generic):")
    match = _KEY.match(lines[number])
    assert match is not None
    key = match[2]
    place = random.randrange(len(key) - 1)
    swapped = key[:place] + key[place + 1] + key[place] + key[place + 2 :]
    lines[number] = f"{match[1]}{swapped if swapped != key else key[1:]}:{match[3]}"
    return number


def key_twice(lines: Lines, random: Random) -> int:
    """A line with a key, two times."""
    number = _drawn(lines, random, r"^    (title|capability|arguments|needs|gives): ")
    lines.insert(number + 1, lines[number])
    return number + 1


def tab_for_spaces(lines: Lines, random: Random) -> int:
    """A line that is indented by a tab."""
    number = _drawn(lines, random, r"^    [a-z]+:")
    lines[number] = "\t" + lines[number].lstrip()
    return number


def line_gone(lines: Lines, random: Random) -> int:
    """Any line left out."""
    number = random.randrange(len(lines))
    del lines[number]
    return number


def lines_swapped(lines: Lines, random: Random) -> int:
    """Any two neighbours in the wrong order."""
    number = random.randrange(len(lines) - 1)
    lines[number], lines[number + 1] = lines[number + 1], lines[number]
    return number


def character_gone(lines: Lines, random: Random) -> int:
    """Any character left out that is not a letter, a digit or a space."""
    number = _drawn(lines, random, r"[^\w\s]")
    places = [place for place, character in enumerate(lines[number]) if not (character.isalnum() or character.isspace())]
    place = random.choice(places)
    lines[number] = lines[number][:place] + lines[number][place + 1 :]
    return number


# What must be refused, at the very line.
REFUSED: Mapping[str, Mistake] = {
    "item too deep": item_too_deep,
    "phrasing twice": said_twice,
    "key misspelt": key_misspelt,
    "key twice": key_twice,
    "tab": tab_for_spaces,
    "item not deep enough": item_not_deep_enough,
    "key too deep": _replaced(r"^    (?=(title|capability|needs|gives):)", "     "),
    "key not deep enough": _replaced(r"^    (?=(title|capability|needs|gives):)", "   "),
    "colon missing": _replaced(r"^(    (?:title|capability|needs|gives)):", r"\1"),
    "space after colon missing": _replaced(r"^(    (?:title|capability)): ", r"\1:"),
    "brace not closed": _replaced(r"^(      - [a-z].*\{\w+)\}", r"\1"),
    "brace not opened": _replaced(r"^(      - [a-z].*)\{(\w+\})", r"\1\2"),
    "braces doubled": _replaced(r"^(      - [a-z].*)\{(\w+)\}", r"\1{{\2}}"),
    "argument misspelt": _replaced(r"^(      - [a-z].*\{\w+)\}", r"\1x}"),
    "phrasing not quoted": _replaced(r"^      - [a-z]", "      - {x} "),
    "colon in a phrasing": _replaced(r"^(      - [a-z]\w+) ", r"\1: "),
    "generator misspelt": _replaced(r"^(    arguments: \{\w+: [a-z_]+)", r"\1x"),
    "argument without a value": _replaced(r"^(    arguments: \{\w+): [a-z_]+(?=[,}])", r"\1"),
    "fact about nothing": _replaced(r"^(    (?:needs|gives): \[\w+\(\w+)", r"\1x"),
    "fact not closed": _replaced(r"^(    (?:needs|gives): \[\w+\(\w+)\)", r"\1"),
    "list not closed": _replaced(r"^(    (?:needs|gives): \[.*)\]$", r"\1"),
    "capability misspelt": _replaced(r"^(    capability: \w+\.\w+)", r"\1x"),
    "title in lower case": _replaced(r"^    title: \w", "    title: x"),
    "number for a text": _replaced(r"^    (title|capability): .*", r"    \1: 17"),
    "number for a phrasing": _replaced(r"^      - [a-z].*", "      - 17"),
    "date for a phrasing": _replaced(r"^      - [a-z].*", "      - 2026-13-45"),
    "text for a list": _replaced(r"^    say:$", "    say: do it"),
    "nothing for a text": _replaced(r"^    (title|capability): .*", r"    \1:"),
    "nothing for a phrasing": _replaced(r"^      - [a-z].*", "      -"),
    "list for a text": _replaced(r"^    (title|capability): (.*)", r"    \1: [\2]"),
    "revises neither true nor false": _replaced(r"^    revises: true", "    revises: perhaps"),
    "clause with a capital": clause_with_a_capital,
    "clause with spaces around": _replaced(r"^      - ([a-z][^'\"]*)$", r'      - " \1"'),
    "id of another application": _replaced(r"^  - id: [^.]+", "  - id: someone"),
    "category misspelt": _replaced(r"^category: ", "category: x"),
    "platform misspelt": _replaced(r"^platform: ", "platform: x"),
    "alias of YAML": _replaced(r"^      - [a-z]\w*", "      - *it"),
    "tag of YAML": _replaced(r"^      - (?=[a-z])", "      - !!python/name:os.system "),
    "sign that YAML keeps": _replaced(r"^      - (?=[a-z])", "      - @"),
    "a list in itself": _replaced(r"^    capability: .*", "    capability: &it [*it]"),
    "no printing character": _replaced(r"^(      - [a-z]+)", "\\1\x07"),
}

# What must be refused somewhere, since only what comes after it shows that it is wrong.
REFUSED_LATER: Mapping[str, Mistake] = {
    "quote not closed": _replaced(r'^(      - "[^"\\]*)"$', r"\1"),
    "second document": _inserted("---", r"^    capability: "),
    "brace of arguments not closed": _replaced(r"^(    arguments: \{.*)\}$", r"\1"),
}

# What may do no harm: a phrasing less, two keys in another order.
HARMLESS_OR_REFUSED: Mapping[str, Mistake] = {"line gone": line_gone, "lines swapped": lines_swapped, "character gone": character_gone}

# What is wrong with an oracle or a check.
OF_EXECUTABLE: Mapping[str, Mistake] = {
    "number to click": _replaced(r"^      - click: .*", "      - click: 17"),
    "text to click": _replaced(r"^      - click: .*", "      - click: OK"),
    "element without a role": _replaced(r"^(      - (?:click|wait_for): \{)role: ([a-z ]+), name", r"\1name"),
    "element with a misspelt key": _replaced(r"^(      - click: \{)role", r"\1rol"),
    "nth not a number": _replaced(r"^(      - click: \{role: [a-z ]+), nth: \d", r"\1, nth: first"),
    "menu of one text": _replaced(r"^      - menu: .*", "      - menu: Edit"),
    "mapping to press": _replaced(r"^      - press: .*", "      - press: {ctrl: s}"),
    "nothing to write": _replaced(r"^      - write: .*", "      - write:"),
    "verb misspelt": _replaced(r"^      - write: ", "      - wriet: "),
    "metric without a value": _replaced(r"^        (contains|matches): .*", r"        \1:"),
    "pattern that is none": _replaced(r"^        matches: .*", '        matches: "(never closed"'),
}
