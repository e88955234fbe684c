"""Machines that others run: declared in a file, reached over the network, and reset by a command or a hook of the user's."""
