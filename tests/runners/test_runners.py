"""Protects the runners: every result once, an item of a killed worker done again, one that kills all its workers named, and errors told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from runners import needed
from runners.errors import RunnerError
from runners.runner import RETRIES, RUNNERS, Map, RunnerChoice
from tests.runners.work import Piece, made, wrong

RAY = pytest.param("ray", marks=pytest.mark.whole)


@pytest.fixture(scope="module", params=["processes", "dask", RAY])
def run_map(request: pytest.FixtureRequest) -> Iterator[Map]:
    with RunnerChoice(request.param, workers=2).open() as opened:
        yield opened


def test_every_result_comes_once(run_map: Map, tmp_path: Path) -> None:
    pieces = [Piece(number, tmp_path) for number in range(25)]
    assert sorted(run_map(made, pieces)) == [number**2 for number in range(25)]
    assert list(run_map(made, [])) == []


def test_items_that_are_appended_are_done_too(run_map: Map, tmp_path: Path) -> None:
    pieces, found = [Piece(number, tmp_path) for number in range(4)], []
    for result in run_map(made, pieces):
        found.append(result)
        pieces += [Piece(len(pieces), tmp_path)] if len(pieces) < 6 else []
    assert sorted(found) == [number**2 for number in range(6)]


def test_an_item_whose_worker_is_killed_is_done_again(run_map: Map, tmp_path: Path) -> None:
    pieces = [Piece(number, tmp_path, deadly=number % 7 == 3) for number in range(15)]
    assert sorted(run_map(made, pieces)) == [number**2 for number in range(15)]
    assert len(list(tmp_path.glob("3-*"))) >= 2, "Dask computes a result again too that was on the killed worker"


def test_an_error_of_the_function_is_raised_as_it_is(run_map: Map, tmp_path: Path) -> None:
    with pytest.raises(LookupError, match="no piece 0"):
        list(run_map(wrong, [Piece(0, tmp_path), Piece(0, tmp_path)]))


@pytest.mark.slow
def test_an_item_that_kills_all_its_workers_is_named_and_nothing_else_is(run_map: Map, tmp_path: Path) -> None:
    pieces = [Piece(number, tmp_path, deadly=99 * (number == 4)) for number in range(9)]
    with pytest.raises(RunnerError, match="^piece 4: every worker that began it was lost"):
        list(run_map(made, pieces))
    assert len(list(tmp_path.glob("4-*"))) == RETRIES + 1


def test_one_worker_of_this_host_is_this_process(tmp_path: Path) -> None:
    with RunnerChoice("processes", workers=1).open() as run_map, pytest.raises(ZeroDivisionError):
        list(run_map(lambda piece: 1 // 0, [1, 2]))


@pytest.mark.parametrize(
    ("choice", "said"),
    [
        (RunnerChoice("processes", address="tcp://10.0.0.1:8786"), "has no address"),
        (RunnerChoice("dask", address="tcp://127.0.0.1:1"), r"no scheduler of Dask answers at tcp://127\.0\.0\.1:1.*dask scheduler"),
        (RunnerChoice("dask", address="nonsense://here"), "no scheduler of Dask answers at nonsense://here"),
        (RunnerChoice("dask", address="tcp://127.0.0.1:1", workers=3), "leave the number of workers out"),
        (RunnerChoice("ray", address="127.0.0.1:1"), r"no head of a cluster of Ray answers at 127\.0\.0\.1:1.*ray start --head"),
        (RunnerChoice("ray", address="nowhere"), "no head of a cluster of Ray answers at nowhere"),
    ],
    ids=lambda value: f"{value.name} {value.address}" if isinstance(value, RunnerChoice) else "",
)
def test_an_address_that_cannot_be_used_is_told(choice: RunnerChoice, said: str) -> None:
    with pytest.raises(RunnerError, match=said), choice.open():
        pass


@pytest.mark.parametrize("name", ["dask", "ray"])
def test_a_runner_without_its_packages_says_what_to_install(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(needed, "find_spec", lambda module: None)
    with pytest.raises(RunnerError, match=rf"pip install 'deskmill\[{name}\]'"), RunnerChoice(name).open():
        pass


def test_the_runners_are_a_registry() -> None:
    assert RUNNERS.names[:3] == ["processes", "dask", "ray"] and RUNNERS.group == "deskmill.runners"
