"""Prompts as files: Jinja templates in a folder of the room that asks. A missing value is an error."""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined


def prompt_templates(folder: Path) -> Environment:
    """Return the templates of a folder."""
    return Environment(loader=FileSystemLoader(folder), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)
