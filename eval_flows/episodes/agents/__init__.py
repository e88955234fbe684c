"""Agents: what decides, from what it sees, what is done next."""
