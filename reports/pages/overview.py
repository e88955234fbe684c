"""The overview: datasets and runs, the paper's Table 2 and Figure 6 with ours beside theirs, cost against accuracy."""

from typing import Any

from reports import figures
from reports.pages.notices import of_failures
from reports.questions import Rows
from reports.site import Site


def write_overview(site: Site, datasets: Rows) -> None:
    """Write index.html."""
    sections = [_section(site, dataset) for dataset in datasets]
    site.page("index.html", "Overview", "overview.html.j2", "Overview", sections=sections)


def _section(site: Site, dataset: dict[str, Any]) -> dict[str, Any]:
    of = dataset["dataset_id"]
    over = {"dataset_id": of, "split": dataset["split"]}
    shown = [site.table("runs_of_dataset", of, dataset_id=of)]
    notices = of_failures(shown[0].answer.rows)
    if dataset["runs"]:
        shown += [
            site.table("table_2", of, **over),
            site.figure("figure_6", figures.accuracy_by_model, of, **over),
            site.figure("cost_and_accuracy", figures.cost_and_accuracy, of, **over),
            site.table("costs", of, **over),
        ]
    return {"dataset": dataset, "notices": notices, "shown": {exhibit.name: exhibit for exhibit in shown}}
