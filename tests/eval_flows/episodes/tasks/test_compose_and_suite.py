"""Protects episodes before they are played: how tasks are put together, what is checked and said, and which suites are refused with all that is wrong."""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

from atomic_tasks.catalog import Catalog
from atomic_tasks.executable import texts_in
from atomic_tasks.names import named_in
from atomic_tasks.problems import BadInput
from atomic_tasks.schema import placeholders
from eval_flows.episodes.environment import reward
from eval_flows.episodes.environment.reward import Before
from eval_flows.episodes.environment.side_effects.home import Home
from eval_flows.episodes.proofs.proving import subject_of
from eval_flows.episodes.tasks.compose import NotComposed, sequence, single
from eval_flows.episodes.tasks.fill import fill
from eval_flows.episodes.tasks.needs import refuse_if_lacking
from eval_flows.episodes.tasks.suite import read_suite, suite_tasks, tasks_of
from eval_flows.episodes.tasks.suite_task import ComposedTask, SuiteTask
from eval_flows.episodes.tasks.task import STEP_BUDGETS, Task, TaskStep
from machines.errors import MachineNeeds
from machines.machine import Offers, Program
from tests.eval_flows.episodes.conftest import HEAD, Listed
from tests.eval_flows.episodes.desktops import OFFERS, desktop

Suite = Callable[..., list[SuiteTask]]


@pytest.fixture
def suite(catalog: Catalog, listed: Listed) -> Suite:
    """The episodes of a suite of these lines."""
    return lambda *lines, head=HEAD: suite_tasks(read_suite(listed(*lines, head=head)), catalog)


def ids(steps: Any) -> list[str]:
    return [step.task if isinstance(step.task, str) else step.task.id for step in steps]


def test_what_opens_comes_before_and_what_saves_after(catalog: Catalog) -> None:
    composition = single(catalog, catalog.tasks["mousepad.append_line"], Random(1))
    assert ids(composition.steps) == ["mousepad.open_text_file", "mousepad.append_line", "mousepad.save_text_file"]


def test_tasks_of_one_file_share_it_and_keep_their_own_arguments(catalog: Catalog) -> None:
    composition = sequence(catalog, ["mousepad.append_line", "mousepad.replace_word"], Random(1))
    assert ids(composition.steps) == ["mousepad.open_text_file", "mousepad.append_line", "mousepad.replace_word", "mousepad.save_text_file"]
    assert {name for name in composition.arguments if "text_file" in name} == {"text_file"}


def test_the_same_task_twice_has_arguments_of_its_own(catalog: Catalog) -> None:
    composition = sequence(catalog, ["mousepad.append_line", "mousepad.insert_item", "mousepad.append_line"], Random(1))
    assert {"jotting", "jotting_2", "item", "text_file"} <= set(composition.arguments)


def test_what_nothing_gives_is_said(catalog: Catalog) -> None:
    task = catalog.tasks["mousepad.append_line"].model_copy(update={"needs": ("flown(text_file)",)})
    with pytest.raises(NotComposed, match=r"mousepad.append_line: no executable task gives what it needs \(flown\(text_file\)\)"):
        single(catalog, task, Random(1))


def test_values_fill_texts_and_other_braces_stay() -> None:
    declared = {"text": ["{file}", {"{file}": '{"a": {}}'}], "number": 3, "other": "{unknown}"}
    assert fill(declared, {"file": "a.txt"}) == {"text": ["a.txt", {"a.txt": '{"a": {}}'}], "number": 3, "other": "{unknown}"}
    place = desktop().place
    assert place("Documents/a") == "/home/agent/Documents/a" and place("/tmp/a") == "/tmp/a"


def test_levels_have_the_budgets_of_the_paper_and_ids_follow_the_content(suite: Suite) -> None:
    one, two = suite("{level: L1, tasks: [mousepad.append_line]}", "{level: L2, tasks: [mousepad.append_line, mousepad.replace_word]}")
    assert [STEP_BUDGETS[level] for level in ("L1", "L2", "L3")] == [35, 55, 100] == [35, two.task.budget, 100] and one.task.budget == 35
    (again,) = suite("{level: L1, tasks: [mousepad.append_line]}")
    assert again.task == one.task and again.task.episode_id == one.task.episode_id
    changed = one.task.model_copy(update={"instruction": "Do it."})
    assert len({one.task.episode_id, two.task.episode_id, changed.episode_id}) == 3
    (other,) = suite("{level: L1, tasks: [mousepad.append_line], seed: 5}")
    assert other.task.episode_id != one.task.episode_id


