"""Tasks of OSWorld and Windows Agent Arena, as their files are."""
