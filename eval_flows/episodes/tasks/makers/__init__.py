"""What `setup` makes before an episode, a family of makers in each module."""
