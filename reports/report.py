"""The report: a site in a folder that opens from disk. It is written aside and swapped in, so a killed process leaves the old site."""

import shutil
from pathlib import Path

from reports.explorer import write_explorer
from reports.explorer_prompts import PromptOf
from reports.pages.applications import write_applications
from reports.pages.comparisons import write_comparisons
from reports.pages.datasets import write_datasets
from reports.pages.episodes import write_episodes
from reports.pages.models import write_models
from reports.pages.overview import write_overview
from reports.pages.people import write_people
from reports.pages.runs import write_runs
from reports.pages.sweeps import write_sweeps
from reports.questions import compute_views_once
from reports.site import Site
from warehouse.layout import DataFolder, fetch, written_folder
from warehouse.query import connect


def write_report(data: DataFolder, prompt_of: PromptOf | None = None) -> Path:
    """Write the site from the current warehouse; return the path of its first page. WarehouseError if there is no warehouse.

    `prompt_of` returns the messages of a model call by its id, for the pages of tasks.
    """
    connection = connect(data.warehouse)
    try:
        with data.locked("report"):
            _sweep(data)
            fetch(data.runs)
            with written_folder(data.report) as folder:
                write_site(Site(connection, folder), data.runs, prompt_of)
    finally:
        connection.close()
    return data.report / "index.html"


def write_site(site: Site, runs: Path, prompt_of: PromptOf | None = None) -> None:
    """Write every page, with its figures and tables; datasets are never mixed. `runs` is the folder of runs, with the pictures of episodes."""
    compute_views_once(site.connection)
    datasets = site.ask("shown_datasets").rows
    write_overview(site, datasets)
    write_models(site, datasets)
    write_comparisons(site, datasets)
    write_applications(site, datasets)
    write_datasets(site, datasets)
    for dataset in datasets:
        write_runs(site, dataset["dataset_id"])
    write_episodes(site, runs)
    write_sweeps(site)
    write_people(site)
    write_explorer(site.connection, site.folder, site.layout, prompt_of=prompt_of)


def _sweep(data: DataFolder) -> None:
    """Remove the half-written sites of killed reports; call it only under the lock of the report."""
    for ending in ("tmp", "old"):
        for left in data.root.glob(f".{data.report.name}.*.{ending}"):
            shutil.rmtree(left)
