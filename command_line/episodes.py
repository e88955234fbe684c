"""Commands for agents on machines: episodes, prove, suite."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from command_line.people import people_options, take_people
from command_line.playing import choices, faults_of, played, playing_options
from command_line.shared import machine_options


@click.group("suite")
def suites() -> None:
    """The pinned suites of episodes."""


@suites.command("list")
def list_suites() -> None:
    """List the suites."""
    from atomic_tasks.catalog import sound_catalog
    from eval_flows.episodes.tasks.suite import OUR_MACHINES, jobs_of, read_suite, suite_names

    for name in suite_names():
        found = read_suite(name)
        count = "" if found.imported else f"{len(found.episodes) + len(jobs_of(found, sound_catalog()))} episodes. "
        proof = "" if found.proven_on == OUR_MACHINES else f" Proven on {found.proven_on}."
        click.echo(f"{name}: {count}{found.description}{proof}")


@suites.command("import")
@click.argument("folder", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--name", required=True, help="Name of the suite.")
@click.option(
    "--image", default="osworld", show_default=True, help="The image that the tasks are to run on: this one has the home folder that they name."
)
@click.option(
    "--cache",
    type=click.Path(file_okay=False, path_type=Path),
    help="Folder of the files that the tasks fetch (default: task_files in the data folder).",
)
@click.option("--fetch", is_flag=True, help="Fetch the files that the cache lacks from their addresses.")
@click.option("--stand-ins", is_flag=True, help="Make files of the same shape for those that the cache lacks, where Deskmill can.")
@click.option(
    "--metrics",
    "judged_by",
    type=click.Choice(["ours", "theirs"]),
    default="ours",
    show_default=True,
    help="Whose metrics judge: theirs have their mistakes, for comparison.",
)
@click.option(
    "--oracles",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of oracles for these tasks (default: those that come with Deskmill).",
)
@click.option(
    "--mirror",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Folder of a mirror of sites, with a folder for each host: the browsers of the tasks find these sites there.",
)
@click.option("--dry-run", "is_dry", is_flag=True, help="Report everything and write nothing.")
@click.option("--machine", "machine_kind", help="Kind of the machine that the tasks are to be played on (default: one of ours with the image).")
@click.option("--machine-option", nargs=2, multiple=True, metavar="NAME VALUE", help="An option of that kind of machine.")
def import_tasks(
    folder: Path,
    name: str,
    image: str,
    cache: Path | None,
    fetch: bool,
    stand_ins: bool,
    judged_by: Any,
    oracles: Path | None,
    mirror: Path | None,
    is_dry: bool,
    machine_kind: str | None,
    machine_option: tuple[tuple[str, str], ...],
) -> None:
    """Import the task files of OSWorld or Windows Agent Arena in FOLDER as a suite, as they are."""
    from atomic_tasks.problems import BadInput
    from eval_flows.episodes.osworld.file_cache import FileCache
    from eval_flows.episodes.osworld.importing import Asked, import_suite
    from eval_flows.episodes.osworld.mirror.folder import read_mirror
    from eval_flows.episodes.osworld.report import told
    from machines.machine import MachineChoice
    from warehouse.layout import DataFolder

    if machine_option and machine_kind is None:
        raise BadInput("--machine-option belongs to a machine: name its kind with --machine")
    if fetch and is_dry:
        raise BadInput("--dry-run writes nothing, so it fetches nothing: leave --fetch out")
    if fetch and stand_ins:
        raise BadInput("--fetch gets the files themselves, --stand-ins makes others in their place: choose one")
    if stand_ins and is_dry:
        raise BadInput("--dry-run writes nothing, so it makes no stand-ins: leave --stand-ins out")
    data = DataFolder.from_environment()
    offers = None if machine_kind is None else MachineChoice(machine_kind, image, data.machines, dict(machine_option)).offers
    files, sites = FileCache.of(cache or data.task_files, fetch, stand_ins), None if mirror is None else read_mirror(mirror)
    asked = Asked(folder, name, image, files, judged_by, offers, oracles, sites)
    found = import_suite(asked, data, is_dry)
    click.echo(told(found.rows))
    for index in found.indexes:
        click.echo(f"{index}: lists tasks and is none itself")
    if not is_dry:
        click.echo(f"suite {name}: {len(found.runnable)} runnable tasks, in {data.imported / name}")
    if found.problems:
        raise BadInput(found.problems)


@suites.command("fits")
@click.argument("suite")
@machine_options
def fits(suite: str, machine_kind: str, machine_option: tuple[tuple[str, str], ...]) -> None:
    """Say of each task of SUITE whether a machine can play it, or the one reason why not. The machine need not run."""
    from atomic_tasks.catalog import sound_catalog
    from eval_flows.episodes.tasks.fitting import fits_of, told_fits
    from eval_flows.episodes.tasks.suite import ANY_IMAGE, read_suite, suite_tasks
    from machines.machine import MachineChoice
    from warehouse.layout import DataFolder

    declared = read_suite(suite)
    offers = MachineChoice(machine_kind, declared.image or ANY_IMAGE, DataFolder.from_environment().machines, dict(machine_option)).offers
    click.echo(told_fits(fits_of(declared, suite_tasks(declared, sound_catalog()), offers)))


@suites.command("publish")
@click.argument("suite")
def publish(suite: str) -> None:
    """Write SUITE as a dataset: Parquet with its whole episodes, a manifest and a card."""
    from eval_flows.episodes.runs.publish import publish_suite
    from warehouse.layout import DataFolder

    click.echo(publish_suite(suite, DataFolder.from_environment()))


@click.command()
@click.argument("suite")
@click.option("--repeats", type=click.IntRange(1), default=1, show_default=True, help="Times to play each episode; a larger number extends the run.")
@playing_options
@people_options
def episodes(suite: str, repeats: int, **chosen: Any) -> None:
    """Run an agent over SUITE, each episode on its own machine. Run the same command again to continue a stopped run."""
    people = take_people(chosen)
    agent, options = choices(suite, repeats, chosen)
    if faults_of(played(suite, agent, replace(options, people=people))):
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
        why = proof.fault or ("doing nothing earns something, or does damage" if proof.rewards_nothing_done else "")
        click.echo(f"unproven {proof.episode_id} ({', '.join(proof.tasks)}){' as listed' * proof.is_listed}: {why}")
        for trial in proof.failed:
            click.echo(f"    {trial.kind} ({trial.what}): reward {trial.reward:g}; {trial.seen:.600}")
    click.echo(f"{len(proofs) - len(unproven)} of {len(proofs)} episodes proven, {sum(len(proof.trials) for proof in proofs)} trials")
    if any(not proof.is_listed for proof in unproven):
        ctx.exit(1)
