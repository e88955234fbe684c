"""Commands that make the machines that episodes run on."""

from __future__ import annotations

from pathlib import Path

import click

from command_line.shared import machine_options


@click.group()
def machine() -> None:
    """Make the machines that episodes run on."""


@machine.command("build")
@click.argument("image", required=False)
@click.option("--kind", type=click.Choice(["sandbox", "qemu"]), default="sandbox", show_default=True, help="qemu: a virtual machine from the image.")
@click.option("--again", is_flag=True, help="Make it again, with the registry's current package versions; with qemu, with its current kernel.")
@click.option(
    "--from", "from_list", type=click.Path(exists=True, dir_okay=False, path_type=Path), help="Make it with the package versions of this list."
)
@click.option("--source", help="Address of a Debian mirror, or a file of apt sources; without it, the host's own Debian sources.")
def build_machine(image: str | None, kind: str, again: bool, from_list: Path | None, source: str | None) -> None:
    """Make IMAGE (desktop, or smoke for a small one) from Debian packages; nothing is installed on this host."""
    from atomic_tasks.problems import BadInput
    from machines.build import build_image
    from machines.packages import read_list
    from machines.qemu_build import build_disk
    from warehouse.layout import DataFolder

    if from_list and (again or kind == "qemu"):
        other = "--again takes the current versions" if again else "--kind qemu takes the image that is there"
        raise BadInput(f"{other}, --from the versions of a list: give only one of them")
    wanted = read_list(from_list) if from_list else None
    name = image or (wanted.image if wanted else "desktop")
    machines = DataFolder.from_environment().machines
    if kind == "qemu":
        disk = build_disk(name, machines, click.echo, again, source)
        click.echo(f"{name} {disk.made.identity}: {disk.made.described} in {disk.folder}")
        return
    built = build_image(name, machines, click.echo, again, wanted, source)
    click.echo(f"{name} {built.identity}: {len(built.held.packages)} packages in {built.root}")


@machine.command("pack")
@click.argument("image", default="desktop")
def pack_machine(image: str) -> None:
    """Pack IMAGE into one file, for hosts that keep images in a folder of their own (DESKMILL_MACHINES)."""
    from machines.image import find_image
    from machines.packed import pack
    from warehouse.layout import DataFolder

    click.echo(pack(find_image(image, DataFolder.from_environment().machines)))


@machine.command("show")
@click.argument("image", required=False)
def show_machine(image: str | None) -> None:
    """List the images, and say how machines share this host.

    With IMAGE, the name of an image or the identity of a build, list its packages by version for `build --from`.
    """
    from machines.image import builds, declared, find_image
    from machines.qemu_image import disks
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
    for identity, made in disks(machines):
        click.echo(f"{made.image} {identity}: virtual machine, {made.described}, built {made.built}")
    click.echo(described())


@machine.command("serve")
@click.argument("image", default="desktop")
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the protocol has no token, so keep it to this host.")
@click.option("--port", type=click.IntRange(0, 65535), default=8710, show_default=True, help="First of the ports; 0 takes free ones.")
@click.option("--machines", type=click.IntRange(1), default=1, show_default=True, help="Most machines at once; each has three ports.")
@click.option(
    "--idle-seconds",
    type=click.FloatRange(0, min_open=True),
    default=1800.0,
    show_default=True,
    help="A machine that is not used so long may be given to another.",
)
@machine_options
def serve_machine(
    image: str, host: str, port: int, machines: int, idle_seconds: float, machine_kind: str, machine_option: tuple[tuple[str, str], ...]
) -> None:
    """Serve machines with IMAGE to OSWorld's harness: each speaks the protocol of its guest server.

    At the first port, a harness asks for machines, resets them and gives them back.
    """
    from machines.gateway.serve import Served, serve_machines
    from machines.machine import MachineChoice
    from warehouse.layout import DataFolder

    choice = MachineChoice(machine_kind, image, DataFolder.from_environment().machines, dict(machine_option))
    serve_machines(Served(choice, machines, host, port, idle_seconds), click.echo)
