"""For authors: try an executable atomic task on a machine, and see the result of each step and each check.

python -m eval_flows.episodes.tasks.try_task mousepad.replace_text [--machines FOLDER] [--shots FOLDER] [--seed N] [--tree] [--lines N]
"""

import io
import time
from pathlib import Path

import click
from PIL import Image as Picture

from atomic_tasks.catalog import read_catalog
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.agents.oracle import OracleStuck, lines
from eval_flows.episodes.environment import Environment, Observation, Reward
from eval_flows.episodes.tasks.compose import single, values_of
from eval_flows.episodes.tasks.task import Task, made_task
from machines.machine import MachineChoice
from machines.telling import told


@click.command()
@click.argument("task_id")
@click.option("--machines", type=click.Path(path_type=Path), default=Path("data/machines"))
@click.option("--image", "image_name", default="desktop")
@click.option("--machine", "kind", default="sandbox")
@click.option("--shots", type=click.Path(path_type=Path), help="folder for a screenshot after every step")
@click.option("--seed", default=1)
@click.option("--tree", is_flag=True, help="print the elements on the screen at the end, or when the oracle gets stuck")
@click.option("--lines", "most", default=10_000, help="carry out only that many lines of the oracle")
def try_task(task_id: str, machines: Path, image_name: str, kind: str, shots: Path | None, seed: int, tree: bool, most: int) -> None:
    """Do TASK_ID by its oracle, and print what its checks find before and after."""
    catalog, problems = read_catalog()
    for problem in problems:
        click.echo(str(problem))
    composition = single(catalog, catalog.tasks[task_id], derived_random(seed, task_id))
    values = values_of(composition, catalog, seed, task_id, "bind")
    task = made_task(composition, values, catalog, "L1", "")
    click.echo(f"steps {[step.task for step in task.steps]}\nvalues {values}")
    sees = () if shots is None else ("screenshot",)
    with Environment(MachineChoice(kind, image_name, machines).make(), sees) as environment:
        _try(environment, task, shots, tree, most)


def _try(environment: Environment, task: Task, shots: Path | None, tree: bool, most: int) -> None:
    begun = time.monotonic()
    _shot(environment.reset(task), shots, "00_ready")
    click.echo(f"{time.monotonic() - begun:5.1f} s ready, {len(task.steps) - len(environment.steps_left)} steps done by opening")
    click.echo(f"reward of doing nothing: {environment.evaluate(0).value}")
    number = 0
    try:
        for line in (line for step in environment.steps_left for line in lines(environment, step)):
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
    try_task()
