"""The built-in element sources, one module each."""
