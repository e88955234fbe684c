"""The quality study: people, and models marked as such, rate a sample of a dataset (AppSelectBench, section 6.1)."""
