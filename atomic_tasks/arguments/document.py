"""Write docs/generators.md: every argument generator with an example value. Run this module after a change of generators or pools."""

from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from atomic_tasks.arguments.registry import Generator, Given, computed_generators
from atomic_tasks.catalog import Catalog, sound_catalog
from atomic_tasks.seeds import derived_random

DOCUMENT = Path(__file__).parent.parent.parent / "docs" / "generators.md"
_HEAD = """\
# Argument generators

An argument of an atomic task names one of these: `arguments: {workbook: spreadsheet_file}`. The example is one value of many.
This page is written by `python -m atomic_tasks.arguments.document`; a test holds it against the code.
"""
_LONGEST = 70  # characters of an example


def document(catalog: Catalog) -> str:
    """Return the page: the computed generators, then the columns of each file of pools."""
    computed = computed_generators()
    parts = [_HEAD, "## Computed (`atomic_tasks/arguments/`)\n", *_table(computed.values(), catalog)]
    listed: set[str] = set()  # other locales have their own files with the same names
    for key in sorted(key for key in catalog.sources if key.startswith("pools/")):
        names = [name for name in _columns(catalog.sources[key].data) if name not in listed]
        listed.update(names)
        parts += [] if not names else [f"\n## Pools: `atomic_tasks/{key}.yaml`\n", *_table((catalog.generators[name] for name in names), catalog)]
    return "\n".join(parts) + "\n"


def _columns(file: object) -> Iterable[str]:
    pools = file["pools"] if isinstance(file, dict) else ()
    return dict.fromkeys(column for pool in pools for column in pool["columns"])


def _table(generators: Iterable[Generator], catalog: Catalog) -> Iterator[str]:
    yield "| generator | example |\n|---|---|"
    for generator in sorted(generators, key=lambda one: one.name):
        yield f"| `{generator.name}` | {_example(generator, catalog)} |"


def _example(generator: Generator, catalog: Catalog) -> str:
    """Return a value in Markdown for a table. A generator that needs `of` gets a value of an argument that a task ties it to."""
    random = derived_random("document", generator.name)
    of = _tied(generator, catalog, random) if generator.needs_of else None
    value = generator.draw(random, Given(of))
    shown = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}..."
    follows = f" (`of` an argument that is `{of}`)" if of else ""
    return f"`{shown.replace('|', chr(92) + '|')}`{follows}"


def _tied(generator: Generator, catalog: Catalog, random: Random) -> str:
    for task in catalog.tasks.values():
        for argument in task.arguments.values():
            if argument.generator == generator.name and argument.of is not None:
                other = task.arguments[argument.of]
                return catalog.generators[other.generator].draw(random, Given()) if other.generator else str((other.one_of or ("",))[0])
    raise ValueError(f"no task uses the generator '{generator.name}'")


if __name__ == "__main__":
    DOCUMENT.write_text(document(sound_catalog()), encoding="utf-8")
