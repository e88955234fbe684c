"""Narrators: turn a bound composition into the text that a person would type, and say what that text asks for."""
