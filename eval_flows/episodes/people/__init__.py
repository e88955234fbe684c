"""People at the machines of episodes: they watch, take over, are asked for help, and do tasks themselves (ProSoftArena, section 5 and Table 5)."""
