"""For authors: prove executable atomic tasks and jobs, each as its own episode.

python -m eval_flows.episodes.proofs.prove_task mousepad.append_line [...] [--machines FOLDER] [--seed N]
                                               [--machine KIND] [--machine-option NAME VALUE]
"""

import sys
import time
from pathlib import Path

import click

from atomic_tasks.catalog import sound_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.proofs.proof import prove
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.tasks.authored import authored, machine_for


@click.command()
@click.argument("task_ids", nargs=-1, required=True)
@click.option("--machines", type=click.Path(path_type=Path), default=Path("data/machines"))
@click.option("--image", "image_name", help="The image (default: that of the suite).")
@click.option("--machine", "kind", default="sandbox")
@click.option("--machine-option", "options", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--seed", default=1)
def prove_tasks(
    task_ids: tuple[str, ...], machines: Path, image_name: str | None, kind: str, options: tuple[tuple[str, str], ...], seed: int
) -> None:
    """Prove TASK_IDS, and print the trials that failed."""
    catalog = sound_catalog()
    for task_id in task_ids:
        begun = time.monotonic()
        made, image = authored(task_id, catalog, seed)
        trials = prove(subject_of(made, catalog), machine_for(made, kind, image_name or image, machines, options))
        failed = [trial for trial in trials if not trial.passed]
        click.echo(f"{'PROVEN' if not failed else 'NOT PROVEN'} {task_id} {len(trials)} trials, {time.monotonic() - begun:.0f} s, {made.task.values}")
        for trial in failed:
            click.echo(f"   {trial.kind} ({trial.what}): reward {trial.reward}: {trial.seen:.1500}")


if __name__ == "__main__":
    try:
        prove_tasks()
    except BadInput as error:
        sys.exit(str(error))
