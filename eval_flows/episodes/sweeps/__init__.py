"""Sweeps: many runs over one suite that differ in what is studied, declared in one recipe, and resumed as one."""
