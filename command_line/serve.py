"""The command that serves environments over HTTP."""

from __future__ import annotations

import click

from command_line.shared import machine_options


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on; the default takes calls from this host alone.")
@click.option("--port", type=click.IntRange(0, 65535), default=8700, show_default=True, help="Port to listen on; 0 takes a free one.")
@click.option("--sessions", type=click.IntRange(1), default=16, show_default=True, help="Most sessions at once; each has a machine.")
@click.option("--idle-seconds", type=click.FloatRange(0, min_open=True), default=600.0, show_default=True, help="A session without a call is closed.")
@click.option("--steps", type=click.IntRange(1), help="Most steps of an episode (default: the budget of its task).")
@machine_options
def serve(
    host: str, port: int, sessions: int, idle_seconds: float, steps: int | None, machine_kind: str, machine_option: tuple[tuple[str, str], ...]
) -> None:
    """Serve environments over HTTP: list suites, open a session, reset, step, evaluate, close.

    Clients give the token in the environment variable DESKMILL_TOKEN; without it, a token is made and printed.
    """
    from eval_flows.episodes.serving.serve import serve_sessions
    from eval_flows.episodes.serving.sessions import Limits, Sessions
    from warehouse.layout import DataFolder

    served = Sessions(DataFolder.from_environment(), Limits(sessions, idle_seconds, steps), machine_kind, dict(machine_option))
    serve_sessions(served, host, port, click.echo)
