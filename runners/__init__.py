"""Where work runs: processes of this host, Dask, Ray. A runner gives a map, and pipelines take the map that runs their items."""
