"""The error that the warehouse shows to its user."""


class WarehouseError(ValueError):
    """A fault of a file, a query or a state that the user can mend; the text says how."""
