"""The errors that machines raise."""


class MachineError(RuntimeError):
    """A fault of the infrastructure: a machine does not start, dies, hangs or sends garbage. It is never the agent's fault."""


class LeftUnreadable(MachineError):
    """What is on the machine cannot be read, though the machine works: it is too much, or forbidden, or it ends or holds up who reads it.

    At the end of an episode that is what the agent left, so whoever judges it catches this error. Before an agent begins it is a fault like others.
    """


class MachineNeeds(ValueError):
    """The host lacks something, an image was not built, or a list cannot be made into an image; the text says what to do about it."""


class PluginError(ValueError):
    """No plug-in has the name that was asked for, two have it, or it cannot be imported; the text says where each is declared."""


class RefusedAction(ValueError):
    """The guest did not carry out an action; the text is for the agent."""
