"""The proof of an episode: doing nothing earns 0, the oracle earns 1, and the oracle with anything missing or changed earns less.

After the oracle has earned 1, its result is spoiled: a file beside it is deleted, and one more part of a file that it touched is changed.
The damage must be named each time, and must earn 0.

The oracle itself must finish. An oracle with something missing or changed may get stuck: what counts is the reward of the state that it leaves.
An oracle with a missing line mostly waits for an element that never comes, so it waits less long. With another value it has everything it needs
and the usual time: otherwise a slow dialog would count as a difference.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from atomic_tasks.catalog import Catalog
from compositions.model import Composition
from eval_flows.episodes.compose import values_of
from eval_flows.episodes.desk import Desk
from eval_flows.episodes.episode import Episode, made_episode
from eval_flows.episodes.fill import place
from eval_flows.episodes.judging import CHECK_SECONDS, Before, Judged, judge, look_before
from eval_flows.episodes.oracle import ELEMENT_SECONDS, OracleStuck, expanded, is_waiting
from eval_flows.episodes.side_effects.home import look_at_home
from eval_flows.episodes.side_effects.spoil import spoils
from eval_flows.episodes.stage import do_step, prepare
from machines.image import Image
from machines.sandbox import Sandbox

_TWICE = 2
_LACKING_SECONDS = 2.5  # how long an oracle with a missing line waits for an element
_LACKING_CHECK_SECONDS = 1.0
_OTHER_VALUES = 12  # the most draws to find another value of an argument
Kind = Literal["nothing", "oracle", "spoiled oracle", "without line", "without step", "changed argument"]


class Trial(BaseModel):
    """One run of a proof, whether its result is right, and otherwise what was seen."""

    model_config = ConfigDict(frozen=True)
    kind: Kind
    what: str
    reward: float
    passed: bool
    seen: str = ""


@dataclass(frozen=True)
class _Run:
    """A run to make: what the oracle does (None for doing nothing), and which line of which step is left out."""

    kind: Kind
    what: str
    oracle: Episode | None
    steps: Sequence[int] = ()
    line: tuple[int, int] | None = None


def prove(episode: Episode, changed: dict[str, Episode], image: Image) -> list[Trial]:
    """Return every trial of the episode; `changed` holds, by argument, the same episode with another value for it.

    An infeasible episode has nothing to carry out: only the reward's rule, that doing nothing earns 0, can be shown.
    """
    if episode.infeasible is not None:
        return []
    return [trial for run in _runs(episode, changed) for trial in _tried(episode, run, image)]


def _runs(episode: Episode, changed: dict[str, Episode]) -> Iterator[_Run]:
    first = 1 if episode.steps[0].preload is not None else 0
    todo = [number for number in range(first, len(episode.steps)) if episode.steps[number].oracle]
    for again in range(_TWICE):
        yield _Run("nothing", f"{again + 1}", None)
        yield _Run("oracle", f"{again + 1}", episode, todo)
    if episode.level == "L1":
        for number in todo:
            for line, entry in enumerate(expanded(episode.steps[number].oracle)):
                if not is_waiting(entry):
                    yield _Run("without line", f"{episode.steps[number].task}: {entry}", episode, todo, (number, line))
    for number in todo if len(todo) > 1 else ():
        yield _Run("without step", episode.steps[number].task, episode, [other for other in todo if other != number])
    for name, other in changed.items():
        yield _Run("changed argument", f"{name}: {episode.values[name]} to {other.values[name]}", other, todo)


def _tried(episode: Episode, run: _Run, image: Image) -> Iterator[Trial]:
    with Sandbox(image) as machine:
        desk = Desk(machine.client, image)
        stuck = ""
        if run.oracle is not None and run.oracle is not episode:
            prepare(desk, _with_setup_of(run.oracle, episode))
        else:
            prepare(desk, episode)
        before = look_before(desk, episode)
        has_all = run.kind in ("oracle", "changed argument")
        seconds, check_seconds = (ELEMENT_SECONDS, CHECK_SECONDS) if has_all else (_LACKING_SECONDS, _LACKING_CHECK_SECONDS)
        for number in run.steps if run.oracle else ():
            assert run.oracle is not None
            try:
                do_step(desk, run.oracle.steps[number], run.line[1] if run.line and run.line[0] == number else None, seconds)
            except OracleStuck as error:
                stuck = str(error)
                break
        judged = judge(desk, episode, before, check_seconds)
        is_last_oracle = run.kind == "oracle" and run.what == f"{_TWICE}"
        spoiled = list(_spoiled(desk, episode, before)) if is_last_oracle and judged.reward == 1 else []
    got = judged.reward if run.kind == "oracle" else judged.by_checks  # damage must not hide a check that sees too little
    wanted = {"oracle": got == 1 and not stuck, "nothing": got == 0 and not judged.side_effects}.get(run.kind, got < 1)
    yield Trial(kind=run.kind, what=run.what, reward=got, passed=wanted, seen="" if wanted else _seen(stuck, judged))
    yield from spoiled


def _spoiled(desk: Desk, episode: Episode, before: Before) -> Iterator[Trial]:
    """Make damage after the oracle, one at a time, and yield the trials: it must be named, and must cost the reward."""
    after = look_at_home(desk, episode.changes.paths, with_contents=False)
    for spoil in spoils(before.home, after, episode.changes, lambda path: desk.client.file(place(path))):
        _put(desk, spoil.path, spoil.content)
        judged = judge(desk, episode, before, 0)
        passed = judged.reward == 0 and any(one.startswith(spoil.path) for one in judged.side_effects)
        what = f"{spoil.path} {'deleted' if spoil.content is None else 'changed' if spoil.before is not None else 'made'}"
        yield Trial(kind="spoiled oracle", what=what, reward=judged.reward, passed=passed, seen="" if passed else _seen("", judged))
        _put(desk, spoil.path, spoil.before)


def _put(desk: Desk, path: str, content: bytes | None) -> None:
    if content is None:
        desk.client.execute(["rm", "--force", place(path)])
    else:
        desk.client.upload(place(path), content)


def _with_setup_of(changed: Episode, original: Episode) -> Episode:
    """Return the changed episode with the setup of both, the original's last: the checks look at the original's files."""
    setup = tuple(entry for one in (changed, original) for step in one.steps for entry in step.setup)
    first = changed.steps[0].model_copy(update={"setup": setup})
    return changed.model_copy(update={"steps": (first, *(step.model_copy(update={"setup": ()}) for step in changed.steps[1:]))})


def _seen(stuck: str, judged: Judged) -> str:
    checks = [f"{'holds' if one.holds else 'fails'} {one.entry} got {one.got!r:.200}" for one in judged.checked]
    return "; ".join([*([f"stuck: {stuck}"] if stuck else []), *(f"side effect: {one}" for one in judged.side_effects), *checks])


def changed_episodes(
    composition: Composition, episode: Episode, catalog: Catalog, *seed: str | int, handed: Collection[str] = ()
) -> dict[str, Episode]:
    """Return, for each argument that the oracle or a check uses, the episode with another value for it alone.

    `handed` is as in `made_episode`.
    """
    found = {}
    for name in composition.arguments:
        for draw in range(_OTHER_VALUES):
            other = values_of(composition, catalog, *seed, "changed", name, draw)[name]
            if other != episode.values[name]:
                changed = made_episode(composition, {**episode.values, name: other}, catalog, episode.level, episode.instruction, handed)
                if _done(changed) != _done(episode):
                    found[name] = changed
                break
    return found


def _done(episode: Episode) -> list[tuple[Any, ...]]:
    return [(step.preload, step.oracle, step.check) for step in episode.steps]