def test_what_a_later_step_ends_is_not_checked(suite: Suite, catalog: Catalog) -> None:
    (made,) = suite("{level: L2, tasks: [galculator.widen_buttons, galculator.set_degrees]}")
    assert isinstance(made, ComposedTask)
    steps = made.composition.steps
    for number, step in enumerate(steps):
        ended = any(set(step.gives) & set(after.ends) for after in steps[number + 1 :])
        assert bool(made.task.steps[number].check) == (bool(step.task.check) and not ended)


def test_what_an_earlier_step_makes_is_not_set_up_for_a_later_one(suite: Suite, catalog: Catalog) -> None:
    line = "{level: L3, steps: [{task: thunar.open_folder}, {task: thunar.create_folder}, {task: mousepad.file_note}]"
    (handed,) = suite(f"{line}, handed: [new_folder]}}")
    (apart,) = suite(f"{line}}}")
    folder = f"Documents/{handed.task.values['target_folder']}/{handed.task.values['new_folder']}"
    assert apart.task.steps[2].setup == ({"folder": folder},) and handed.task.steps[2].setup == ()
    assert handed.task.steps[0].setup == apart.task.steps[0].setup, "what the first step needs is made"
    assert all(not other.steps[2].setup for other in handed.changed(catalog).values())
    with pytest.raises(
        BadInput, match=r"episodes\[0\]: handed: no two steps share an argument 'jotting'; there are target_folder, new_folder, jotting"
    ):
        suite(f"{line}, handed: [jotting]}}")


def test_every_task_that_can_be_proven_alone_stands_alone_in_desktop_in_singles_or_in_windows_once(catalog: Catalog) -> None:
    alone = Counter(
        entry.tasks[0] for name in ("desktop", "singles", "windows") for entry in read_suite(name).episodes if entry.level == "L1" and entry.tasks
    )
    can = {task.id for task in catalog.tasks.values() if task.is_executable and task.check and not task.infeasible}
    infeasible = {task.id for task in catalog.tasks.values() if task.infeasible}
    assert set(alone) - infeasible == can and set(alone.values()) == {1}


@pytest.mark.parametrize("name", ["smoke", "desktop", "singles", "windows"])
def test_the_suites_say_every_checked_value_and_name_no_application(name: str, catalog: Catalog) -> None:
    for made in suite_tasks(read_suite(name), catalog):
        text = made.task.instruction.casefold()
        for step in made.composition.steps if isinstance(made, ComposedTask) else ():
            for checked in texts_in(step.task.check):
                for argument in (one for one in placeholders(checked) if one in step.task.arguments):
                    assert made.task.values[step.names.get(argument, argument)].casefold() in text, made.task.instruction
        left = text
        for value in made.task.values.values():
            left = left.replace(value.casefold(), "")
        for application in (catalog.applications[one] for one in made.task.applications):
            assert named_in(left, application) is None, made.task.instruction


@pytest.mark.parametrize("name", ["desktop", "windows"])
def test_every_episode_has_another_way_and_two_near_misses(name: str, catalog: Catalog) -> None:
    """So a proof shows that its checks judge results and not paths, and tell plausible mistakes."""
    feasible = [one for one in suite_tasks(read_suite(name), catalog) if one.task.infeasible is None]
    assert not [one.lineage for one in feasible if not one.ways(catalog) or len(one.near_misses(catalog)) < 2]


def test_a_machine_that_lacks_what_a_suite_needs_is_refused_in_one_line_that_names_it() -> None:
    suite, tasks = read_suite("smoke"), tasks_of("smoke")
    programs = {name: Program(command=[name], window_class=name) for name in ("mousepad", "galculator", "thunar")}
    whole = replace(OFFERS, programs=programs)
    refuse_if_lacking("smoke", suite, tasks, "own", whole)
    bare = Offers(
        "windows",
        "Docker",
        "C:/Users/Docker",
        (800, 600),
        {"mousepad": programs["mousepad"]},
        whole.actions - {"drag"},
        frozenset({"screenshot"}),
        False,
        False,
    )
    with pytest.raises(MachineNeeds) as refused:
        refuse_if_lacking("smoke", suite, tasks, "own", bare)
    assert str(refused.value) == (
        "the suite 'smoke' cannot be played on this machine of kind 'own', which lacks: the platform linux (it has windows); the programs galculator, thunar; "
        "the actions drag; observations with tree, windows, clipboard; a way to fetch files for the checks; a way to run commands for the checks"
    )


