"""Where the data folder's content is kept: in the folder itself, or in an object store of which the folder is a mirror. See docs/object_store.md."""
