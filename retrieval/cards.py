"""Knowledge cards: one text that says what an application is, what it can do, and what people use it for (AppSelectBench, section 4.3, RAS)."""

import hashlib
from collections.abc import Mapping

from atomic_tasks.schema import Application


def card(application: Application) -> str:
    """Return the card of the application. It contains no phrasing of an atomic task."""
    return (
        f"{application.title} ({application.kind}): {application.description} "
        f"Features: {', '.join(application.features)}. Typical uses: {', '.join(application.typical_scenarios)}."
    )


def cards_hash(cards: Mapping[str, str]) -> str:
    """Return a hash of the texts of these cards, for the identity of a run that they decide."""
    return hashlib.blake2b("\n".join(cards.values()).encode(), digest_size=8).hexdigest()
