"""The pages of episodes: one over all runs of agents on desktops, and one for each run with a contact sheet of its episodes."""

import shutil
from pathlib import Path
from typing import Any

from reports.exhibits import Column, Shown
from reports.figures import success_by_application
from reports.pages.episode import EpisodePages
from reports.pages.notices import counted
from reports.pages.runs import in_words
from reports.pictures import Picture, Pictures
from reports.site import Site

_ASSETS = Path(__file__).parent.parent / "assets" / "episodes"
_OVER_RUNS = ("episode_table_2", "episode_table_3", "episode_table_4", "episode_osworld", "episode_repeats", "episode_costs")
_OF_RUN = ("suite_run_slices", "suite_run_statuses", "suite_run_repeats", "suite_run_cost", "suite_run_faults", "suite_run_episodes")
_SCRIPTED = "This run was played by a script, which asks no model. Its figures say nothing about agents that see and decide."
_FILTERS = {"level": "Level", "application": "Application", "difficulty": "Difficulty", "subfield": "Subfield", "outcome": "Outcome"}


def write_episodes(site: Site, runs: Path) -> None:
    """Write episodes/index.html, episodes/<run_id>.html, and episodes/<run_id>/<episode_id>_<repeat>.html with the pictures in the folder `runs`."""
    shown = {"episode_runs": site.table("episode_runs")}
    listed = shown["episode_runs"].answer.rows
    if listed:
        shutil.copytree(_ASSETS, site.folder / "assets" / "episodes")
        shown |= {name: site.table(name) for name in _OVER_RUNS} | {"episode_applications": _by_application(site)}
        shown |= {f"success_{level}": site.figure("episode_figure_5", success_by_application, level, level=level) for level in ("L1", "L2")}
    notices = [notice for run in listed for notice in _notices(run, f"the run {run['agent']} on {run['suite']}") if not run["played"]]
    site.page("episodes/index.html", "Episodes", "episodes.html.j2", "Episodes", shown=shown, notices=notices)
    for run in listed:
        _write_run(site, run["run_id"], Pictures(runs, run["run_id"], site.folder))


def _by_application(site: Site) -> Shown:
    """Return the table with a column for each application that was played."""
    answer = site.ask("episode_applications")
    ending = "_success"
    names = [key.removesuffix(ending) for key in answer.rows[0] if key.endswith(ending) and key != f"all{ending}"]
    columns = tuple(Column(f"{name}{ending}", name.replace("_", " "), "figure", interval=True) for name in names)
    return site.table_of("episode_applications", answer, more=columns)


def _write_run(site: Site, run_id: str, pictures: Pictures) -> None:
    facts = site.ask("suite_run_facts", run_id=run_id).rows[0]
    facts["settings"] = None if facts["settings"] is None else in_words(facts["settings"])
    shown = {name: site.table(name, run_id, run_id=run_id) for name in _OF_RUN}
    episodes = shown["suite_run_episodes"].answer.rows
    names = [f"{row['episode_id']}_{row['repeat']}" for row in episodes]
    beside = zip([None, *names], names, [*names[1:], None], strict=False)
    pages, cards = EpisodePages(site, run_id), []
    for row, (before, name, after) in zip(episodes, beside, strict=True):
        screens = pictures.of(name)
        pages.write(row, screens, {"Previous episode": before, "Next episode": after})
        cards.append({**row, "name": name, "picture": _last(screens)})
    values = {key: sorted({row[key] for row in episodes} - {None}) for key in _FILTERS}
    filters = {key: (title, values[key]) for key, title in _FILTERS.items() if values[key]}
    title = f"{facts['agent']} on {facts['suite']}"
    notices = [*([_SCRIPTED] if facts["is_scripted"] else []), *_notices(facts, "this run")]
    site.page(
        f"episodes/{run_id}.html", title, "suite_run.html.j2", "Episodes",
        facts=facts, notices=notices, shown=shown, cards=cards, filters=filters,
    )  # fmt: skip


def _last(screens: Any) -> Picture | None:
    return screens[max(screens)][-1] if screens else None


def _notices(run: dict[str, Any], called: str) -> list[str]:
    """Return the notices that a reader must know before the figures of a run."""
    faults = run["faults"]
    if not faults:
        return []
    again = "`deskmill episodes` with the same suite and agent plays {} again."
    if not run["played"]:
        what = f"Every episode of {called} ({faults:,}) was a fault of the infrastructure, so nothing is known about the agent."
        return [f"{what} {again.format('them')}"]
    was, it_counts, it = ("was a fault", "It counts", "it") if faults == 1 else ("were faults", "They count", "them")
    return [f"{counted(faults, 'episode')} {was} of the infrastructure. {it_counts} as such, and in no other figure; {again.format(it)}"]
