"""Rollouts: runs of episodes as training data, in groups of trajectories of the same task (GRPO: Shao et al. 2024, DeepSeekMath, section 4.1)."""
