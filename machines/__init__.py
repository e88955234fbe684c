"""Machines that agents work on: a guest server beside a desktop, its client, and the code that builds and starts such a machine."""
