"""Application selection: selectors that implement the protocols, and runs over a dataset."""
