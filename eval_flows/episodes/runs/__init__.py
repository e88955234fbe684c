"""Runs: an agent plays the episodes of a suite. Workers play, the results are kept, and suites are published."""
