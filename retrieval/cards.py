"""Knowledge cards: one text that says what an application is, what it can do, and what people use it for (AppSelectBench, section 4.3, RAS)."""

from atomic_tasks.schema import Application


def card(application: Application) -> str:
    """Return the card of the application. It contains no phrasing of an atomic task."""
    return (
        f"{application.title} ({application.kind}): {application.description} "
        f"Features: {', '.join(application.features)}. Typical uses: {', '.join(application.typical_scenarios)}."
    )
