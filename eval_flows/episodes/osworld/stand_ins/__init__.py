"""Stand-ins: files of the same shape as those that tasks fetch, where these are not to be had."""
