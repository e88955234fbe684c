"""Messages for files that are not YAML, or not the YAML that the author meant. They say what to do."""

import datetime

import yaml

_BEGINS = ("while scanning a simple key", "while scanning a quoted scalar", "while parsing a flow")  # for these, the mistake is where they begin
_MEANINGS = {
    "could not find expected ':'": "this line has no ': ' between a key and its value",
    "did not find expected ',' or ']'": "the [ is not closed, or an item needs quotes",
    "did not find expected ',' or '}'": "the { is not closed, or a text that starts with { needs quotes",
    "found a tab character that violates indentation": "the line is indented by a tab; indent by spaces",
    "mapping values are not allowed in this context": "a ': ' cannot stand here: the key is indented too deep, the line above has no ': ', "
    "or the text needs quotes",
    "did not find expected key": "this line does not belong to the mapping above: indent it like the keys there, "
    "or quote a text that starts with a quote or {",
    "did not find expected '-' indicator": "this line does not belong to the list above: indent it like the items there, "
    "quote a text that starts with {, or close the quotes above",
    "found unexpected end of stream": "the quotes that open here are never closed",
    "found undefined alias": "a text that starts with * needs quotes",
    "did not find expected alphabetic or numeric character": "a text that starts with & or * needs quotes",
    "did not find expected comment or line break": "a text that starts with > or | needs quotes",
    "but found another document": "a line of --- begins a second document, and a file holds one",
    "found unhashable key": "a key that starts with { or [ needs quotes",
}
_SHOWN = 60  # characters of a value
_UNSTARTABLE = "found character that cannot start any token"


def syntax_mistake(error: yaml.YAMLError, text: str) -> tuple[int, str]:
    """Return the line that YAML could not read, from 1, and the reason with its remedy."""
    if isinstance(error, yaml.reader.ReaderError):
        line = text.encode()[: error.position].count(b"\n")  # libyaml counts bytes
        return line + 1, "this line has a character that cannot be printed; remove it"
    problem = getattr(error, "problem", None) or "this is not YAML"
    began, found = getattr(error, "context_mark", None), getattr(error, "problem_mark", None)
    mark = began if began and (getattr(error, "context", None) or "").startswith(_BEGINS) else found or began
    line = mark.line if mark else 0
    if problem == _UNSTARTABLE:
        here = text.splitlines()[line] if line < len(text.splitlines()) else ""
        if "\t" in here[: len(here) - len(here.lstrip())]:
            return line + 1, "the line is indented by a tab; indent by spaces"
        return line + 1, "a text that starts with @, ` or % needs quotes"
    if problem.startswith("could not determine a constructor"):
        return line + 1, "a text that starts with ! needs quotes"
    return line + 1, _MEANINGS.get(problem, problem)


def undecodable(error: UnicodeDecodeError) -> tuple[int, str]:
    """Return the line, from 1, and the reason for a file that is not UTF-8."""
    return bytes(error.object)[: error.start].count(b"\n") + 1, "this is not UTF-8; save the file as UTF-8"


def folded(node: yaml.Node) -> bool:
    """Tell whether a text without quotes has several lines. YAML joins them, and mostly an item is indented too deep."""
    return isinstance(node, yaml.ScalarNode) and not node.style and node.start_mark.line != node.end_mark.line


FOLDED = "this text goes on in the next line: a list item there is indented too deep or has no '- ' or comma; if you mean one text, quote it"
IN_ITSELF = "a list or mapping contains itself"


def shown(value: object) -> str:
    """Return a value as it is in the file, shortened."""
    if value is None:
        return "nothing"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, dict):
        return f"a mapping with the key '{next(iter(value))}'" if value else "an empty mapping"
    if isinstance(value, list | tuple):
        return "a list"
    if isinstance(value, datetime.date):
        return f"the date {value}"
    text = str(value) if len(str(value)) <= _SHOWN else f"{str(value)[:_SHOWN]}..."
    return f"'{text}'" if isinstance(value, str) else text