def test_a_suite_of_windows_is_refused_elsewhere_with_what_to_do() -> None:
    suite, tasks = read_suite("windows"), tasks_of("windows")
    with pytest.raises(MachineNeeds) as refused:
        refuse_if_lacking("windows", suite, tasks, "sandbox", OFFERS)
    assert str(refused.value) == (
        "the suite 'windows' cannot be played on this machine of kind 'sandbox', which lacks: the platform windows (it has linux); "
        "the programs calculator, file_explorer, microsoft_edge, notepad, paint, windows_settings. "
        "Play it on a Windows machine of yours: --machine remote --machine-option file FILE (docs/windows.md)"
    )


def test_a_task_of_another_platform_is_refused(suite: Suite) -> None:
    with pytest.raises(BadInput, match=r"episodes\[0\]: paint.flip_image is a task of platform windows, and the suite is for linux"):
        suite("{level: L1, tasks: [paint.flip_image]}")


@pytest.mark.parametrize("head", [HEAD.replace("image: smoke\n", ""), HEAD.replace("image: smoke", "image: smoke\nplatform: windows")])
def test_only_a_suite_of_windows_has_no_image(suite: Suite, head: str) -> None:
    with pytest.raises(BadInput, match="a suite of platform linux names its image; one of windows has none"):
        suite("{level: L1, tasks: [mousepad.append_line]}", head=head)


def test_what_a_task_asks_in_an_episode_stands_in_no_data_set(catalog: Catalog) -> None:
    task = catalog.tasks["paint.resize_image"]
    assert task.asks and "asks" not in task.model_dump()
    (asked,) = [one.task for one in suite_tasks(read_suite("windows"), catalog) if one.task.steps[-1].task == task.id]
    assert "50%" in asked.instruction, "its other phrasings leave open how large"
    assert set(task.arguments) == {"image", "percent"} and set(asked.values) == {"image"}, "the percent of the other phrasings is another one"


def test_no_path_of_one_machine_stands_in_a_task(catalog: Catalog) -> None:
    for name in ("smoke", "desktop", "professional", "singles", "windows"):
        for made in suite_tasks(read_suite(name), catalog):
            assert "/home/" not in made.task.model_dump_json(), made.task
            elsewhere = made.task.on("/Users/somebody")
            assert "{home}" not in elsewhere.model_dump_json() and elsewhere.on("/home/agent") == elsewhere
            assert ("/Users/somebody" in elsewhere.model_dump_json()) == ("{home}" in made.task.model_dump_json())


def test_no_path_of_one_machine_stands_in_other_ways_and_near_misses(catalog: Catalog) -> None:
    for made in suite_tasks(read_suite("professional"), catalog):
        if made.task.infeasible is None:
            subject = subject_of(made, catalog)
            assert not [one.words for one in (*subject.ways, *subject.near_misses) if "/home/" in one.task.model_dump_json()], made.lineage


def step(application: str, *checks: str) -> TaskStep:
    entries = tuple({"text": name, "is": "done"} for name in checks)
    return TaskStep(task="t", application=application, program=application, setup=(), preload=None, oracle=(), check=entries)


def rewarded(level: Any, steps: list[TaskStep], *done: str) -> float:
    task = Task(level=level, discipline="", instruction="", values={}, steps=tuple(steps))
    return reward.rewarded(desktop(dict.fromkeys(done, b"done")), task, Before({}, Home({})), seconds=0).value


def test_two_levels_earn_all_or_nothing_and_the_third_by_phases() -> None:
    steps = [step("editor", "a"), step("editor"), step("editor", "b"), step("files"), step("sheet", "c"), step("editor", "d")]
    for level in ("L1", "L2"):
        assert rewarded(level, steps, "a", "b", "c", "d") == 1 and rewarded(level, steps, "a", "b", "c") == 0
    assert rewarded("L3", steps, "a", "b", "c", "d") == 1
    assert rewarded("L3", steps, "a", "c", "d") == pytest.approx(2 / 3), "half a phase is no phase"
    assert rewarded("L3", steps, "b") == 0 and rewarded("L3", steps, "d") == pytest.approx(1 / 3)
    assert rewarded("L3", [step("editor")]) in (0, 1), "an infeasible episode checks nothing"


