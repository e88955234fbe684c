"""Protects what processes leave out: a delayed module loads at its first use and works, and a refused package is back after the block."""

import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from warehouse.imports import load_when_used, without


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A module of its own that says on a file when it loads."""
    (tmp_path / "noted_module.py").write_text(f"from pathlib import Path\nPath({str(tmp_path / 'loaded')!r}).touch()\nanswer = 42\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "meta_path", list(sys.meta_path))
    monkeypatch.delitem(sys.modules, "noted_module", raising=False)
    return "noted_module"


def test_a_delayed_module_loads_at_its_first_use(module: str, tmp_path: Path) -> None:
    load_when_used(module)
    delayed = importlib.import_module(module)
    assert not (tmp_path / "loaded").exists()
    assert delayed.answer == 42
    assert (tmp_path / "loaded").exists()


def test_a_refused_package_is_found_again_after_the_block(module: str) -> None:
    with pytest.raises(ModuleNotFoundError, match=module), without(module):
        importlib.import_module(module)
    assert importlib.import_module(module).answer == 42


def test_the_gate_loads_no_statistics_and_no_databases() -> None:
    """Both together take more than a third of the time of loading Great Expectations."""
    program = "import sys; from warehouse.expectations import _load; _load(); print([n for n in ('scipy.linalg', 'sqlalchemy') if n in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "[]\n"
