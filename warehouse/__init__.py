"""The warehouse: the layout of the data folder (Parquet with manifests), and DuckDB over it."""
