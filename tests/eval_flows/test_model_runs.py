"""Protects runs that ask a language model: they outlive failing calls, budgets and kills, and pay for nothing twice."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from typing import Any

import pyarrow.parquet as pq
import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from eval_flows.datasets import open_dataset
from eval_flows.selection.pipeline import Choices, evaluate_selection, expect_calls
from eval_flows.selection.tasks import scored_tasks
from language_models.client import Endpoint, Prices
from language_models.errors import ModelError
from tests.conftest import REPOSITORY, quiet
from tests.eval_flows.knowing_model import QUICK, Knowing, predictions, run, task_of
from tests.language_models.fake_server import HANG, MIXED, Fault, failing, fake_server
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of


def test_failed_rows_are_asked_again_and_a_larger_limit_extends_the_run(data: DataFolder, knowing: Knowing) -> None:
    broken = [True]

    def reply(request: dict[str, Any]) -> str | int:
        return 500 if broken[0] and hash(task_of(request)) % 5 == 0 else knowing.name(request)

    with fake_server(reply) as server:
        first = run(data, server, "zero_shot", limit=40)
        failed = sum(row["status"] == "failed" for row in predictions(data))
        assert failed
        broken[0] = False
        second = run(data, server, "zero_shot", limit=60)
        assert first.runs[0].run_id == second.runs[0].run_id
        assert [row["status"] for row in predictions(data)] == ["answered"] * 60
        assert len(server.paid) == 60 and set(server.paid.values()) == {1}
        before = len(server.requests)
        run(data, server, "zero_shot", limit=60)
        assert len(server.requests) == before


def test_a_smaller_limit_leaves_the_rows_beyond_it(data: DataFolder, catalog: Catalog) -> None:
    """After 500 rows with a failed one, a limit of 300 left 300: it mends what failed within it, and takes nothing away."""
    tasks = scored_tasks(open_dataset("tiny", data), "all", "singletons")
    fails = {tasks[position].text for position in (10, 280, 420)}

    with fake_server(lambda request: 500 if task_of(request) in fails else "excel") as server:
        endpoint = Endpoint("m", server.base_url, patience=replace(QUICK, attempts=1))
        asked = Choices(endpoint=endpoint, split="all")
        evaluate_selection("tiny", ["zero_shot"], data, quiet, replace(asked, limit=500))
        before = {row["position"]: row for row in predictions(data)}
        assert len(before) == 500 and sum(row["status"] == "failed" for row in before.values()) == 3
        fails.clear()
        evaluate_selection("tiny", ["zero_shot"], data, quiet, replace(asked, limit=300))
        after = {row["position"]: row for row in predictions(data)}
        assert len(after) == 500, "only `prune` takes rows away"
        assert [position for position in before if before[position] != after[position]] == [10, 280]
        assert [position for position, row in after.items() if row["status"] == "failed"] == [420]
        evaluate_selection("tiny", ["zero_shot"], data, quiet, replace(asked, limit=500))
        assert {row["status"] for row in predictions(data)} == {"answered"} and set(server.paid.values()) == {1}


def test_a_budget_ends_a_run_cleanly_and_more_goes_on(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        priced = Endpoint("m", server.base_url, prices=Prices(0, 1_000_000 / 7), patience=QUICK)  # a dollar an answer, forty reserved
        ended = run(data, server, "zero_shot", limit=100, endpoint=priced, budget=30)
        assert ended.ended_early and "budget of $30 is reached" in ended.ended_early
        done = len(predictions(data))
        assert 0 < done < 100 and len(server.requests) <= 30
        finished = run(data, server, "zero_shot", limit=100, endpoint=priced, budget=1000)
        assert finished.ended_early is None and len(predictions(data)) == 100 and set(server.paid.values()) == {1}
    assert sum(row["cost_usd"] for row in predictions(data)) == pytest.approx(100)
    (spent,) = rows_of(connect(data.warehouse), "select sum(cost_usd) as dollars, count(*) as calls, min(purpose) as purpose from model_calls")
    assert spent["dollars"] == pytest.approx(100) and spent["calls"] == 100 and spent["purpose"] == finished.runs[0].run_id


def test_a_dry_run_counts_and_asks_nothing(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        endpoint = Endpoint("m", server.base_url, prices=Prices(1, 1))
        run(data, server, "zero_shot", limit=10)
        asked = len(server.requests)
        zero, chosen, random = expect_calls("tiny", ["zero_shot", "hierarchical", "random"], data, quiet, Choices(endpoint=endpoint, limit=30))
        assert len(server.requests) == asked
    assert (zero.calls, zero.most_output_tokens) == (20, 20 * 40) and zero.most_dollars == pytest.approx((zero.input_tokens + 800) / 1e6)
    assert (chosen.calls, random.calls) == (60, 0)
    assert "20 calls, about" in str(zero) and "at most $0.0" in str(zero)


def test_replay_needs_no_server_and_gives_the_same(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "zero_shot", limit=30)
        address = server
    first = predictions(data)
    for path in data.runs.rglob("*.parquet"):
        path.unlink()
    run(data, address, "zero_shot", limit=30, replay=True)
    assert predictions(data) == first
    with pytest.raises(ModelError, match="not in the cache"):
        run(data, address, "zero_shot", limit=31, replay=True)
    assert len(predictions(data)) == 30


def test_another_edition_of_a_model_is_asked_anew_as_a_run_of_its_own(data: DataFolder, knowing: Knowing) -> None:
    """A server that was mended gave its old answers from the cache, with no way around."""
    mended = [False]
    with fake_server(lambda request: knowing.name(request) if mended[0] else "nothing") as server:
        first = run(data, server, "zero_shot", limit=20).runs[0]
        mended[0] = True
        kept = run(data, server, "zero_shot", limit=20).runs[0]
        anew = Endpoint("m", server.base_url, patience=QUICK, edition="v2")
        second, again = (run(data, server, "zero_shot", limit=20, endpoint=anew).runs[0] for _ in range(2))
        assert len(server.requests) == 40
        other = Endpoint("m", server.base_url, patience=QUICK, served_as="m-large")
        served = run(data, server, "zero_shot", limit=20, endpoint=other).runs[0]
    assert first.run_id == kept.run_id and second.run_id == again.run_id and len({first.run_id, second.run_id, served.run_id}) == 3
    with connect(data.warehouse) as connection:
        found = rows_of(connection, "select run_id, correct from accuracy where protocol = 'zero_shot'")
    assert {row["run_id"]: row["correct"] for row in found} == {first.run_id: 0, second.run_id: 20, served.run_id: 20}


def test_a_batch_gives_what_single_calls_give(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name) as server:
        run(data, server, "zero_shot", limit=30, batch=True)
        assert server.requests == [] and len(server.batches) == 1
    assert all(row["is_correct"] for row in predictions(data))


def test_what_cannot_be_asked_is_said_before_anything_is(data: DataFolder, knowing: Knowing) -> None:
    with pytest.raises(BadInput, match=r"zero_shot asks a language model: name one with --model \(others need none: random, heuristic"):
        evaluate_selection("tiny", ["random", "zero_shot"], data, quiet)
    with fake_server(knowing.name, models=["other"]) as server:
        with pytest.raises(ModelError, match="does not serve model 'm'"):
            run(data, server, "zero_shot", limit=5)
        assert server.requests == []
    with fake_server(knowing.name, models=["m"], context=200) as server:
        with pytest.raises(ModelError, match="too long for the 200 of model 'm'"):
            run(data, server, "zero_shot", limit=5)
        assert server.requests == []


def test_a_key_is_in_nothing_that_is_written(data: DataFolder, knowing: Knowing, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", "sk-very-secret-indeed")
    with fake_server(failing(knowing.name, 0.2, [Fault("500", message="for sk-very-secret-indeed"), Fault("429")])) as server:
        run(data, server, "zero_shot", limit=30, endpoint=Endpoint("m", server.base_url, "MY_KEY", patience=QUICK))
        assert set(server.keys) == {"Bearer sk-very-secret-indeed"}
    written = [path for path in data.root.rglob("*") if path.is_file() and "store" not in path.parts]
    assert len(written) >= 4 and not any(b"sk-very-secret" in path.read_bytes() for path in written)


_KILLED = """
import sys
from eval_flows.selection.pipeline import Choices, evaluate_selection
from language_models.client import Endpoint
from warehouse.layout import DataFolder
from pathlib import Path
evaluate_selection("tiny", ["zero_shot"], DataFolder(Path(sys.argv[1])), lambda *shown: None, Choices(endpoint=Endpoint("m", sys.argv[2], at_once=4)))
"""


@pytest.mark.slow(minutes=0.5)
def test_a_killed_run_goes_on_and_repeats_at_most_what_was_in_flight(data: DataFolder, knowing: Knowing) -> None:
    with fake_server(knowing.name, latency=0.02) as server:
        kills = 0
        while kills < 3:
            process = subprocess.Popen([sys.executable, "-c", _KILLED, str(data.root), server.base_url], cwd=REPOSITORY)
            before = len(server.requests)
            while len(server.requests) < before + 15 and process.poll() is None:
                time.sleep(0.01)
            os.kill(process.pid, signal.SIGKILL)
            process.wait()
            kills += 1
        finished = run(data, server, "zero_shot")
        total = finished.runs[0].tasks
        assert len(server.paid) == total and sum(server.paid.values()) <= total + kills * 4
    killed = predictions(data)
    assert len(killed) == total and all(row["is_correct"] for row in killed)
    straight = DataFolder(data.root / "straight")
    straight.root.mkdir()
    for name in ("datasets", "store"):
        (straight.root / name).symlink_to((data.root / name).resolve())
    with fake_server(knowing.name) as server:
        run(straight, server, "zero_shot")
    same = ("task_id", "position", "predicted_application", "status", "is_correct", "said", "input_tokens")
    assert [[row[name] for name in same] for row in killed] == [[row[name] for name in same] for row in predictions(straight)]


def test_a_run_with_a_third_failing_completes(data: DataFolder) -> None:
    """Thirty in a hundred calls fail, in mixed ways, and some are never answered; every row has a status, and no answer is paid for twice."""
    fails = failing(lambda request: "excel", 0.3, MIXED)
    hangs = iter([HANG] * 5)
    with fake_server(lambda request: next(hangs, None) or fails(request)) as server:
        endpoint = Endpoint("m", server.base_url, at_once=64, patience=replace(QUICK, timeout=10))
        asked = Choices(endpoint=endpoint, split="all")
        evaluate_selection("tiny", ["zero_shot"], data, quiet, asked)
        assert set(server.paid.values()) == {1}
        rows = predictions(data)
        assert len(rows) >= 500 and all(row["status"] for row in rows)
        assert sum(row["status"] == "failed" for row in rows) < len(rows) / 60
        for _ in range(3):
            evaluate_selection("tiny", ["zero_shot"], data, quiet, asked)
        assert not any(row["status"] == "failed" for row in predictions(data)) and set(server.paid.values()) == {1} and len(server.paid) == len(rows)
    assert sum(pq.read_metadata(path).num_rows for path in data.runs.rglob("*.parquet")) == len(rows)
