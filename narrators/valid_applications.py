"""Valid applications: those that can do all that the text asks for (the design's definition of V)."""

from collections.abc import Collection, Iterable, Mapping


def valid_applications(
    said_capabilities: Iterable[str], equivalence: Mapping[str, Collection[str]], candidates: Collection[str], addressed: str | None
) -> list[str]:
    """The candidates, in their order, that can do every capability that the text says; the addressed one alone if any.

    `equivalence` maps a capability to the applications that can do it. Steps that drop-out removed do not narrow.
    """
    if addressed is not None:
        return [addressed] if addressed in candidates else []
    able = set(candidates)
    for capability in said_capabilities:
        able &= set(equivalence[capability])
    return [application for application in candidates if application in able]
