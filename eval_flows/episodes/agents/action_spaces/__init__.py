"""The built-in action spaces, one module each."""
