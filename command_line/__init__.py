"""The commands of `deskmill`, a module for each group of them. Every heavy import is inside the command that needs it."""
