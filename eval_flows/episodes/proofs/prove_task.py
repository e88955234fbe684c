"""For authors: prove executable atomic tasks, each as its own episode.

python -m eval_flows.episodes.proofs.prove_task mousepad.append_line [...] [--machines FOLDER] [--seed N]
"""

import time
from pathlib import Path

import click

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.proofs.proof import prove
from eval_flows.episodes.tasks.changed import changed_tasks
from eval_flows.episodes.tasks.compose import single, values_of
from eval_flows.episodes.tasks.task import made_task
from machines.machine import MachineChoice


@click.command()
@click.argument("task_ids", nargs=-1, required=True)
@click.option("--machines", type=click.Path(path_type=Path), default=Path("data/machines"))
@click.option("--image", "image_name", default="desktop")
@click.option("--machine", "kind", default="sandbox")
@click.option("--seed", default=1)
def prove_tasks(task_ids: tuple[str, ...], machines: Path, image_name: str, kind: str, seed: int) -> None:
    """Prove TASK_IDS, and print the trials that failed."""
    catalog = sound_catalog()
    machine = MachineChoice(kind, image_name, machines)
    for task_id in task_ids:
        begun = time.monotonic()
        composition = single(catalog, catalog.tasks[task_id], derived_random(seed, task_id))
        task = made_task(composition, values_of(composition, catalog, seed, task_id, "bind"), catalog, "L1", "")
        trials = prove(task, changed_tasks(composition, task, catalog, seed, task_id), machine)
        failed = [trial for trial in trials if not trial.passed]
        click.echo(f"{'PROVEN' if not failed else 'NOT PROVEN'} {task_id} {len(trials)} trials, {time.monotonic() - begun:.0f} s, {task.values}")
        for trial in failed:
            click.echo(f"   {trial.kind} ({trial.what}): reward {trial.reward}: {trial.seen:.1500}")


if __name__ == "__main__":
    prove_tasks()
