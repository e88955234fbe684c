"""The built-in observation sources, one module each."""
