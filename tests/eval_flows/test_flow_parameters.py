"""Protects the parameters of the flows: what a command can be told, its deployment can be told too, with the same defaults."""

import importlib
import inspect
from typing import Any

import click
import pytest

from command_line.episodes import episodes
from command_line.selection import select
from command_line.sweep import sweep

OF_COMMANDS = {"dry_run"}  # it prints a forecast, and does nothing
NAMED = {"edition": "ask_anew", "agent_name": "agent", "label": "name", "machine_kind": "machine", "machine_option": "machine_options"}
NAMED |= {"agent_option": "agent_options"}


@pytest.mark.parametrize(
    ("command", "place"),
    [
        (select, "eval_flows.selection.flow:evaluate_selection"),
        (episodes, "eval_flows.episodes.runs.flow:run_episodes"),
        (sweep, "eval_flows.episodes.sweeps.flow:play_sweep"),
    ],
    ids=["select", "episodes", "sweep"],
)
def test_a_flow_takes_what_its_command_takes(command: click.Command, place: str) -> None:
    module, _, name = place.partition(":")
    flow: Any = getattr(importlib.import_module(module), name)
    parameters = inspect.signature(flow.fn).parameters
    options = {NAMED.get(str(one.name), str(one.name)): one for one in command.params if one.name not in OF_COMMANDS}
    assert set(options) == set(parameters)
    for option, declared in options.items():
        default = declared.default if isinstance(declared.default, str | int | float) else None
        if isinstance(declared, click.Option) and default is not None and not declared.multiple:
            assert parameters[option].default == default, option
