"""Native computer use: the formats of actions that tools of models emit, and what the agents that speak with them share."""
