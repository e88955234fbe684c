"""Protects that a real browser shows the pages of a mirror at their addresses, by https and without a warning, on a machine that reaches no network."""

from pathlib import Path
from typing import Any

import pytest

from atomic_tasks.catalog import sound_catalog
from eval_flows.episodes.environment import Environment
from eval_flows.episodes.osworld.file_cache import FileCache
from eval_flows.episodes.osworld.importing import Asked, import_suite
from eval_flows.episodes.osworld.mirror.folder import read_mirror
from eval_flows.episodes.proofs.proof import prove
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks
from machines.build import build_image
from machines.image import declared
from machines.machine import MachineChoice
from tests.conftest import REPOSITORY
from tests.eval_flows.episodes.osworld.made import step, task, write
from tests.eval_flows.episodes.osworld.mirror.made import SHOP, made_mirror
from tests.eval_flows.episodes.osworld.mirror.test_serving import OF_IMAGE
from tests.eval_flows.episodes.osworld.test_oracles import oracles
from warehouse.layout import DataFolder

MACHINES = REPOSITORY / "data" / "machines"
# the script of Chromium with what the image `osworld` gives it beside, under a name that no step gives flags to
OF_OSWORLD = [
    step("create_file", path="/tmp/chromium.d/osworld", content=OF_IMAGE.read_text()),
    step(
        "execute", command="sed 's#in /etc/chromium.d/[*]#& /tmp/chromium.d/*#' /usr/bin/chromium >/tmp/browser && chmod +x /tmp/browser", shell=True
    ),
    step("launch", command=["/tmp/browser", "--remote-debugging-port=1337"]),
]
STARTS: dict[str, Any] = {"by the steps of the task": [step("launch", command=declared().programs["chromium"].command)], "by the image": OF_OSWORLD}
ORACLE = "oracles: {web: {steps: [{click: {role: link, name: Lamps}}, {wait_for: {window: Lamps}}]}}"


@pytest.mark.whole  # its image takes 2 GB; test_in_a_browser.py protects the flags and the certificate in CI
@pytest.mark.slow(minutes=1)
@pytest.mark.parametrize("way", STARTS)
def test_the_browser_shows_the_mirror_and_a_task_in_it_is_proven(own_data: DataFolder, tmp_path: Path, way: str) -> None:
    build_image("desktop", MACHINES, print)
    aim = {"type": "rule", "rules": {"type": "url", "url": f"{SHOP}/find?q=lamp"}}
    judge = {"func": "is_expected_active_tab", "result": {"type": "active_tab_info", "goto_prefix": "https://"}, "expected": aim}
    opens = step("chrome_open_tabs", urls_to_open=["https://www.example.com/"])
    made = task(id="web", related_apps=["chrome"], config=[*STARTS[way], opens], evaluator=judge, proxy=True)
    cache, sites = FileCache.of(tmp_path / "cache"), read_mirror(made_mirror(tmp_path / "sites"))
    done_by = oracles(tmp_path / "oracles", ORACLE)
    import_suite(Asked(write(tmp_path / "tasks", {"chrome/web": made}), "web", "desktop", cache, oracles=done_by, mirror=sites), own_data, False)
    (one,) = suite_tasks(read_suite("web"), sound_catalog())
    machine = MachineChoice("sandbox", "desktop", MACHINES)
    with Environment(machine.make()) as environment:
        shown = environment.reset(one.task)
        labels = [element.label for element in shown.elements]
        assert shown.windows[-1].title == "Welcome - Chromium" and {"Lamps", "Welcome", "View site information"} <= set(labels), labels
        assert not [label for label in labels if "Not secure" in label or "unsupported" in label], labels
    trials = prove(subject_of(one, sound_catalog()), machine)
    assert [(trial.kind, trial.passed) for trial in trials] == [("nothing", True), ("oracle", True)] * 2, trials
