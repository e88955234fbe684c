"""The page over models: the paper's Tables 3 to 6 and Figures 7 to 10 for each dataset, and the errors that models share."""

from typing import Any

from reports import figures
from reports.pages.notices import of_failures
from reports.questions import Rows
from reports.site import Site


def write_models(site: Site, datasets: Rows) -> None:
    """Write models.html over the datasets that have runs."""
    site.page("models.html", "Models", "models.html.j2", "Models", sections=[_section(site, dataset) for dataset in datasets if dataset["runs"]])


def _section(site: Site, dataset: dict[str, Any]) -> dict[str, Any]:
    of = dataset["dataset_id"]
    over = {"dataset_id": of, "split": dataset["split"]}
    exhibits = [
        site.figure("figure_7", figures.models_by_category, of, **over),
        site.table("tables_4_to_6", of, **over),
        site.figure("figure_8", figures.category_bars, of, **over),
        site.table("table_3", of, **over),
        site.figure("figure_9", figures.category_confusion, of, **over),
        site.table("errors_by_kind", of, **over),
        site.table("consistent_confusions", of, dataset_id=of),
        site.figure("figure_10", figures.applications_by_f1, of, **over),
        site.table("applications_over_models", of, **over),
    ]
    notices = of_failures(site.ask("runs_of_dataset", dataset_id=of).rows)
    return {"dataset": dataset, "notices": notices, "shown": {shown.name: shown for shown in exhibits}}
