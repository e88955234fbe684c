"""The errors of runners."""


class RunnerError(ValueError):
    """A runner cannot be used as it was chosen, or an item was lost too often; the text says what to do."""


class WorkerLost(Exception):
    """A worker ended in the middle of an item."""
