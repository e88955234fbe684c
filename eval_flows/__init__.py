"""Evaluations: which application is chosen for a task, and what agents do in one."""
