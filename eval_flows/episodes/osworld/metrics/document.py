"""Write docs/imports_metrics.md: every metric and getter, how theirs differ, and what is missing. Run this module after a change of them."""

from collections.abc import Iterable, Mapping
from inspect import Parameter, cleandoc, signature
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from eval_flows.episodes.osworld import getters, metrics
from eval_flows.episodes.osworld.metrics.theirs import differences

DOCUMENT = Path(__file__).parents[4] / "docs" / "imports_metrics.md"
_COMPARED = ("result", "rules", "expected")  # arguments that are no options, also where they may be left out


def document() -> str:
    """Return the page."""
    pages = Environment(loader=FileSystemLoader(Path(__file__).parent), undefined=StrictUndefined, keep_trailing_newline=True)  # Markdown, not HTML
    return pages.get_template("document.md.j2").render(
        metrics=[_family(family, family.METRICS) for family in metrics.FAMILIES],
        getters=[_family(family, family.GETTERS) for family in getters.FAMILIES],
        differences=sorted(differences().items()),
        missing_metrics=metrics.MISSING.items(),
        missing_getters=getters.MISSING.items(),
    )


def _family(family: Any, functions: Mapping[str, Any]) -> Mapping[str, Any]:
    rows = [{"name": name, "ours": one.__name__, "takes": _taken(one), "gives": _in_cell(one)} for name, one in sorted(functions.items())]
    return {"name": family.__name__.rpartition(".")[2], "says": str(family.__doc__).splitlines()[0], "rows": rows, "count": len(rows)}


def _taken(function: Any) -> str:
    parameters = [one for one in signature(function).parameters.values() if one.kind is not Parameter.VAR_KEYWORD]
    compared = [one.name for one in parameters if _is_compared(one)]
    return ", ".join([*compared, *_options(one for one in parameters if not _is_compared(one))])


def _is_compared(parameter: Parameter) -> bool:
    return parameter.default is Parameter.empty or parameter.name in _COMPARED


def _options(parameters: Iterable[Parameter]) -> list[str]:
    return [f"`{one.name}={one.default!r}`" for one in parameters]


def _in_cell(function: Any) -> str:
    return " ".join(cleandoc(function.__doc__ or "").split()).replace("|", "\\|")


if __name__ == "__main__":
    DOCUMENT.write_text(document(), encoding="utf-8")
