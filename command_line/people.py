"""Commands for people: watch episodes and take over, and do the tasks of a suite oneself."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from command_line.shared import machine_options

if TYPE_CHECKING:
    from eval_flows.episodes.people.intervention import PeopleChoice

_MOST_SECONDS = 3600.0
_PLACE = (
    click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the default takes calls from this host alone."),
    click.option("--port", type=click.IntRange(0, 65535), default=8701, show_default=True, help="Port to listen on; 0 takes a free one."),
)
_TAKING_PART = (
    click.option("--people", is_flag=True, help="People may watch and take over, by deskmill watch; such a run has an id of its own."),
    click.option("--ask", is_flag=True, help="The agent may ask people for help (implies --people)."),
    click.option(
        "--wait-seconds", type=click.FloatRange(0, min_open=True), default=300.0, show_default=True, help="How long an agent that asks waits."
    ),
    click.option(
        "--people-seconds",
        type=click.FloatRange(0, min_open=True),
        default=_MOST_SECONDS,
        show_default=True,
        help="Most seconds that people have in an episode.",
    ),
)


def people_options(command: Any) -> Any:
    """Add the options that let people take part in a run."""
    for option in reversed(_TAKING_PART):
        command = option(command)
    return command


def take_people(chosen: dict[str, Any]) -> PeopleChoice | None:
    """Take these options out of `chosen`, and return how people take part; None if they do not."""
    from eval_flows.episodes.people.intervention import people_choice

    return people_choice(*(chosen.pop(name) for name in ("people", "ask", "wait_seconds", "people_seconds")))


def _place_options(command: Any) -> Any:
    for option in reversed(_PLACE):
        command = option(command)
    return command


@click.command()
@click.argument("run", required=False)
@_place_options
@click.option("--person", help="Name of whoever acts, in records; without it, the page asks each person for their name.")
def watch(run: str | None, host: str, port: int, person: str | None) -> None:
    """Show the episodes of RUN, or of all runs, that are played with --people: live screens, and taking over.

    RUN is the id of a run, or its unique beginning. Two links are printed: one acts, one only watches. The token of the first is DESKMILL_TOKEN, if
    that is set.
    """
    from eval_flows.episodes.people.halls import Halls
    from eval_flows.episodes.people.refusals import run_with_people
    from eval_flows.episodes.people.serve import serve_people
    from warehouse.layout import DataFolder

    data = DataFolder.from_environment()
    serve_people(Halls(data, None if run is None else run_with_people(run, data)), host, port, person, click.echo)


@click.command()
@click.argument("suite")
@_place_options
@click.option("--person", default="person", show_default=True, help="Name of the person in records: each has a run of their own.")
@machine_options
@click.option("--level", "levels", type=click.Choice(["L1", "L2", "L3", "L4"]), multiple=True, help="Only these levels.")
@click.option("--limit", type=click.IntRange(1), help="Only the first episodes.")
@click.option("--repeats", type=click.IntRange(1), default=1, show_default=True, help="Times to do each task.")
@click.option("--people-seconds", type=click.FloatRange(0, min_open=True), default=_MOST_SECONDS, show_default=True, help="Most seconds for a task.")
def demonstrate(
    suite: str, host: str, port: int, person: str, machine_kind: str, machine_option: tuple[tuple[str, str], ...], levels: tuple[str, ...],
    limit: int | None, repeats: int, people_seconds: float,
) -> None:  # fmt: skip
    """Do the tasks of SUITE yourself in the browser; the checks run at once. Play them back by the agent `replay`."""
    from command_line.playing import played
    from eval_flows.episodes.agents.choice import AgentChoice
    from eval_flows.episodes.people.halls import Halls
    from eval_flows.episodes.people.intervention import PeopleChoice
    from eval_flows.episodes.people.serve import people_served
    from eval_flows.episodes.runs.pipeline import EpisodeOptions, planned_run
    from warehouse.layout import DataFolder

    people = PeopleChoice(most_seconds=people_seconds, person=person)
    options = EpisodeOptions(1, repeats, machine=machine_kind, machine_options=dict(machine_option), limit=limit, levels=levels, people=people)
    agent, data = AgentChoice("person"), DataFolder.from_environment()
    run = planned_run(suite, agent, options, data).run_id
    with people_served(Halls(data, run), host, port, person, click.echo):
        played(suite, agent, options)
        click.pause("the last result is still shown; press a key to end")
