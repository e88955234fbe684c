"""Code of an agent, run inside the machine as the agent's user: `running` is the server's side, the rest is the side of the code."""
