"""Protects the pictures of a trajectory: they are the very files that the model was sent, in every form, and the form belongs to the run."""

import base64
import io
import json
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from eval_flows.episodes.agents.choice import AgentChoice
from eval_flows.episodes.agents.observation_source import observation_choice
from eval_flows.episodes.environment import picture_form
from eval_flows.episodes.runs.pipeline import EpisodeOptions, SuiteRun, evaluate_episodes, planned_run
from eval_flows.episodes.runs.store import write_trajectory
from language_models.endpoint import Endpoint
from reports.pictures import Pictures
from tests.conftest import quiet
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.knowing_model import QUICK
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder

ANSWERS = (
    "```python\ncomputer.mouse.single_click(x=0.5, y=0.5)\n```",
    "```python\ncomputer.keyboard.press(key='end')\n```",
    "```decision\nDONE\n```",
)


def played(data: DataFolder, form: str, observe: str) -> tuple[SuiteRun, list[dict[str, Any]]]:
    """A run of a model of three steps, and what it was asked."""

    def reply(request: dict[str, Any]) -> str:
        return ANSWERS[int(request["messages"][1]["content"][0]["text"].partition("Step ")[2].partition(" of")[0]) - 1]

    with fake_server(reply) as server:
        agent = AgentChoice("model", model="m", observation=observation_choice(observe, "small"))
        options = EpisodeOptions(workers=1, endpoint=Endpoint("m", server.base_url, patience=QUICK), form=picture_form(form))
        return evaluate_episodes("small", agent, options, data, quiet), list(server.requests)


@pytest.mark.rotates
@pytest.mark.parametrize(
    ("form", "observe", "counts", "size"),
    [
        ("native,png,pointer", "screenshot", [1, 1, 1], (1280, 800)),
        ("1024,jpeg,pointer,action", "before+screenshot+marks", [2, 3, 3], (1024, 640)),
        ("tiles,jpeg:70,action", "before+screenshot", [4, 8, 8], (640, 400)),
    ],
)
def test_what_the_model_got_is_what_is_kept(
    data: DataFolder, listed: Listed, form: str, observe: str, counts: list[int], size: tuple[int, int]
) -> None:
    listed("{level: L1, tasks: [mousepad.append_line]}")
    run, requests = played(data, form, observe)
    (row,) = run.rows
    name, ending, kind = f"{row['episode_id']}_1", *(("jpg", "jpeg") if "jpeg" in form else ("png", "png"))
    folder = data.runs / run.run_id / "trajectories" / name
    for step, (request, count) in enumerate(zip(requests, counts, strict=True), 1):
        addresses = [part["image_url"]["url"] for part in request["messages"][1]["content"][1:]]
        paths = [folder / (f"{step:03}.{ending}" if count == 1 else f"{step:03}_{place}.{ending}") for place in range(1, count + 1)]
        assert [f"data:image/{kind};base64,{base64.b64encode(path.read_bytes()).decode()}" for path in paths] == addresses
        assert {Image.open(path).size for path in paths} == {size}
    assert len(list(folder.glob(f"*.{ending}"))) == sum(counts)
    told = requests[0]["messages"][0]["content"]
    assert ("red ring" in told) == ("action" in form) and ("not of a part" in told) == ("tiles" in form)
    shown = Pictures(data.runs, run.run_id, data.root).of(name)
    assert [len(pictures) for pictures in shown.values()] == counts
    assert {picture.screen for pictures in shown.values() for picture in pictures} == {None if "tiles" in form else (1280, 800)}
    described = json.loads((data.runs / run.run_id / "suite_run.json").read_text())
    assert picture_form(described["picture"]) == picture_form(form)


def test_another_form_is_another_run(data: DataFolder, listed: Listed) -> None:
    listed("{level: L1, tasks: [galculator.draw_curve]}")
    runs = {
        planned_run("small", AgentChoice("fail"), EpisodeOptions(form=picture_form(form)), data).run_id
        for form in ("pointer", "native,png,pointer", "1024,pointer", "native")
    }
    assert len(runs) == 3


def test_pictures_of_earlier_runs_are_found(tmp_path: Path) -> None:
    file = io.BytesIO()
    Image.new("RGB", (1280, 800)).save(file, "PNG")
    write_trajectory(tmp_path / "run" / "trajectories" / "e_1", {}, [], {1: [file.getvalue()], 2: []})
    shown = Pictures(tmp_path, "run", tmp_path).of("e_1")
    assert list(shown) == [1] and (shown[1][0].width, shown[1][0].screen) == (1280, (1280, 800)) and shown[1][0].address.endswith("001.png")
