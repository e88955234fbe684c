"""The Prefect flow that runs an agent over a suite, with the parameters of the command line.

Its workers are processes of this host, watched by the wall clock. On a cluster of Dask or Ray, each episode is a task of the flow run.
"""

from typing import Literal

from prefect import flow, get_run_logger
from prefect.artifacts import create_markdown_artifact, create_table_artifact

from eval_flows.episodes.agents.choice import AgentChoice, Prompt, Sampling
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.environment import picture_form
from eval_flows.episodes.people.intervention import PeopleChoice, people_choice
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes, runner_of_machines
from eval_flows.episodes.runs.run_log import log_what_is_left, logged_progress
from language_models.endpoint import Interface
from language_models.registry import find_endpoint
from runners.prefect_tasks import in_tasks
from warehouse.layout import DataFolder
from warehouse.query import connect, rows_of
from warehouse.run_page import artifact_key, places


@flow(name="run-episodes")
def run_episodes(
    suite: str = "desktop",
    agent: str | None = None,
    name: str = "",
    agent_options: dict[str, str] | None = None,
    levels: list[str] | None = None,
    limit: int | None = None,
    workers: int = 2,
    runner: str = "processes",
    address: str | None = None,
    repeats: int = 1,
    start: Literal["preloaded", "bare"] = "preloaded",
    machine: str = "sandbox",
    machine_options: dict[str, str] | None = None,
    model: str | None = None,
    base_url: str | None = None,
    interface: Interface | None = None,
    key_variable: str | None = None,
    at_once: int | None = None,
    ask_anew: str | None = None,
    prompt: Prompt = "react",
    observe: str = "tree",
    actions: str = "computer",
    picture: str = "native,png,pointer",
    temperature: float = Sampling.temperature,
    top_p: float = Sampling.top_p,
    model_seconds: float = AgentChoice.seconds_per_step,
    budget: float | None = None,
    people: bool = False,
    ask: bool = False,
    wait_seconds: float = PeopleChoice.wait_seconds,
    people_seconds: float = PeopleChoice.most_seconds,
) -> str:
    """Play the suite, load the warehouse, leave artifacts with success, cost and links, and return the run's id."""
    logger = get_run_logger()
    data = DataFolder.from_environment()
    endpoint = find_endpoint(model, base_url, key_variable, at_once, interface, ask_anew, data.models) if model else None
    asked = agent or ("oracle" if model is None else "model")
    chosen = AgentChoice(
        asked,
        name,
        model=model,
        prompt=prompt,
        observation=observation_choice(observe, suite),
        actions=actions,
        sampling=Sampling(temperature, top_p),
        seconds_per_step=model_seconds,
        options=agent_options or {},
    )
    options = EpisodeOptions(
        workers,
        repeats,
        start,
        machine,
        machine_options or {},
        limit,
        tuple(levels or ()),
        endpoint,
        budget,
        picture_form(picture),
        runner_of_machines(runner, address, workers),
        people_choice(people, ask, wait_seconds, people_seconds),
    )
    run = evaluate_episodes(suite, chosen, options, data, logged_progress(logger), in_tasks)
    log_what_is_left(logger, run.rows, run.ended_early)
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
