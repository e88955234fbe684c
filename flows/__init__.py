"""Recipes, and the pipeline and Prefect flow that build a dataset."""
