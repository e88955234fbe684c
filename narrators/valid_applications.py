"""Valid applications: those that can do all that the text asks for (the design's definition of V)."""

from collections.abc import Collection, Iterable, Mapping


def valid_applications(
    said_capabilities: Iterable[str], equivalence: Mapping[str, Collection[str]], candidates: Collection[str], named: Collection[str] | None
) -> list[str]:
    """The candidates, in their order, that can do every capability that the text says, and that its naming leaves.

    `equivalence` maps a capability to the applications that can do it. `named` holds the applications that the text's words
    for the application leave: the addressed one, or all of a kind; None where nothing is named. Steps that drop-out removed
    do not narrow.
    """
    able = set(candidates) if named is None else set(candidates).intersection(named)
    for capability in said_capabilities:
        able &= set(equivalence[capability])
    return [application for application in candidates if application in able]
