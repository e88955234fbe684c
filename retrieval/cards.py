"""Knowledge cards: what an application is, can do and is used for, as one text (AppSelectBench, section 4.3, RAS)."""

from atomic_tasks.schema import Application


def card(application: Application) -> str:
    """The application's card; it holds no phrasing of any atomic task."""
    return (
        f"{application.title} ({application.kind}): {application.description} "
        f"Features: {', '.join(application.features)}. Typical uses: {', '.join(application.typical_scenarios)}."
    )
