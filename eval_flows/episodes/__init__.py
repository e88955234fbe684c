"""Episodes: agents work on a real desktop, and the final state earns a reward.

`tasks` says what is to be done, `environment` is where it is done and judged, `checkers` look at the result, `agents` decide the steps, `runs` plays
suites and keeps the results, and `proofs` shows that the checks of a suite hold.
"""
