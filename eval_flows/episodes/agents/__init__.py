"""Agents: each decides its next step from what it sees."""
