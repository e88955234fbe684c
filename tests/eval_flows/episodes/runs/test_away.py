"""Protects jobs on the workers of a runner: whatever becomes of a job or of a host, each has one result or one fault, and the run is asked."""

import platform
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eval_flows.episodes.runs import away
from eval_flows.episodes.runs.away import Prepare, done_away
from eval_flows.episodes.runs.workers import Done, OnFault, Reply, Respond
from machines.errors import MachineNeeds, PluginError
from runners.errors import RunnerError
from runners.runner import RUNNERS, Map, Opened, RunnerChoice
from tests.eval_flows.episodes.jobs import work

Job = tuple[str, Any]
LONG = 120.0
RAY = pytest.param("ray", marks=pytest.mark.whole)


@pytest.fixture(scope="module", params=["dask", RAY])
def runner(request: pytest.FixtureRequest) -> Iterator[Opened]:
    with RUNNERS[request.param](RunnerChoice(request.param, workers=2, resource="machine")) as opened:
        yield opened


def as_it_is(job: Job) -> Job:
    """A host that needs nothing for a job."""
    return job


def done(
    runner: Opened,
    jobs: list[Job],
    seconds: float = LONG,
    respond: Respond | None = None,
    on_fault: OnFault[Job] | None = None,
    prepare: Prepare = as_it_is,
) -> dict[Job, Done[Job]]:
    found = list(done_away(runner, jobs, work, seconds, prepare, 2, respond, on_fault))
    assert sorted(map(str, (one.job for one in found))) == sorted(map(str, jobs)), "each job once"
    return {one.job: one for one in found}


def test_every_job_has_its_result(runner: Opened) -> None:
    jobs: list[Job] = [("give", number) for number in range(7)]
    assert all(one.result[1] == job[1] and one.fault is None for job, one in done(runner, jobs).items())


@pytest.mark.parametrize(("kind", "said"), [("raise", "ValueError: no wrench here"), ("exit", "the worker died with exit code 7")])
def test_a_fault_is_tried_again_and_told_each_time(kind: str, said: str, runner: Opened) -> None:
    told: list[str] = []
    found = done(runner, [(kind, "wrench"), ("give", 1)], on_fault=lambda job, fault, seconds: told.append(fault))
    fault = found[kind, "wrench"].fault
    assert fault is not None and said in fault and found["give", 1].result[1] == 1
    assert len(told) == 2 and all(said in one for one in told)


def test_a_job_that_hangs_is_ended_by_the_clock_of_its_host(runner: Opened) -> None:
    found = done(runner, [("hang", None), ("give", 2)], seconds=2.0)
    assert found["hang", None].fault == "not done within 2 s" and found["give", 2].result[1] == 2


def test_a_fault_is_tried_again_while_the_map_goes_on(runner: Opened, tmp_path: Path) -> None:
    mark = str(tmp_path / "tried.once")
    found = done(runner, [("once raise", mark), ("await", mark)])
    assert [found[kind, mark].fault for kind in ("once raise", "await")] == [None, None], "the second waited for the second try of the first"


def slowly(job: Job) -> Job:
    """A host that needs longer for its preparations than a job may take."""
    time.sleep(4)
    return ("give", "prepared")


def refused(job: Job) -> Job:
    """A host that cannot be made ready."""
    raise MachineNeeds("the image 'smoke' is not packed for other hosts")


def test_a_host_is_made_ready_before_the_clock_of_a_job_starts(runner: Opened) -> None:
    found = done(runner, [("give", 1)], seconds=3.0, prepare=slowly)
    assert found["give", 1].fault is None and found["give", 1].result[1] == "prepared"


def test_a_host_that_cannot_be_made_ready_is_a_fault(runner: Opened) -> None:
    told: list[str] = []
    found = done(runner, [("give", 1)], on_fault=lambda job, fault, seconds: told.append(fault), prepare=refused)
    assert found["give", 1].fault == "the image 'smoke' is not packed for other hosts" and len(told) == 2


def in_place(function: Callable[[Any], Any], items: Sequence[Any], lost: Any = None, /) -> Iterator[Any]:
    """A map in this process."""
    yield from map(function, items)


def without_cluster(of_a_plug_in: Map = in_place) -> Opened:
    """A runner of this process."""
    return Opened(of_a_plug_in, lambda: pytest.fail("no tasks here"), lambda: 1, lambda error: False)


