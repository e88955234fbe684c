"""The page of people: agents with people and without, what people reach, results that were compared, errors, and the time that it took."""

from reports.figures import shares_of_errors
from reports.site import Site

_TABLES = (
    "people_table_5", "people_calibration", "people_reference", "people_scores", "people_judges", "people_agreement", "people_errors", "people_time",
)  # fmt: skip


def write_people(site: Site) -> None:
    """Write people/index.html."""
    shown = {name: site.table(name) for name in _TABLES}
    figure = site.figure("people_error_figure", shares_of_errors)
    has_people = any(not row.get("is_theirs") for one in shown.values() for row in one.answer.rows)
    site.page("people/index.html", "People", "people.html.j2", "People", shown=shown, errors=figure, has_people=has_people)
