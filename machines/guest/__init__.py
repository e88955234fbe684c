"""The guest server: runs inside the machine, beside the desktop, with Debian packages only; it imports nothing outside this folder."""
