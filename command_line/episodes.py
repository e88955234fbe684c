"""Commands for agents on machines: episodes, prove, suite."""

from __future__ import annotations

from typing import Any

import click

from command_line.shared import endpoint_of, machine_options, model_options


@click.group("suite")
def suites() -> None:
    """The pinned suites of episodes."""


@suites.command("list")
def list_suites() -> None:
    """List the suites."""
    from atomic_tasks.catalog import sound_catalog
    from eval_flows.episodes.tasks.suite import jobs_of, read_suite, suite_names

    for name in suite_names():
        found = read_suite(name)
        click.echo(f"{name}: {len(found.episodes) + len(jobs_of(found, sound_catalog()))} episodes. {found.description}")


@suites.command("publish")
@click.argument("suite")
def publish(suite: str) -> None:
    """Write SUITE as a dataset: Parquet with its whole episodes, a manifest and a card."""
    from eval_flows.episodes.runs.publish import publish_suite
    from warehouse.layout import DataFolder

    click.echo(publish_suite(suite, DataFolder.from_environment()))


@click.command()
@click.argument("suite")
@click.option(
    "--agent",
    "agent_name",
    help="oracle, idle, fail, random, model, one of an installed package, or my_package.my_module:MyAgent (default: oracle; with --model, model).",
)
@click.option("--name", "label", default="", help="Name of the agent in tables.")
@machine_options
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Machines at once.")
@click.option("--repeats", type=click.IntRange(1), default=1, show_default=True, help="Times to play each episode; a larger number extends the run.")
@click.option(
    "--start",
    type=click.Choice(["preloaded", "bare"]),
    default="preloaded",
    show_default=True,
    help="bare: an empty desktop, where the agent opens what it needs.",
)
@click.option("--level", "levels", type=click.Choice(["L1", "L2", "L3", "L4"]), multiple=True, help="Only these levels.")
@click.option("--limit", type=click.IntRange(1), help="Only the first episodes.")
@click.option("--model", help="Language model of the agent.")
@click.option("--prompt", type=click.Choice(["react", "reflexion"]), default="react", show_default=True, help="Prompt style of the model.")
@click.option(
    "--observe",
    default="tree",
    show_default=True,
    help="What the model observes: screenshot, tree, marks, before, cards, joined by +; 'marks[tree,ocr]' mixes tree, dom, ocr, icons, detector.",
)
@click.option(
    "--picture",
    default="native,png,pointer",
    show_default=True,
    help="Form of pictures of the screen: native, a width in pixels, or tiles; png, jpeg or jpeg:QUALITY; pointer to draw it; "
    "action to mark the last one. Join the words by commas.",
)
@click.option("--actions", default="computer", show_default=True, help="Action space in which the model answers.")
@click.option("--temperature", type=click.FloatRange(0, 2), default=1.0, show_default=True)
@click.option("--top-p", type=click.FloatRange(0, 1, min_open=True), default=0.8, show_default=True)
@click.option(
    "--model-seconds",
    type=click.FloatRange(0, min_open=True),
    default=60.0,
    show_default=True,
    help="Seconds for the model per step: an episode has this many times its step budget in all.",
)
@click.option("--budget", type=click.FloatRange(0), help="Dollars at which the command stops; run it again with more to continue.")
@model_options
def episodes(
    suite: str,
    agent_name: str | None,
    label: str,
    machine_kind: str,
    machine_option: tuple[tuple[str, str], ...],
    workers: int,
    repeats: int,
    start: Any,
    levels: tuple[str, ...],
    limit: int | None,
    model: str | None,
    prompt: Any,
    observe: str,
    picture: str,
    actions: str,
    temperature: float,
    top_p: float,
    model_seconds: float,
    budget: float | None,
    **endpoint: Any,
) -> None:
    """Run an agent over SUITE, each episode on its own machine. Run the same command again to continue a stopped run."""
    from eval_flows.episodes.agents.choice import AgentChoice, Sampling
    from eval_flows.episodes.agents.observation_source import observation_choice
    from eval_flows.episodes.environment.picture import picture_form
    from eval_flows.episodes.runs.pipeline import EpisodeOptions, evaluate_episodes
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    asked = endpoint_of(model, **endpoint) if model else None
    agent = AgentChoice(
        agent_name or ("model" if model else "oracle"),
        label,
        model,
        prompt,
        observation_choice(observe, suite),
        actions,
        Sampling(temperature, top_p),
        model_seconds,
    )
    options = EpisodeOptions(workers, repeats, start, machine_kind, dict(machine_option), limit, levels, asked, budget, picture_form(picture))
    with progress_bars() as progress:
        run = evaluate_episodes(suite, agent, options, DataFolder.from_environment(), progress)
    played = [row for row in run.rows if row["fault"] is None]
    click.echo(f"run {run.run_id}: {sum(row['is_success'] for row in played)} of {len(played)} succeeded, mean reward {_mean(played)}")
    faults = [row for row in run.rows if row["fault"] is not None]
    for row in faults:
        click.echo(
            f"  fault of the infrastructure in {row['episode_id']} (run the same command again to try it again): {row['fault'].splitlines()[0]}"
        )
    if run.ended_early:
        from language_models.errors import ModelError

        raise ModelError(run.ended_early)
    if faults:
        click.get_current_context().exit(1)


@click.command()
@click.argument("suite")
@click.option("--workers", type=click.IntRange(1), default=2, show_default=True, help="Machines at once.")
@click.option("--level", "levels", type=click.Choice(["L1", "L2", "L3", "L4"]), multiple=True, help="Only these levels.")
@click.option("--application", "applications", multiple=True, help="Only episodes in these applications.")
@click.option("--limit", type=click.IntRange(1), help="Only the first episodes.")
@click.option("--changed", "is_changed", is_flag=True, help="Only episodes that the record of the suite does not have as they stand.")
@click.option("--record", "is_recorded", is_flag=True, help="Keep in the repository what is proven: after a change of a suite's jobs.")
@machine_options
@click.pass_context
def prove(
    ctx: click.Context,
    suite: str,
    workers: int,
    levels: tuple[str, ...],
    applications: tuple[str, ...],
    limit: int | None,
    is_changed: bool,
    is_recorded: bool,
    machine_kind: str,
    machine_option: tuple[tuple[str, str], ...],
) -> None:
    """Prove every episode of SUITE: doing nothing earns 0, the oracle earns 1, and an oracle with a missing or changed line earns less."""
    from eval_flows.episodes.proofs.proving import Part, prove_suite
    from flows.progress import progress_bars
    from warehouse.layout import DataFolder

    with progress_bars() as progress:
        proofs = prove_suite(
            suite,
            DataFolder.from_environment(),
            workers,
            progress,
            Part(levels, applications, limit, is_changed),
            machine_kind,
            dict(machine_option),
            is_recorded,
        )
    unproven = [proof for proof in proofs if not proof.is_proven]
    for proof in unproven:
        click.echo(f"unproven {proof.episode_id} ({', '.join(proof.tasks)}){' as listed' * proof.is_listed}: {proof.fault or ''}")
        for trial in proof.failed:
            click.echo(f"    {trial.kind} ({trial.what}): reward {trial.reward:g}; {trial.seen:.600}")
    click.echo(f"{len(proofs) - len(unproven)} of {len(proofs)} episodes proven, {sum(len(proof.trials) for proof in proofs)} trials")
    if any(not proof.is_listed for proof in unproven):
        ctx.exit(1)


def _mean(rows: list[dict[str, Any]]) -> str:
    return f"{sum(row['reward'] for row in rows) / len(rows):.3f}" if rows else "unknown: no episode ended"
