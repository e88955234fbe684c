"""The guest server: runs inside the machine, beside the desktop, and imports nothing outside this folder.

Each system has its room; the rest is shared.
"""
