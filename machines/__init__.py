"""Machines that agents work on: a guest server beside a desktop, its client, and the ways to get such a machine."""
