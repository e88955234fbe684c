"""Programs that run on the machine of an imported task."""