def test_everything_wrong_with_a_suite_is_said_at_once_with_what_to_do(suite: Suite) -> None:
    lines = (
        "{level: L1, tasks: [mousepad.apend_line]}",
        "{level: L1, tasks: [excel.sum_column]}",
        "{level: L1, tasks: [libreoffice_calc.sum_column]}",
    )
    with pytest.raises(BadInput) as error:
        suite(*lines, "{level: L1, tasks: [gimp_linux.nothing]}", head=HEAD)
    said = str(error.value).splitlines()
    assert len(said) == 4
    assert said[0] == "episodes[0]: unknown atomic task 'mousepad.apend_line'; did you mean mousepad.append_line?"
    assert all(line.startswith(f"episodes[{number}]: ") for number, line in enumerate(said))
    with pytest.raises(BadInput) as error:
        suite(*lines, head=HEAD.replace("smoke", "smok"))
    assert "there is no image 'smok' in machines/desktop.yaml; there are desktop, smoke" in str(error.value) and "apend_line" in str(error.value)


def test_a_program_that_the_image_lacks_is_said_with_what_to_do(suite: Suite, catalog: Catalog) -> None:
    task = next(task.id for task in catalog.applications["libreoffice_calc"].tasks if task.oracle and not task.generic)
    with pytest.raises(BadInput, match=rf"episodes\[0\]: {task} needs libreoffice_calc, which image 'smoke' lacks: add it to machines/desktop.yaml"):
        suite(f"{{level: L1, tasks: [{task}]}}")
    with pytest.raises(BadInput, match="excel.sum_column has no oracle: it cannot be done on a machine"):
        suite("{level: L1, tasks: [excel.sum_column]}")


def test_an_episode_twice_and_one_that_checks_nothing_are_refused(suite: Suite) -> None:
    with pytest.raises(BadInput, match=r"episodes\[1\]: the same episode is listed before; give it another seed"):
        suite("{level: L1, tasks: [mousepad.append_line]}", "{level: L1, tasks: [mousepad.append_line]}")
    with pytest.raises(BadInput, match=r"episodes\[0\]: nothing is checked at its end"):
        suite("{level: L1, tasks: [mousepad.open_text_file]}")


def test_what_is_listed_as_unproven_is_an_episode(suite: Suite) -> None:
    with pytest.raises(BadInput, match="unproven: no episode has the id 0123; did the episode change since it was listed"):
        suite("{level: L1, tasks: [mousepad.append_line]}", head=HEAD.replace("episodes:", "unproven: ['0123']\nepisodes:"))


@pytest.mark.parametrize("name", ["smoke", "desktop"])
def test_at_most_a_fiftieth_of_what_agents_are_compared_on_stands_unproven(name: str) -> None:
    suite = read_suite(name)
    assert len(suite.unproven) <= 0.02 * len(suite.episodes)


def test_steps_that_would_overwrite_what_another_needs_are_refused(suite: Suite) -> None:
    with pytest.raises(BadInput, match=r"episodes\[0\]: vlc_linux.open_track and vlc_linux.convert_to_flac both set up Music/\S+, but differently"):
        suite("{level: L2, steps: [{task: vlc_linux.open_track}, {task: vlc_linux.convert_to_flac}]}", head=HEAD.replace("smoke", "desktop"))


@pytest.mark.parametrize(
    ("line", "said"),
    [("{level: L9, tasks: [mousepad.append_line]}", "level"), ("{level: L1}", "give either tasks or steps"), ("{level: L1, task: [x]}", "unknown key 'task'")],
)  # fmt: skip
def test_mistakes_of_form_are_said_with_their_line(suite: Suite, line: str, said: str) -> None:
    with pytest.raises(BadInput, match=r"small.yaml:6") as error:
        suite(line)
    assert said in str(error.value)


def test_an_unknown_suite_is_said_with_those_there_are() -> None:
    with pytest.raises(BadInput, match=r"there is no suite 'smok'; did you mean smoke\? \(there are .*smoke"):
        read_suite("smok")
