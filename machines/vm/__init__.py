"""The files that run inside a virtual machine, outside the sandbox of the guest server: its first process, and what starts the sandbox."""
