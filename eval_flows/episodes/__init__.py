"""Episodes: agents work on a real desktop, and the final state earns a reward."""
