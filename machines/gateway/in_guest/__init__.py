"""Modules that programs of the harness import inside a machine, under their own names: `machines.gateway.commands` puts them there."""
