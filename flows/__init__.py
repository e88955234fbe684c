"""Recipes, and the pipeline and the Prefect flow that build a dataset."""
