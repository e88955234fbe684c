"""Shared by the tests: the catalog, read once; a small dataset and the image of a machine, made once; a browser."""

import contextlib
import gc
import os
import shutil
import subprocess
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import psutil  # type: ignore[import-untyped]
import pytest

from atomic_tasks.catalog import Catalog, read_catalog
from compositions.library import by_id, read_workflows
from compositions.schema import Workflow
from eval_flows.selection.pipeline import evaluate_selection
from flows.pipeline import build_dataset
from flows.recipe import Recipe, read_recipe
from machines.build import build_image
from machines.image import Image
from runners.processes import process_pool_map
from tests.browser import chromium
from warehouse.layout import DataFolder

REPOSITORY = Path(__file__).parent.parent
hypothesis.settings.register_profile("without a deadline", deadline=None)  # machines are shared and noisy
hypothesis.settings.load_profile("without a deadline")
_FORK_SERVER = "multiprocessing.forkserver import main"


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let a person run whole what CI samples."""
    parser.addoption("--whole", action="store_true", help="run whole what is sampled otherwise; it can take hours")


@pytest.hookimpl(trylast=True)  # after -k and -m: whoever asks for one of a family gets it
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what runs only whole, and what another commit runs; let every worker begin with slow tests, so that none waits for one at the end.

    pytest-xdist gives each worker a part of the list, of equal length, and lets those that are done early steal from the end of another's.
    """
    if not config.getoption("--whole"):
        left_out = {item.nodeid for item in items if item.get_closest_marker("whole")}
        left_out |= of_other_commits([item for item in items if item.nodeid not in left_out], commit_number())
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in left_out])
        items[:] = [item for item in items if item.nodeid not in left_out]
    slow = sorted((item for item in items if item.get_closest_marker("slow")), key=_minutes, reverse=True)
    others = [item for item in items if not item.get_closest_marker("slow")]
    workers = int(os.environ.get("PYTEST_XDIST_WORKER_COUNT", "1"))
    ends = [len(items) * (number + 1) // workers for number in range(workers)]
    items.clear()
    for number, end in enumerate(ends):
        items += slow[number::workers]
        items += [others.pop(0) for _ in range(min(end - len(items), len(others)))]
    items += others


def commit_number() -> int:
    """A number that is the same for every run of a commit, and any for another; 0 outside of a clone."""
    with contextlib.suppress(OSError):
        said = subprocess.run(["git", "rev-parse", "HEAD"], cwd=REPOSITORY, capture_output=True, text=True, check=False).stdout
        return int(said, 16) if said else 0
    return 0


def of_other_commits(items: Iterable[pytest.Item], commit: int) -> set[str]:
    """The ids of the tests that `rotates` leaves to other commits: of each family, so many that follow one another run here."""
    families = defaultdict[str, list[pytest.Item]](list)
    for item in items:
        if marker := item.get_closest_marker("rotates"):
            families[marker.kwargs.get("of") or item.nodeid.partition("[")[0]].append(item)
    left_out = set[str]()
    for family in families.values():
        marker = family[0].get_closest_marker("rotates")
        run = marker.kwargs.get("number", 1) if marker else 1
        left_out |= {item.nodeid for place, item in enumerate(family) if (place - commit) % len(family) >= run}
    return left_out


def pytest_unconfigure() -> None:
    """Let the interpreter free at its end what `catalog` froze: else DuckDB's bindings print pages about leaks below the failures."""
    gc.unfreeze()


def _minutes(item: pytest.Item) -> float:
    marker = item.get_closest_marker("slow")
    return float(marker.kwargs.get("minutes", 0.5)) if marker else 0


def quiet(stage: str, done: int, total: int, note: str = "") -> None:
    """No progress in tests."""


def workers_and_machines() -> set[int]:
    """The workers and machines that this process has running; what else Python keeps beside it (a fork server, a resource tracker) stays."""
    found = set()
    for one in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.Error):  # it has just ended
            command = " ".join(one.cmdline())  # of a zombie: nothing
            is_forked = _FORK_SERVER in command and _FORK_SERVER in " ".join(one.parent().cmdline())
            if is_forked or "multiprocessing.spawn import spawn_main" in command or "machines.guest" in command:
                found.add(one.pid)
    return found


@pytest.fixture(scope="session", autouse=True)
def without_syncs() -> Iterator[None]:
    """What this process writes need not outlive a loss of power; a kill loses nothing that is written. A site of the report syncs a thousand files."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda handle: None)
        yield


@pytest.fixture(scope="session")
def catalog() -> Catalog:
    found, problems = read_catalog()
    assert problems == []
    gc.freeze()  # it stays: the collector would look through it again and again
    return found


@pytest.fixture(scope="session")
def workflows() -> dict[str, Workflow]:
    located, problems = read_workflows()
    assert problems == []
    return dict(by_id(located))


@pytest.fixture(scope="session")
def tiny_recipe() -> Recipe:
    return read_recipe("tiny")[1]


def made_once(name: str, make: Callable[[DataFolder], object], tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """A data folder that the first test worker to ask makes for all of them. It is theirs to read: who writes takes a copy."""
    base = tmp_path_factory.getbasetemp()
    shared = DataFolder(base.parent if "PYTEST_XDIST_WORKER" in os.environ else base)
    made = shared.root / name
    with shared.locked(name):
        if not made.exists():
            make(DataFolder(shared.root / f"{name}.part"))
            (shared.root / f"{name}.part").rename(made)
    return DataFolder(made)


@pytest.fixture(scope="session")
def tiny(tiny_recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> DataFolder:
    """The dataset `tiny` with a random and a heuristic run over its test split."""

    def make(data: DataFolder) -> None:
        build_dataset("tiny", tiny_recipe, data, process_pool_map(1), quiet)
        evaluate_selection("tiny", ["random", "heuristic"], data, quiet)

    return made_once("tiny", make, tmp_path_factory)


def copy_of(data: DataFolder, folder: Path) -> DataFolder:
    """A copy that a test may write to."""
    return DataFolder(Path(shutil.copytree(data.root, folder, symlinks=True)))


@pytest.fixture(scope="session")
def image() -> Image:
    """The small image of a machine, made once for all tests of this checkout."""
    return build_image("smoke", REPOSITORY / "data" / "machines", print)


@pytest.fixture(autouse=True)
def same_data_folder() -> Iterator[None]:
    """Every test leaves the data folder of the next one as it was; it would be the wrong test that fails."""
    before = os.environ.get("DESKMILL_DATA")
    yield
    assert os.environ.get("DESKMILL_DATA") == before, "this test leaves DESKMILL_DATA changed"


@pytest.fixture
def data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[DataFolder]:
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path / "data"))
    yield DataFolder.from_environment()


@pytest.fixture(scope="module")  # its event loop must not outlive the module: code that runs a loop of its own comes after
def browser() -> Iterator[Any]:
    with chromium() as opened:
        yield opened
