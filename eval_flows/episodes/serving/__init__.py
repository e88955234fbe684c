"""The environment for those who drive it from outside: by import, by Gymnasium, or over HTTP.

`suite_environment` plays episodes of a suite by number or id, with actions as text. `gym_desktop` makes it a Gymnasium environment. `server` offers
many sessions of it over HTTP and by the protocol of OpenEnv, and `client` drives such a session by the same methods.
"""

from eval_flows.episodes.serving.suite_environment import SuiteEnvironment, open_environment

__all__ = ["SuiteEnvironment", "open_environment"]
