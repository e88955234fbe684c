"""A page for each application: what it is taken for, what is taken for it, its scores, and the texts of its tasks."""

from reports.questions import Rows
from reports.site import Site

_SCORES = ("application_runs", "application_taken_for", "application_mistaken", "application_tasks")


def write_applications(site: Site, datasets: Rows) -> None:
    """Write applications/index.html and applications/<application>.html for every application of the catalog."""
    listed = [
        {"dataset": dataset, "table": site.table("applications", dataset["dataset_id"], dataset_id=dataset["dataset_id"])} for dataset in datasets
    ]
    site.page("applications/index.html", "Applications", "applications.html.j2", "Applications", sections=listed)
    for application in site.ask("known_applications").rows:
        name = application["application"]
        sections = []
        for dataset in datasets:
            of = {"dataset_id": dataset["dataset_id"], "application": name}
            shown = {table: site.table(table, f"{name}-{dataset['dataset_id']}", **of) for table in _SCORES}
            sections.append({"dataset": dataset, "shown": shown, "texts": site.table("application_texts", f"{name}-{dataset['dataset_id']}", **of)})
        site.page(
            f"applications/{name}.html", application["title"], "application.html.j2", "Applications", application=application, sections=sections
        )
