"""A rollout: the row of one trajectory, with its messages as they were sent and answered."""

import hashlib
import json
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from atomic_tasks.problems import BadInput
from eval_flows.episodes.rollouts.described import licences_of
from eval_flows.episodes.runs.store import JPEG, Key, Row, read_trajectory
from language_models.kept import KeptCall, KeptCalls
from language_models.spoken import Picture, Said, message_of, messages_of

_TAKEN = ("run_id", "suite", "episode_id", "level", "applications", "start", "infeasible", "agent", "status", "reward", "is_success", "seconds")
_OF_STEP = ("number", "decision", "actions", "words", "feedback", "seconds")
_PICTURE = re.compile(r"(?P<step>\d+)(_(?P<place>\d+))?\.(png|jpg)")  # a file in the folder of a trajectory


@dataclass(frozen=True)
class Source:
    """What the rollouts of a run are made from: its description, its kept calls, and the seeds of its episodes."""

    described: Mapping[str, Any]
    calls: KeptCalls
    seeds: Mapping[str, str]
    pictures: "Pictures"

    @property
    def is_of_imported_suite(self) -> bool:
        """Tell whether the tasks are those of others: then the code that judges imported tasks is a part of the run's identity."""
        return any(isinstance(one, dict) and "imported" in one for one in self.described.get("checkers", ()))


class Pictures:
    """The pictures of all rollouts: each is kept once, under its hash, and named by its path beside the rows."""

    def __init__(self, folder: Path) -> None:
        """Keep them in `pictures` of a folder."""
        self._folder = folder
        self.names: set[str] = set()

    def kept(self, file: bytes) -> str:
        """Keep a PNG or JPEG file, and return its path."""
        name = f"pictures/{hashlib.sha256(file).hexdigest()[:32]}.{'jpg' if file.startswith(JPEG) else 'png'}"
        if name not in self.names:
            path = self._folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_bytes(file)
            self.names.add(name)
        return name


class _Messages:
    """The different messages of a rollout; a conversation that goes on repeats them, and here each stands once."""

    def __init__(self, pictures: Pictures) -> None:
        self.rows: list[Row] = []
        self._pictures = pictures
        self._numbers: dict[str, int] = {}
        self._names: dict[Picture, str] = {}  # a conversation of many steps sends each of its pictures many times

    def number(self, said: Said) -> int:
        """Return the number of a message, from 0."""
        row = {
            "role": said.role,
            "content": [self._part(part) for part in said.parts],
            "tool_calls": [{"id": call.id, "name": call.name, "arguments": json.dumps(call.arguments, ensure_ascii=False)} for call in said.calls],
            "tool_call_id": said.answers,
        }
        number = self._numbers.setdefault(json.dumps(row), len(self.rows))
        if number == len(self.rows):
            self.rows.append(row)
        return number

    def _part(self, part: str | Picture) -> Row:
        if isinstance(part, str):
            return {"type": "text", "text": part, "image": None}
        if part not in self._names:
            self._names[part] = self._pictures.kept(part.file)
        return {"type": "image", "text": None, "image": self._names[part]}


def ids_of(run_id: str, key: Key) -> dict[str, Any]:
    """Return the ids of a rollout: its own, that of its group, and its number in the group. The view `rollouts` of the warehouse makes the same."""
    group = f"{run_id}/{key[0]}"
    return {"rollout_id": f"{group}_{key[1]}", "group_id": group, "sample": key[1]}


def rollout_of(folder: Path, key: Key, source: Source) -> Row:
    """Return the row of the trajectory in a folder. BadInput if the kept calls lack an answer; WarehouseError if the trajectory is damaged."""
    trajectory = read_trajectory(folder)
    episode, agent, machine = trajectory["episode"], source.described["agent"], source.described.get("machine", "sandbox")
    messages, pictures = _Messages(source.pictures), _pictures(folder)
    tools = None
    steps: list[Row] = []
    for step in trajectory["steps"]:
        calls = list(_kept(step, source.calls, episode["run_id"]))
        tools = tools or next((call.request["tools"] for call in calls if call.request.get("tools")), None)
        steps.append(
            {
                **{name: step[name] for name in _OF_STEP},
                "printed": step.get("printed"),  # trajectories of earlier versions have none
                "pictures": [source.pictures.kept(file.read_bytes()) for file in pictures.get(step["number"], ())],
                "calls": [_call(call, messages) for call in calls],
            }
        )
    return {
        **ids_of(episode["run_id"], key),
        **{name: episode[name] for name in _TAKEN},
        "seed": source.seeds.get(episode["episode_id"]),
        "task": episode["instruction"],
        "settings": json.dumps(agent),
        "model": agent.get("model"),
        "tools": tools and json.dumps(tools, ensure_ascii=False),
        "messages": messages.rows,
        "steps": steps,
        "checks": [{name: check.get(name) for name in ("check", "got", "holds", "share")} for check in episode["checks"]],
        "side_effects": episode.get("side_effects"),
        "licences": licences_of(episode["applications"], machine, agent.get("model"), source.is_of_imported_suite),
    }


def _kept(step: Row, calls: KeptCalls, run_id: str) -> Iterator[KeptCall]:
    """Yield the calls of a step that were answered; the last one of a step without a decision was not."""
    for call_id in step["calls"]:
        call = calls.get(call_id)
        if call is not None:
            yield call
        elif step["decision"] != "NONE":
            raise BadInput(
                f"the answer to call {call_id} of run {run_id} is not in model_calls.sqlite of the data folder, which holds what models were asked: "
                "put that file back, or play the run again with --ask-anew NAME"
            )


def _call(call: KeptCall, messages: _Messages) -> Row:
    tokens = call.answer.log_probabilities
    return {
        "asked": [messages.number(said) for said in messages_of(call.request)],
        "answered": messages.number(message_of(call.answer)),
        "status": call.answer.status,
        "tokens": [token for token, _ in tokens] or None,
        "log_probabilities": [value for _, value in tokens] or None,
        "input_tokens": call.answer.input_tokens,
        "output_tokens": call.answer.output_tokens,
    }


def _pictures(folder: Path) -> Mapping[int, Sequence[Path]]:
    """Return the pictures of a trajectory by step, in the order in which the agent got them."""
    named = [(name, path) for path in folder.iterdir() if (name := _PICTURE.fullmatch(path.name))]
    found: dict[int, list[Path]] = defaultdict(list)
    for name, path in sorted(named, key=lambda one: (int(one[0]["step"]), int(one[0]["place"] or 1))):
        found[int(name["step"])].append(path)
    return found
