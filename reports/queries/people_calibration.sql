-- Whether agents that can ask do so where they fail alone.
from calibration
