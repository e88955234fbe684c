"""The environment: a desktop that is set up for a task, acted on step by step, and judged at the end."""

from eval_flows.episodes.environment.environment import ASK, DONE, FAIL, WAIT, Environment
from eval_flows.episodes.environment.observation import Observation
from eval_flows.episodes.environment.picture import PictureForm, picture_form
from eval_flows.episodes.environment.reward import Reward

__all__ = ["ASK", "DONE", "FAIL", "WAIT", "Environment", "Observation", "PictureForm", "Reward", "picture_form"]
