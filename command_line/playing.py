"""The options that say what is played, how and by which agent, for every command that plays a suite."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from command_line.shared import machine_options, model_options, take_endpoint

if TYPE_CHECKING:
    from eval_flows.episodes.agents.choice import AgentChoice
    from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun

_OPTIONS = (
    click.option(
        "--agent",
        "agent_name",
        help="oracle, clumsy, idle, fail, random; with --model: model, conversation, navi, openai_computer, anthropic_computer, ui_tars; one of a "
        "package, or my_package.my_module:MyAgent (default: oracle; with --model, model).",
    ),
    click.option("--agent-option", nargs=2, multiple=True, metavar="NAME VALUE", help="An option of that agent."),
    click.option("--name", "label", default="", help="Name of the agent in tables."),
    machine_options,
    click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Machines at once on this host."),
    click.option("--runner", default="processes", show_default=True, help="Where episodes are played: processes, dask, ray, or a package's runner."),
    click.option("--address", help="Address of a scheduler of Dask, or of a cluster of Ray, whose workers have the resource `machine`."),
    click.option(
        "--start",
        type=click.Choice(["preloaded", "bare"]),
        default="preloaded",
        show_default=True,
        help="bare: an empty desktop, where the agent opens what it needs.",
    ),
    click.option("--level", "levels", type=click.Choice(["L1", "L2", "L3", "L4"]), multiple=True, help="Only these levels."),
    click.option("--limit", type=click.IntRange(1), help="Only the first episodes."),
    click.option("--model", help="Language model of the agent."),
    click.option("--prompt", type=click.Choice(["react", "reflexion"]), default="react", show_default=True, help="Prompt style of the model."),
    click.option(
        "--observe",
        default="tree",
        show_default=True,
        help="What the model observes: screenshot, tree, marks, before, cards, joined by +; 'marks[tree,ocr]' mixes tree, dom, ocr, icons, detector.",
    ),
    click.option(
        "--picture",
        default="native,png,pointer",
        show_default=True,
        help="Form of pictures of the screen: native, a width in pixels, or tiles; png, jpeg or jpeg:QUALITY; pointer to draw it; "
        "action to mark the last one. Join the words by commas.",
    ),
    click.option("--actions", default="computer", show_default=True, help="Action space in which the model answers: computer or code."),
    click.option("--temperature", type=click.FloatRange(0, 2), default=1.0, show_default=True),
    click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=0.8, show_default=True),
    click.option(
        "--model-seconds",
        type=click.FloatRange(0, min_open=True),
        default=60.0,
        show_default=True,
        help="Seconds for the model per step: an episode has this many times its step budget in all.",
    ),
    click.option("--budget", type=click.FloatRange(0), help="Dollars at which the command stops; run it again with more to continue."),
    model_options,
)


def playing_options(command: Any) -> Any:
    """Add the options."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def choices(suite: str, repeats: int, chosen: dict[str, Any], **of_endpoint: Any) -> tuple[AgentChoice, EpisodeOptions]:
    """Return the agent and the options of a run from the values of the options; `of_endpoint` are settings of the endpoint beside them."""
    from eval_flows.episodes.agents.choice import AgentChoice, Sampling
    from eval_flows.episodes.agents.observation_source import observation_choice
    from eval_flows.episodes.environment.picture import picture_form
    from eval_flows.episodes.runs.pipeline import EpisodeOptions, runner_of_machines

    model = chosen["model"]
    endpoint = take_endpoint(model, chosen, **of_endpoint)
    agent = AgentChoice(
        chosen["agent_name"] or ("model" if model else "oracle"),
        chosen["label"],
        model,
        chosen["prompt"],
        observation_choice(chosen["observe"], suite),
        chosen["actions"],
        Sampling(chosen["temperature"], chosen["top_p"]),
        chosen["model_seconds"],
        dict(chosen["agent_option"]),
    )
    options = EpisodeOptions(
        chosen["workers"],
        repeats,
        chosen["start"],
        chosen["machine_kind"],
        dict(chosen["machine_option"]),
        chosen["limit"],
        chosen["levels"],
        endpoint,
        chosen["budget"],
        picture_form(chosen["picture"]),
        runner_of_machines(chosen["runner"], chosen["address"], chosen["workers"]),
    )
    return agent, options


def played(suite: str, agent: AgentChoice, options: EpisodeOptions) -> SuiteRun:
    """Play a suite with progress on the screen; say what came of it, and every fault of the infrastructure. ModelError if it ended early."""
    from eval_flows.episodes.runs.pipeline import evaluate_episodes
    from flows.progress import progress_bars
    from language_models.errors import ModelError
    from warehouse.layout import DataFolder

    with progress_bars() as progress:
        run = evaluate_episodes(suite, agent, options, DataFolder.from_environment(), progress)
    ended = [row for row in run.rows if row["fault"] is None]
    click.echo(f"run {run.run_id}: {sum(row['is_success'] for row in ended)} of {len(ended)} succeeded, mean reward {_mean(ended)}")
    for row in faults_of(run):
        click.echo(
            f"  fault of the infrastructure in {row['episode_id']} (run the same command again to try it again): {row['fault'].splitlines()[0]}"
        )
    if run.ended_early:
        raise ModelError(run.ended_early)
    return run


def faults_of(run: SuiteRun) -> list[dict[str, Any]]:
    """Return the rows of the episodes that had only faults of the infrastructure."""
    return [row for row in run.rows if row["fault"] is not None]


def _mean(rows: list[dict[str, Any]]) -> str:
    return f"{sum(row['reward'] for row in rows) / len(rows):.3f}" if rows else "unknown: no episode ended"
