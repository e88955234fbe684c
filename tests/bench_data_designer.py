"""NeMo Data Designer, the reference for rows a second: samplers and one template, no model.

It has a virtual environment of its own under `data/`, since it needs other versions of packages than Deskmill. Its Python runs this file
as a program, which prints the rows a second.
"""

import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

VERSION = "0.9.6"
NAME = f"NeMo Data Designer {VERSION}: samplers and one template, without a model"
_HOME = Path(__file__).parents[1] / "data" / "bench" / f"data-designer-{VERSION}"
_ROWS = 10_000


def rows_per_second() -> float:
    """Return the rows a second of Data Designer on this machine, now. Install it first if it is not there."""
    python = str(_HOME / "bin" / "python")
    if not (_HOME / ".ready").is_file():
        venv.create(_HOME, with_pip=True, clear=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", f"data-designer=={VERSION}"], check=True)
        (_HOME / ".ready").touch()
    with tempfile.TemporaryDirectory() as home:
        command = [python, __file__]
        printed = subprocess.run(command, check=True, env={"HOME": home}, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout
    return float(printed.splitlines()[-1])


def _make_rows() -> float:
    """Make a few thousand rows by Data Designer: an application, a style, an action and a person, in one sentence."""
    from data_designer import config  # type: ignore[import-not-found]
    from data_designer.interface import DataDesigner  # type: ignore[import-not-found]

    columns = config.DataDesignerConfigBuilder()
    drawn = {
        "application": ["Excel", "Word", "Spotify", "Zoom"],
        "style": ["polite", "short", "chatty"],
        "action": ["open", "close", "save", "share"],
    }
    for name, values in drawn.items():
        params = config.CategorySamplerParams(values=values)
        columns.add_column(config.SamplerColumnConfig(name=name, sampler_type=config.SamplerType.CATEGORY, params=params))
    person = config.SamplerType.PERSON_FROM_FAKER
    columns.add_column(config.SamplerColumnConfig(name="person", sampler_type=person, params=config.PersonFromFakerSamplerParams()))
    sentence = "{{ action }} the file of {{ person.first_name }} in {{ application }} ({{ style }})"
    columns.add_column(config.ExpressionColumnConfig(name="text", expr=sentence))
    with tempfile.TemporaryDirectory() as folder:
        started = time.perf_counter()
        DataDesigner(artifact_path=folder).create(columns, num_records=_ROWS)
        return _ROWS / (time.perf_counter() - started)


if __name__ == "__main__":
    sys.stdout.write(f"{_make_rows()}\n")
