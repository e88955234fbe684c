"""What the warehouse says to its user when something is not as it should be."""


class WarehouseError(ValueError):
    """A file, a query or a state that the user can do something about; the text says what."""
