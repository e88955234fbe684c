"""Commands that make the machines that episodes run on."""

from __future__ import annotations

from pathlib import Path

import click


@click.group()
def machine() -> None:
    """Make the machines that episodes run on."""


@machine.command("build")
@click.argument("image", required=False)
@click.option("--again", is_flag=True, help="Make it again, with the registry's current package versions.")
@click.option(
    "--from", "from_list", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Make it with the package versions of this list."
)
@click.option("--source", help="Address of a Debian mirror, or a file of apt sources; without it, the host's own Debian sources.")
def build_machine(image: str | None, again: bool, from_list: Path | None, source: str | None) -> None:
    """Make IMAGE (desktop, or smoke for a small one) from Debian packages; nothing is installed on this host."""
    from atomic_tasks.problems import BadInput
    from machines.build import build_image
    from machines.packages import read_list
    from warehouse.layout import DataFolder

    if again and from_list:
        raise BadInput("--again takes the current versions, --from the versions of a list: give only one of them")
    wanted = read_list(from_list) if from_list else None
    name = image or (wanted.image if wanted else "desktop")
    built = build_image(name, DataFolder.from_environment().machines, click.echo, again, wanted, source)
    click.echo(f"{name} {built.identity}: {len(built.held.packages)} packages in {built.root}")


@machine.command("show")
@click.argument("image", required=False)
def show_machine(image: str | None) -> None:
    """List the images, and say how machines share this host.

    With IMAGE, the name of an image or the identity of a build, list its packages by version for `build --from`.
    """
    from machines.image import builds, declared, find_image
    from machines.shares import described
    from warehouse.layout import DataFolder

    machines = DataFolder.from_environment().machines
    built = builds(machines)
    if image is not None:
        click.echo(str(built[image] if image in built else find_image(image, machines).held), nl=False)
        return
    for name in declared().images:
        used = find_image(name, machines).identity
        if used is None:
            click.echo(f"{name}: not built; deskmill machine build {name}")
        for identity, held in built.items():
            if held.image == name:
                click.echo(f"{name} {identity}: {len(held.packages)} packages, built {held.built}{', in use' * (identity == used)}")
    click.echo(described())
