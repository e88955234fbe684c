"""Protects what authors are told: a task whose programs the machine lacks is refused in words, before anything starts."""

from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.tasks.authored import authored, machine_for


def test_a_task_of_windows_is_refused_in_a_sandbox(catalog: Catalog, tmp_path: Path) -> None:
    made, image = authored("paint.flip_image", catalog, 1)
    with pytest.raises(BadInput, match="this machine of kind 'sandbox' lacks paint: name another --image, or a machine of yours"):
        machine_for(made, "sandbox", image, tmp_path, ())


def test_options_of_the_machine_are_its_own(catalog: Catalog, tmp_path: Path) -> None:
    made, image = authored("mousepad.append_line", catalog, 1)
    assert machine_for(made, "sandbox", image, tmp_path, (("processes", "400"),)).options == {"processes": "400"}