def stalled(job: Job) -> Job:
    """A host whose file system answers no more."""
    time.sleep(600)
    return job


def lacks_the_package(job: Job) -> Job:
    """A host without the package of a machine."""
    raise PluginError("there is no machine 'cloud'")


def fails(job: Job) -> Job:
    """A host with a fault that nobody foresaw."""
    raise ZeroDivisionError("of this host")


def test_a_host_that_stalls_while_it_is_made_ready_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The clock of a job has not started then: it held the job and a machine for ever."""
    monkeypatch.setattr(away, "_READY_WITHIN", 0.5)
    found = done(without_cluster(), [("give", 1)], prepare=stalled)
    assert found["give", 1].fault == f"the host {platform.node()} was not made ready: not done within 0 s"


@pytest.mark.parametrize(("prepare", "said"), [(lacks_the_package, "there is no machine 'cloud'"), (fails, "ZeroDivisionError: of this host")])
def test_what_goes_wrong_on_a_host_is_told_as_it_is(prepare: Prepare, said: str) -> None:
    """It ended the map, or was told as the loss of two hosts that never died."""
    told: list[str] = []
    fault = done(without_cluster(), [("give", 1)], on_fault=lambda job, fault, seconds: told.append(fault), prepare=prepare)["give", 1].fault
    assert fault is not None and said in fault and told == [fault] * 2


def test_a_map_that_does_not_see_items_grow_is_told() -> None:
    def copies(function: Callable[[Any], Any], items: Sequence[Any], lost: Any = None, /) -> Iterator[Any]:
        yield from map(function, list(items))

    with pytest.raises(RunnerError, match="the runner ended with 1 of 2 jobs not done"):
        done(without_cluster(copies), [("raise", "wrench"), ("give", 1)])


def test_a_job_that_two_hosts_began_and_told_nothing_of_is_begun_by_no_third(runner: Opened, tmp_path: Path) -> None:
    """The engines begin an item again as often as they are set to, which a cluster that is there decides itself."""

    def loses_two(function: Callable[[Any], Any], items: Sequence[Any], lost: Any = None, /) -> Iterator[Any]:
        for _ in range(2):
            function(items[0])  # its host is lost before it tells what became of the item
        yield function(items[0])

    job, told = ("count", str(tmp_path / "count")), list[str]()
    opened = replace(runner, map=loses_two)
    found = done(opened, [job], on_fault=lambda job, fault, seconds: told.append(fault))
    host = platform.node()
    assert told == [found[job].fault] == [f"2 workers that began it were lost, on {host} and {host}: see the logs of these hosts"]
    assert (tmp_path / "count").read_text() == "one\n" * 2


def test_a_host_that_dies_costs_its_job_one_more_try(runner: Opened, tmp_path: Path) -> None:
    jobs: list[Job] = [("once kill the host", str(tmp_path / "killed")), ("give", 3), ("give", 4)]
    found = done(runner, jobs)
    assert (tmp_path / "killed").is_file(), "the host was killed"
    assert all(found[job].fault is None and found[job].result[1] == job[1] for job in jobs)


@pytest.mark.whole
def test_a_job_whose_every_host_dies_ends_with_a_fault_and_the_others_go_on(runner: Opened) -> None:
    told: list[str] = []
    found = done(runner, [("kill the host", None), ("give", 3), ("give", 4)], on_fault=lambda job, fault, seconds: told.append(fault))
    fault = found["kill the host", None].fault
    assert fault is not None and fault.startswith("2 workers that began it were lost") and told == [fault]
    assert [found["give", number].result[1] for number in (3, 4)] == [3, 4]


def test_jobs_ask_the_process_of_the_run(runner: Opened) -> None:
    def respond(question: Any, reply: Reply) -> None:
        reply(f"answer to {question}")

    found = done(runner, [("ask", "a"), ("ask", "b")], respond=respond)
    assert {job[1]: one.result for job, one in found.items()} == {one: [f"answer to {one}", f"answer to {one} again"] for one in "ab"}


def test_an_error_as_the_answer_ends_the_run(runner: Opened) -> None:
    def respond(question: Any, reply: Reply) -> None:
        reply(LookupError("the budget is used up"))

    with pytest.raises(LookupError, match="the budget is used up"):
        done(runner, [("ask", "a"), ("ask", "b"), ("ask", "c")], respond=respond)
