"""For authors: try an executable atomic task or a job on a machine, and see the result of each step and each check.

python -m eval_flows.episodes.tasks.try_task mousepad.replace_text [--machines FOLDER] [--shots FOLDER] [--seed N] [--tree] [--lines N] [--variant N]
                                            [--machine KIND] [--machine-option NAME VALUE]
"""

import io
import sys
import time
from pathlib import Path

import click
from PIL import Image as Picture

from atomic_tasks.catalog import read_catalog
from atomic_tasks.problems import BadInput
from eval_flows.episodes.agents.awaited import OracleStuck
from eval_flows.episodes.agents.oracle import lines
from eval_flows.episodes.environment import Environment, Observation, Reward
from eval_flows.episodes.tasks.authored import authored, machine_for
from eval_flows.episodes.tasks.suite_task import Variant
from eval_flows.episodes.tasks.task import Task
from machines.telling import told


@click.command()
@click.argument("task_id")
@click.option("--machines", type=click.Path(path_type=Path), default=Path("data/machines"))
@click.option("--image", "image_name", help="The image (default: that of the suite).")
@click.option("--machine", "kind", default="sandbox")
@click.option("--machine-option", "options", nargs=2, multiple=True, metavar="NAME VALUE")
@click.option("--shots", type=click.Path(path_type=Path), help="folder for a screenshot after every step")
@click.option("--seed", default=1)
@click.option("--tree", is_flag=True, help="print the elements on the screen at the end, or when the oracle gets stuck")
@click.option("--variant", default=0, help="try another way or a near miss in place of the oracle: 1 for the first one declared")
@click.option("--lines", "most", default=10_000, help="carry out only that many lines of the oracle")
def try_task(
    task_id: str,
    machines: Path,
    image_name: str | None,
    kind: str,
    options: tuple[tuple[str, str], ...],
    shots: Path | None,
    seed: int,
    tree: bool,
    variant: int,
    most: int,
) -> None:
    """Do TASK_ID by its oracle, and print what its checks find before and after."""
    catalog, problems = read_catalog()
    for problem in problems:
        click.echo(str(problem))
    made, image = authored(task_id, catalog, seed)
    task = made.task
    variants = [Variant("", task), *made.ways(catalog), *made.near_misses(catalog)]
    if variant >= len(variants):
        raise BadInput(f"{task_id} has {len(variants) - 1} other ways and near misses: " + "; ".join(one.words for one in variants[1:]))
    click.echo(f"steps {[step.task for step in task.steps]}\nvalues {task.values}\n{variants[variant].words}")
    sees = () if shots is None else ("screenshot",)
    with Environment(machine_for(made, kind, image_name or image, machines, options).make(), sees) as environment:
        _try(environment, task, variants[variant].task, shots, tree, most)


def _try(environment: Environment, task: Task, oracle: Task, shots: Path | None, tree: bool, most: int) -> None:
    begun = time.monotonic()
    _shot(environment.reset(task), shots, "00_ready")
    click.echo(f"{time.monotonic() - begun:5.1f} s ready, {len(task.steps) - len(environment.steps_left)} steps done by opening")
    click.echo(f"reward of doing nothing: {environment.evaluate(0).value}")
    number = 0
    try:
        opened, here = len(task.steps) - len(environment.steps_left), oracle.on(environment.offers.home)
        for line in (line for step in here.steps[opened:] for line in lines(environment, step)):
            if number >= most:
                break
            number += 1
            observation = environment.step(line.actions)
            click.echo(f"{time.monotonic() - begun:5.1f} s {line.words} {observation.feedback}")
            _shot(observation, shots, f"{number:02}")
    except OracleStuck as stuck:
        click.echo(f"STUCK: {stuck}")
    _tell(environment.evaluate())
    observation = environment.step(())
    _shot(observation, shots, "end")
    if tree:
        click.echo(told(observation.elements, observation.windows, environment.offers.screen).text)


def _tell(reward: Reward) -> None:
    click.echo(f"reward after the oracle: {reward.value}")
    for damage in reward.side_effects:
        click.echo(f"  SIDE EFFECT {damage}")
    for one in reward.checked:
        click.echo(f"  {'holds' if one.holds else 'FAILS'} {one.entry} got {one.got!r:.300}")


def _shot(observation: Observation, shots: Path | None, name: str) -> None:
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
        assert observation.screenshot is not None
        Picture.open(io.BytesIO(observation.screenshot)).save(shots / f"{name}.png")


if __name__ == "__main__":
    try:
        try_task()
    except BadInput as error:
        sys.exit(str(error))
