"""The command `rollouts`: groups of trajectories of the same task, as data for training."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from command_line.playing import choices, faults_of, played, playing_options

if TYPE_CHECKING:
    from eval_flows.episodes.rollouts.export import Rollouts


@click.command()
@click.argument("suite", required=False)
@click.option("--groups", type=click.IntRange(2), default=8, show_default=True, help="Rollouts in a group: times to play each episode.")
@click.option("--run", "run_id", metavar="ID", help="Play nothing: write the rollouts of this run of episodes.")
@click.option("--log-probabilities", is_flag=True, help="Ask the model's server for the log probability of each token that it answers.")
@playing_options
def rollouts(suite: str | None, groups: int, run_id: str | None, log_probabilities: bool, **chosen: Any) -> None:
    """Play each episode of SUITE several times, and write the trajectories as data for training: Parquet, JSON lines and pictures.

    Run the same command again to continue a stopped run. What was played before is not played again, also by `deskmill episodes --repeats`.
    """
    from eval_flows.episodes.rollouts.export import write_rollouts
    from eval_flows.episodes.rollouts.source import find_run
    from eval_flows.episodes.runs.store import key_of
    from warehouse.layout import DataFolder

    data = DataFolder.from_environment()
    if run_id is not None:
        _refuse_others()
        _tell(write_rollouts(find_run(run_id, data), data))
        return
    if suite is None:
        raise click.UsageError("name a suite to play (`deskmill suite list`), or a run that is played with --run ID")
    if log_probabilities and chosen["model"] is None:
        raise click.UsageError("--log-probabilities asks the server of a language model: name the model with --model, or leave it out")
    run = played(suite, *choices(suite, groups, chosen, log_probabilities=log_probabilities))
    _tell(write_rollouts(run.run_id, data, {key_of(row) for row in run.rows}))
    if faults_of(run):
        click.get_current_context().exit(1)


def _refuse_others() -> None:
    """Refuse what says how to play, since nothing is played."""
    context = click.get_current_context()
    given = [
        parameter
        for parameter in context.command.params
        if parameter.name != "run_id" and context.get_parameter_source(str(parameter.name)) is click.core.ParameterSource.COMMANDLINE
    ]
    if given:
        named = ", ".join("SUITE" if isinstance(one, click.Argument) else one.opts[0] for one in given)
        raise click.UsageError(f"--run writes a run as it was played: leave out {named}")


def _tell(made: Rollouts) -> None:
    groups = len(made.rewards)
    told = f"{made.number} rollouts in {groups} group{'s' * (groups != 1)}, mean reward {made.mean_reward:.3f}"
    click.echo(f"{told}; groups with differing rewards: {made.telling}")
    if made.faults:
        click.echo(f"  {len(made.faults)} had only faults of the infrastructure and are no rollouts: faults.jsonl lists them")
    click.echo(made.folder)
