"""For the authors of suites: propose the chains of a suite, and print them as lines for its file.

    python -m eval_flows.episodes.tasks.pin --chains 70 [--seed N]

Each chain has two to four distinguishable tasks of one application; every task takes its turn. Read the printed lines before you pin them
in suites/; nothing is drawn at random after that.
"""

from collections import Counter
from random import Random

import click

from atomic_tasks.catalog import Catalog, sound_catalog
from atomic_tasks.seeds import derived_random
from eval_flows.episodes.tasks.compose import NotComposed, sequence

_LENGTHS = {2: 0.55, 3: 0.35, 4: 0.1}
_TRIES = 200


@click.command()
@click.option("--chains", default=70, show_default=True)
@click.option("--seed", default=20261121, show_default=True)
def pin(chains: int, seed: int) -> None:
    """Print chains; each application has a share in proportion to its tasks."""
    catalog = sound_catalog()
    telling = {
        name: [task.id for task in application.tasks if task.oracle and not task.generic]
        for name, application in sorted(catalog.applications.items())
        if application.platform == "linux"
    }
    everything = sum(map(len, telling.values()))
    used: Counter[str] = Counter()
    seen: set[tuple[str, ...]] = set()
    for name, tasks in telling.items():
        for number in range(round(chains * len(tasks) / everything)):
            chain = _chain(catalog, tasks, used, derived_random(seed, name, number))
            if chain and tuple(chain) not in seen:
                seen.add(tuple(chain))
                used.update(chain)
                click.echo(f"  - {{level: L2, tasks: [{', '.join(chain)}]}}")


def _chain(catalog: Catalog, tasks: list[str], used: Counter[str], random: Random) -> list[str] | None:
    """Return a chain that begins with the least used tasks, and in which no task revises another."""
    length = random.choices(list(_LENGTHS), list(_LENGTHS.values()))[0]
    for _ in range(_TRIES):
        drawn = sorted(random.sample(tasks, min(length, len(tasks))), key=lambda task: (used[task], random.random()))
        chosen = sorted(drawn, key=lambda task: (catalog.tasks[task].last, random.random()))
        if (
            any(catalog.tasks[task].revises for task in chosen)
            or sum(used[task] for task in chosen) > 2 * length + min(used.values(), default=0) * length
        ):
            continue
        try:
            sequence(catalog, chosen, random)
        except NotComposed:
            continue
        return chosen
    return None


if __name__ == "__main__":
    pin()
