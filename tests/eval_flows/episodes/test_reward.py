"""Protects the reward from an agent that plants what a check compares with, or breaks what it was not asked to touch."""

from typing import Any, cast

import pytest

from atomic_tasks.catalog import Catalog
from eval_flows.episodes.checkers.reward import check, sources_of
from eval_flows.episodes.desk import Desk
from eval_flows.episodes.episode import Episode, EpisodeStep
from eval_flows.episodes.judging import Before, judge, look_before
from eval_flows.episodes.side_effects.home import Entry, Home
from eval_flows.episodes.stage import do_step, prepare
from eval_flows.episodes.suite import read_suite, suite_episodes
from machines.image import Image
from machines.sandbox import Sandbox
from tests.eval_flows.episodes.conftest import Listed
from tests.eval_flows.episodes.desks import Files, desk

COPIED = {"text": "copy.txt", "same_as": {"text": "original.txt"}}
PASTED = {"text": "note.txt", "same_as": {"clipboard": {}}}


def home(screen: Desk) -> Files:
    return cast("Files", screen.client)


def test_a_source_that_was_there_counts_as_it_was() -> None:
    screen = desk({"original.txt": b"the real one"})
    before = sources_of(screen, [[COPIED]])
    for planted in (b"", b"anything"):
        for name in ("original.txt", "copy.txt"):
            home(screen).upload(f"/home/agent/{name}", planted)
        assert not check(screen, COPIED, before).holds
    home(screen).upload("/home/agent/copy.txt", b"the real one")
    assert check(screen, COPIED, before).holds, "whatever became of the original: it may have been moved"


def test_the_clipboard_counts_as_it_was() -> None:
    screen = desk({"note.txt": b"mine"}, client={"clipboard": "what was on it"})
    before = sources_of(screen, [[PASTED]])
    home(screen).clipboard = "mine"
    assert not check(screen, PASTED, before).holds


@pytest.mark.parametrize(
    ("there", "earlier"),
    [({}, []), ({"original.txt": b"old"}, [{"lines": "original.txt", "contains": "new"}]), ({"original.txt": b"old"}, [{"csv": {"path": "original.txt"}, "is": []}])],
    ids=["not there yet", "checked by its path", "checked by an entry with a path"],
)  # fmt: skip
def test_a_source_that_an_earlier_step_makes_counts_as_that_leaves_it(there: dict[str, bytes], earlier: list[dict[str, Any]]) -> None:
    screen = desk(there)
    before = sources_of(screen, [earlier, [COPIED]])
    for name in ("original.txt", "copy.txt"):
        home(screen).upload(f"/home/agent/{name}", b"new")
    assert not before and check(screen, COPIED, before).holds


def test_what_the_same_or_a_later_step_checks_does_not_free_a_source() -> None:
    screen = desk({"original.txt": b"the real one"})
    own = {"text": "/home/agent/original.txt", "contains": ""}
    assert list(sources_of(screen, [[own, COPIED], [own]]).values()) == ["the real one"]


PLANTING = {
    "thunar.copy_file": "echo -n > {target_folder}/{reference}; echo -n > {target_folder}/{subfolder}/{reference}",
    "mousepad.paste_clipboard": "printf '\\nmine' >> {text_file}; printf mine | xclip -selection clipboard -i > /dev/null 2>&1",
}


@pytest.mark.slow
@pytest.mark.parametrize("task", PLANTING)
def test_planting_what_the_checker_compares_with_earns_nothing(task: str, listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_episodes(read_suite(listed(f"{{level: L1, tasks: [{task}]}}")), catalog)
    episode = made.episode
    planting = PLANTING[task].format_map({name: f"'{value}'" for name, value in episode.values.items()})
    with Sandbox(image) as machine:
        screen = Desk(machine.client, image)
        prepare(screen, episode)
        before = look_before(screen, episode)
        machine.client.execute(["sh", "-c", f"cd /home/agent/Documents; {planting}"])
        assert judge(screen, episode, Before({}, before.home), 0).by_checks == 1, "it is good enough for whom compares what is there now"
        assert judge(screen, episode, before, 1).by_checks == 0


@pytest.mark.slow
@pytest.mark.parametrize("task", ["thunar.move_file", "thunar.rename_file"])
def test_what_was_moved_is_held_against_what_it_was(task: str, listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_episodes(read_suite(listed(f"{{level: L1, tasks: [{task}]}}")), catalog)
    with Sandbox(image) as machine:
        screen = Desk(machine.client, image)
        done = prepare(screen, made.episode)
        before = look_before(screen, made.episode)
        for step in made.episode.steps[done:]:
            do_step(screen, step)
        assert judge(screen, made.episode, before).reward == 1
        machine.client.execute(["sh", "-c", "cd /home/agent/Documents; find . -name '*.txt' -exec sh -c 'echo else > \"$1\"' - {} ';'"])
        assert judge(screen, made.episode, before, 0).by_checks == 0


def test_damage_earns_nothing_at_every_level_and_is_named() -> None:
    step = EpisodeStep(task="t", application="editor", program="editor", setup=(), preload=None, oracle=(), check=({"text": "a.txt", "is": "done"},))
    entry = Entry("f", "0644", 4, "", "1")
    before = Before({}, Home({"old.txt": entry}))
    for level in ("L1", "L2", "L3"):
        episode = Episode(level=level, discipline="", instruction="", values={}, steps=(step,))
        unchanged = desk({"a.txt": b"done"}, client={"said": "f\t644\t4\t\told.txt\0\0end\x001  ./old.txt\0\0end\0"})
        assert judge(unchanged, episode, before, 0).reward == 1
        judged = judge(desk({"a.txt": b"done"}), episode, before, 0)
        assert (judged.by_checks, judged.reward, judged.side_effects) == (1, 0, ["old.txt deleted"])


@pytest.mark.slow
def test_on_a_machine_what_was_not_asked_for_is_named_and_what_programs_write_is_not(listed: Listed, catalog: Catalog, image: Image) -> None:
    (made,) = suite_episodes(read_suite(listed("{level: L1, tasks: [thunar.make_private]}")), catalog)
    folder, secret = (f"Documents/{made.episode.values['target_folder']}", made.episode.values["secret_file"])
    with Sandbox(image) as machine:
        screen = Desk(machine.client, image)
        done = prepare(screen, made.episode)
        before = look_before(screen, made.episode)
        for step in made.episode.steps[done:]:
            do_step(screen, step)
        assert judge(screen, made.episode, before).side_effects == []
        damage = (
            f"rm recipe.txt; echo more >> handbook.txt; chmod 600 timetable.txt; echo more >> {secret}; mkdir -p New; touch 'New/a b'; ln -s x link"
        )
        machine.client.execute(["sh", "-c", f"cd '/home/agent/{folder}'; {damage}; touch ~/.local/share/recently-used.xbel ~/.cache/more"])
        assert judge(screen, made.episode, before, 0).side_effects == [
            f"{folder}/New/ made",
            *sorted([f'{folder}/{secret}: line {len(before.home.contents[f"{folder}/{secret}"].splitlines()) + 1} added: "more"',
                     f'{folder}/handbook.txt: line 4 added: "more"', f"{folder}/link made", f"{folder}/recipe.txt deleted",
                     f"{folder}/timetable.txt: permissions changed from 0644 to 0600"]),
        ]  # fmt: skip
