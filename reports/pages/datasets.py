"""A page for each dataset: its composition, the diversity of its texts, and the ratings of its quality."""

from reports import figures
from reports.questions import Rows
from reports.site import Site

_TABLES = ("dataset_splits", "dataset_composition", "diversity_by_category", "telling_by_category", "diversity_by_application", "paraphrase_statuses")
_RATED = ("quality_scores", "mixture_scores", "mixture_auc", "mixture_signs")


def write_datasets(site: Site, datasets: Rows) -> None:
    """Write datasets/index.html and datasets/<dataset_id>.html."""
    site.page("datasets/index.html", "Datasets", "datasets.html.j2", "Datasets", datasets=datasets)
    for dataset in datasets:
        of = dataset["dataset_id"]
        shown = {name: site.table(name, of, dataset_id=of) for name in _TABLES + _RATED}
        shown |= {
            "figure_3": site.figure("figure_3", figures.applications_by_category, of, dataset_id=of),
            "text_lengths": site.figure("text_lengths", figures.text_lengths, of, dataset_id=of),
            "step_counts": site.figure("step_counts", figures.step_counts, of, dataset_id=of),
        }
        site.page(f"datasets/{of}.html", f"Dataset {dataset['dataset']}", "dataset.html.j2", "Datasets", dataset=dataset, shown=shown)
