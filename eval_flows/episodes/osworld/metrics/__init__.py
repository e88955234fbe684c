"""The metrics of OSWorld and Windows Agent Arena, under their names, written from their described behaviour."""

from collections.abc import Mapping
from importlib.util import find_spec
from types import MappingProxyType

from machines.errors import MachineNeeds

if lacking := [package for package in ("av", "cssselect", "pptx") if find_spec(package) is None]:
    raise MachineNeeds(f"the metrics of OSWorld need the Python packages {', '.join(lacking)} on this host: pip install 'deskmill[osworld]'")

from eval_flows.episodes.osworld.metrics import (
    browser,
    code,
    files,
    general,
    gimp,
    in_machine,
    mail,
    slide_checks,
    slides,
    sounds,
    system,
    tables,
    trees,
    vlc,
    writer,
    writer_formats,
)
from eval_flows.episodes.osworld.metrics.metric import Metric, Metrics, TaskError, guarded
from eval_flows.episodes.osworld.metrics.theirs import DIFFERING, TheirCrash

FAMILIES = (general, trees, tables, writer, writer_formats, slides, slide_checks, gimp, vlc, sounds, browser, mail, code, in_machine, files, system)

METRICS: Metrics = MappingProxyType({name: guarded(metric) for family in FAMILIES for name, metric in family.METRICS.items()})
"""By the name that `func` gives: metric(result, expected, **options) or metric(result, **options). The share from 0 to 1; 0 for a result that is
missing or broken; `TaskError` if the rules of the task are wrong."""

THEIRS: Metrics = MappingProxyType({**METRICS, **{name: guarded(metric, (TheirCrash,), False) for name, metric in DIFFERING.items()}})
"""The same names, with their mistakes where ours differ. They raise `TheirCrash` where theirs crash."""

_NOT_TOLD = "its name alone is known: what it compares, and how exactly, is not"

MISSING: Mapping[str, str] = MappingProxyType(
    {
        "check_python_file_by_gold_file": "does nothing in OSWorld",
        "get_unique_train_ids": "is no metric in OSWorld: it gives names and a number",
        "infeasible": "is no metric: only the answer FAIL earns 1",
        "compare_docx_paper_records": "gives the share of the expected references that are found; when one counts as found is not known",
        "compare_references_gain": "gives how much references gained on those before; how the gain is reckoned is not known",
        "compare_pdf_form_fields": _NOT_TOLD,
        "compare_table_records": _NOT_TOLD,
        "compare_epub_semantic": _NOT_TOLD,
        "compare_pptx_files_tolerant": _NOT_TOLD,
        "compare_pptx_files_robust": _NOT_TOLD,
        "check_continuation_line_indent_no_bullet": _NOT_TOLD,
    }
)
"""Functions of theirs that are not here, with why."""

__all__ = ["FAMILIES", "METRICS", "MISSING", "THEIRS", "Metric", "Metrics", "TaskError", "TheirCrash"]
