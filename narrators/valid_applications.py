"""Valid applications: the applications that can do all that a text asks for (the design's definition of V)."""

from collections.abc import Collection, Iterable, Mapping


def valid_applications(
    said_capabilities: Iterable[str], equivalence: Mapping[str, Collection[str]], candidates: Collection[str], named: Collection[str] | None
) -> list[str]:
    """Return the candidates that can do every capability that the text says, and that fit the words for the application. They keep their order.

    `equivalence` maps a capability to the applications that can do it. `named` holds the applications that the text's words
    for the application stand for: the addressed application, or all of a kind. None means that the text names nothing.
    Steps that drop-out removed do not count.
    """
    able = set(candidates) if named is None else set(candidates).intersection(named)
    for capability in said_capabilities:
        able &= set(equivalence[capability])
    return [application for application in candidates if application in able]
