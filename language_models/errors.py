"""What goes wrong with a model; its text goes to the user and the exit code is 2."""


class ModelError(Exception):
    """A model that cannot be asked, with the remedy in words; never with a key."""


class BudgetReached(ModelError):
    """The next call might cost more than the budget leaves; every call made until then is kept."""
