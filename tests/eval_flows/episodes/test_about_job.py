"""Protects what `deskmill show` tells of a job: all that a reader needs to judge it, and nothing that does not hold."""

import re
from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes import about_job as module
from eval_flows.episodes.about_job import about_job
from eval_flows.episodes.proofs.record import Proven
from eval_flows.episodes.tasks.jobs import read_jobs
from eval_flows.episodes.tasks.suite import SUITES

NOWHERE = Path("/nowhere/warehouse.duckdb")


def test_it_tells_the_text_the_checks_the_proof_and_both_reviews() -> None:
    about = about_job("r.wind_week", NOWHERE)
    assert about is not None
    told = about.text()
    assert "power_curve.csv" in told
    assert "subfield: energy and power" in told
    assert "near miss: in kWh" in told
    assert re.search(r"proof: \d+ trials\nthe oracle: \d+ steps, [\d.]+ s in its proof\n", told)
    assert "a person: no successful demonstration is known; `deskmill demonstrate professional` makes one" in told
    assert "review 1, by a model" in told
    assert "review 2, by a model" in told


def test_a_proof_that_does_not_hold_any_more_is_not_told(monkeypatch: pytest.MonkeyPatch) -> None:
    old = Proven(task="r.wind_week", content="of another content", trials=10, oracle_seconds=3.0)
    monkeypatch.setattr(module, "read_record", lambda _: {"r.wind_week": old})
    about = about_job("r.wind_week", NOWHERE)
    assert about is not None
    assert about.proven is None
    assert "proof: not proven as it stands" in about.text()
    assert "s in its proof" not in about.text()


def test_it_says_why_an_infeasible_job_is(catalog: Catalog) -> None:
    job = next(one for one in read_jobs(SUITES / "professional", catalog, ["r"]) if one.infeasible)
    about = about_job(job.id, NOWHERE)
    assert about is not None
    assert "none, it is infeasible" in about.text()


def test_an_unknown_id_is_no_job() -> None:
    assert about_job("r.no_such_job", NOWHERE) is None
