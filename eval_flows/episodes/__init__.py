"""Episodes: agents at work on a real desktop, and the reward that its final state earns."""
