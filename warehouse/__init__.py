"""The warehouse: where data lies (Parquet with manifests), and DuckDB over it."""
