"""How the command line reports errors, and that it was stopped."""

from typing import Any

import click

_BAD_INPUT = 2
_STOPPED = 130  # what shells give for Ctrl+C: 128 and the number of the signal


class Commands(click.Group):
    """Shows bad input as its text and exit code 2, and ends with exit code 130 at Ctrl+C; never a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Invoke the command that was asked for."""
        from atomic_tasks.problems import BadInput
        from language_models.errors import ModelError
        from machines.errors import MachineError, MachineNeeds, PluginError
        from runners.errors import RunnerError
        from warehouse.errors import WarehouseError

        try:
            return super().invoke(ctx)
        except BadInput as error:
            click.echo(str(error) if error.problems else f"error: {error}", err=True)
            if error.problems:
                click.echo(f"{len(error.problems)} problem{'s' * (len(error.problems) != 1)}", err=True)
            ctx.exit(_BAD_INPUT)
        except (WarehouseError, ModelError, MachineNeeds, MachineError, PluginError, RunnerError) as error:
            click.echo(f"error: {error}", err=True)
            ctx.exit(_BAD_INPUT)
        except KeyboardInterrupt:
            click.echo("stopped", err=True)
            ctx.exit(_STOPPED)
        except BrokenPipeError:
            raise  # the reader of our output has stopped; click ends quietly
        except OSError as error:
            click.echo(f"error: {error.filename or 'a file'}: {error.strerror or error}", err=True)
            ctx.exit(_BAD_INPUT)
