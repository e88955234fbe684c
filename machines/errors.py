"""What machines say when something is not as it should be."""


class MachineError(RuntimeError):
    """A fault of the infrastructure: a machine that does not start, dies, hangs or answers garbage. Never the agent's fault."""


class MachineNeeds(ValueError):
    """Something that the host lacks, an image that was not built, or a list that none can be made from; the text says what to do about it."""


class RefusedAction(ValueError):
    """An action that the guest did not carry out; the text is for the agent."""
