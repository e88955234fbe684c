"""The command line of Deskmill: thin. Its commands stand in `command_line/`, with every heavy import inside the command that needs it."""

import click

from command_line.datasets import build, draft, import_file, validate
from command_line.episodes import episodes, prove, suites
from command_line.errors import Commands
from command_line.judging import judge, label, review
from command_line.machine import machine
from command_line.people import demonstrate, watch
from command_line.quality import quality
from command_line.results import export, load, prune, report, show, sql
from command_line.rollouts import rollouts
from command_line.selection import compare, select
from command_line.serve import serve
from command_line.sweep import sweep


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="deskmill")
def main() -> None:
    """Deskmill makes desktop user tasks from a catalog of atomic tasks, and scores what models and agents make of them."""


for command in (
    validate,
    build,
    import_file,
    draft,
    select,
    compare,
    quality,
    machine,
    suites,
    episodes,
    prove,
    serve,
    watch,
    demonstrate,
    sweep,
    rollouts,
    judge,
    label,
    review,
    sql,
    show,
    report,
    export,
    load,
    prune,
):
    main.add_command(command)

if __name__ == "__main__":
    main()
