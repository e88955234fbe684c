"""Narrators: from a bound composition to the text that a person would have typed, and what that text asks for."""
