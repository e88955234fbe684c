"""The guest server: runs inside the machine, beside the desktop, on what Debian packages alone; nothing outside this folder is imported."""
