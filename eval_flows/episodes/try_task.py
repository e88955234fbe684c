"""For authors: try an executable atomic task on a machine, and see the result of each step and each check.

python -m eval_flows.episodes.try_task mousepad.replace_text [--machines FOLDER] [--shots FOLDER] [--seed N] [--tree] [--lines N]
"""

import io
import time
from pathlib import Path

import click
from PIL import Image as Picture

from atomic_tasks.catalog import read_catalog
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.compose import single, values_of
from eval_flows.episodes.desk import Desk
from eval_flows.episodes.episode import Episode, made_episode
from eval_flows.episodes.judging import judge, look_before
from eval_flows.episodes.oracle import OracleStuck, expanded, perform
from eval_flows.episodes.stage import bring_up, prepare
from machines.image import find_image
from machines.observation import linearised, worth_telling
from machines.sandbox import Sandbox


@click.command()
@click.argument("task_id")
@click.option("--machines", type=click.Path(path_type=Path), default=Path("data/machines"))
@click.option("--image", "image_name", default="desktop")
@click.option("--shots", type=click.Path(path_type=Path), help="folder for a screenshot after every step")
@click.option("--seed", default=1)
@click.option("--tree", is_flag=True, help="print the elements on the screen at the end, or when the oracle gets stuck")
@click.option("--lines", default=10_000, help="carry out only that many lines of the oracle")
def try_task(task_id: str, machines: Path, image_name: str, shots: Path | None, seed: int, tree: bool, lines: int) -> None:
    """Do TASK_ID by its oracle, and print what its checks find before and after."""
    catalog, problems = read_catalog()
    for problem in problems:
        click.echo(str(problem))
    task = catalog.tasks[task_id]
    composition = single(catalog, task, derived_random(seed, task_id))
    values = values_of(composition, catalog, seed, task_id, "bind")
    episode = made_episode(composition, values, catalog, "L1", "")
    click.echo(f"steps {[step.task for step in episode.steps]}\nvalues {values}")
    image = find_image(image_name, machines)
    with Sandbox(image) as machine:
        _try(Desk(machine.client, image), episode, shots, tree, lines)


def _try(desk: Desk, episode: Episode, shots: Path | None, tree: bool, lines: int) -> None:
    begun = time.monotonic()
    done = prepare(desk, episode)
    click.echo(f"{time.monotonic() - begun:5.1f} s ready, {done} steps done by opening")
    before = look_before(desk, episode)
    click.echo(f"reward of doing nothing: {judge(desk, episode, before, 0).reward}")
    _shot(desk, shots, "00_ready")
    number = 0
    try:
        for step in episode.steps[done:]:
            bring_up(desk, step)
            for entry in expanded(step.oracle):
                if number >= lines:
                    break
                number += 1
                perform(desk, entry)
                click.echo(f"{time.monotonic() - begun:5.1f} s {entry}")
                _shot(desk, shots, f"{number:02}")
    except OracleStuck as stuck:
        click.echo(f"STUCK: {stuck}")
    after = judge(desk, episode, before)
    click.echo(f"reward after the oracle: {after.reward}")
    for damage in after.side_effects:
        click.echo(f"  SIDE EFFECT {damage}")
    for one in after.checked:
        click.echo(f"  {'holds' if one.holds else 'FAILS'} {one.entry} got {one.got!r:.300}")
    _shot(desk, shots, "end")
    if tree:
        click.echo(linearised(worth_telling(desk.look().elements), desk.screen))


def _shot(desk: Desk, shots: Path | None, name: str) -> None:
    if shots is not None:
        shots.mkdir(parents=True, exist_ok=True)
        png = desk.client.observe(["screenshot"]).screenshot
        assert png is not None
        Picture.open(io.BytesIO(png)).save(shots / f"{name}.png")


if __name__ == "__main__":
    try_task()
