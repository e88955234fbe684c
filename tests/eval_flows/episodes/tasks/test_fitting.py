"""Protects that each task of a suite fits a machine, or has its one reason, and that the table adds up."""

from dataclasses import replace
from pathlib import Path

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.tasks.fitting import Fit, fits_of, told_fits
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from machines.image import Image
from machines.machine import Offers


@pytest.fixture
def offers() -> Offers:
    return Image("smoke", Path("nowhere"), None).offers


def fits(catalog: Catalog, offers: Offers) -> list[Fit]:
    suite = read_suite("smoke")
    return fits_of(suite, suite_tasks(suite, catalog), offers)


def test_every_task_fits_the_machine_that_its_suite_is_made_for(catalog: Catalog, offers: Offers) -> None:
    found = fits(catalog, offers)
    assert len(found) == 10 and {one.reason for one in found} == {None}


def test_a_task_whose_program_lacks_is_told_by_it_and_the_others_fit(catalog: Catalog, offers: Offers) -> None:
    programs = {name: program for name, program in offers.programs.items() if name != "thunar"}
    found = fits(catalog, replace(offers, programs=programs))
    assert {(one.application == "thunar", one.reason, one.what) for one in found} == {(True, "application", "the programs thunar"), (False, None, "")}
    lines = [line.split() for line in told_fits(found).split("\n\n")[0].splitlines()]
    assert lines[0] == ["application", "runnable", "application", "all"] and lines[-1] == ["all", "8", "2", "10"]
    assert all(sum(map(int, line[1:-1])) == int(line[-1]) for line in lines[1:])
    assert "10 tasks: 8 runnable on this machine, 2 not" in told_fits(found)


def test_the_first_of_several_reasons_counts(catalog: Catalog, offers: Offers) -> None:
    nothing = replace(offers, platform="windows", programs={}, actions=frozenset())
    assert {one.reason for one in fits(catalog, nothing)} == {"platform"}
    assert {one.reason for one in fits(catalog, replace(offers, actions=frozenset(), runs_commands=False))} == {"machine"}
