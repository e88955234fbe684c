"""The Prefect flow that runs an agent over a suite. Its workers are processes, watched by the wall clock, as on the command line."""

from typing import Literal

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from eval_flows.episodes.agents.choice import AgentChoice, Prompt
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.environment import picture_form
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes
from language_models.registry import find_endpoint
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of
from warehouse.run_page import artifact_key, places


@flow(name="run-episodes")
def run_episodes(
    suite: str = "desktop",
    agent: str | None = None,
    workers: int = 2,
    repeats: int = 1,
    start: Literal["preloaded", "bare"] = "preloaded",
    machine: str = "sandbox",
    model: str | None = None,
    base_url: str | None = None,
    prompt: Prompt = "react",
    observe: str = "tree",
    picture: str = "native,png,pointer",
    budget: float | None = None,
    ask_anew: str | None = None,
) -> str:
    """Play the suite, load the warehouse, leave artifacts with success, cost and links, and return the run's id."""
    logger = get_run_logger()
    data = DataFolder.from_environment()

    def progress(stage: str, done: int, total: int, note: str = "") -> None:
        logger.info("%s: %s of %s %s", stage, done, total, note)

    endpoint = find_endpoint(model, base_url, edition=ask_anew, own=data.models) if model else None
    asked = agent or ("oracle" if model is None else "model")
    chosen = AgentChoice(asked, model=model, prompt=prompt, observation=observation_choice(observe, suite))
    options = EpisodeOptions(workers, repeats, start, machine, endpoint=endpoint, budget=budget, form=picture_form(picture))
    run = evaluate_episodes(suite, chosen, options, data, progress)
    if run.ended_early:
        logger.warning(run.ended_early)
    faults = sum(row["fault"] is not None for row in run.rows)
    if faults:
        logger.warning("%s episodes ended in a fault of the infrastructure; run the same flow again to retry them", faults)
    leave_artifacts(suite, run, data)
    return run.run_id


def leave_artifacts(suite: str, run: SuiteRun, data: DataFolder) -> None:
    """Put on the run page what people want to see of the run: success by slices, cost, and links."""
    connection = connect(data.warehouse)
    try:
        success = rows_of(connection, "select * exclude (run_id) from episode_success where run_id = ?", [run.run_id])
        cost = rows_of(connection, "select * exclude (run_id) from episode_cost where run_id = ?", [run.run_id])
    finally:
        connection.close()
    about = f"Episodes of {suite}"
    create_table_artifact(success, key=artifact_key("episodes", suite, "success"), description=f"{about}: success with intervals")
    create_table_artifact(cost, key=artifact_key("episodes", suite, "cost"), description=f"{about}: steps, seconds, tokens and money")
    files = {"report": data.report / "index.html", "trajectories": data.runs / run.run_id / "trajectories"}
    files |= {"page of the run": data.report / "episodes" / f"{run.run_id}.html"}
    create_markdown_artifact(places(files), key=artifact_key("episodes", suite, "links"), description=f"{about}: files")
