"""A sweep as files, made by tests: two observations, three history lengths, without and with cards, and a script; not every cell is played."""

import json
from collections.abc import Sequence
from itertools import product
from random import Random
from typing import Any

from tests.warehouse.episode_rows import FAULT, episode_row, write_run
from warehouse.layout import DataFolder

Row = dict[str, Any]
EPISODES = [
    (f"e{number:02}", level, application)
    for number, (level, application) in enumerate(product(["L1", "L1", "L2"], ["mousepad", "thunar", "gimp", "vlc"]))
]


def cell(number: int, run_id: str, label: str, is_scripted: bool = False, **factors: Any) -> Row:
    return {"number": number, "run_id": run_id, "label": label, "is_scripted": is_scripted, "repeats": 2, "factors": factors, "command": f"deskmill episodes smoke {label}"}  # fmt: skip


def write_sweep(data: DataFolder, sweep_id: str, cells: Sequence[Row], title: str = "Memory and eyes") -> None:
    about = {"sweep_id": sweep_id, "sweep": "mine", "title": title, "description": "What helps.", "suite": "smoke", "start": "preloaded",
             "budget_usd": 2.0, "started_at": "2026-05-03T08:00:00+00:00"}  # fmt: skip
    data.sweeps.mkdir(parents=True, exist_ok=True)
    (data.sweeps / f"{sweep_id}.json").write_text(json.dumps(about | {"cells": list(cells)}))


def write_drawn_sweep(data: DataFolder) -> dict[str, list[Row]]:
    """A sweep of 14 cells, of which one is not played; the rows of each run that was written."""
    source = Random(5)
    cells = [cell(1, "script", "oracle", True, agent="oracle")]
    for number, (observation, history, cards) in enumerate(product(["tree", "marks"], [0, 1, "all"], [False, True]), 2):
        factors: Row = {"agent": "conversation", "model": "m", "observation": observation, "history": history, "cards": cards}
        cells.append(cell(number, f"run{number}", f"conversation, m, {observation}, history={history}, cards={'yes' if cards else 'no'}", **factors))
    cells.append(cell(14, "later", "conversation, m, tree+marks", agent="conversation", model="m", observation="tree+marks", history=0, cards=False))
    runs: dict[str, list[Row]] = {}
    for one in cells[:-1]:
        factors = one["factors"]
        chance = (
            1.0
            if one["is_scripted"]
            else 0.2 + 0.15 * (factors["observation"] == "marks") + 0.3 * factors["cards"] + {0: 0, 1: 0.1, "all": 0.3}[factors["history"]]
        )
        tokens = 0 if one["is_scripted"] else 900 + 1000 * (factors["observation"] == "marks") + 400 * factors["cards"]
        rows = []
        for (episode, level, application), repeat in product(EPISODES, (1, 2)):
            about: Row = {"agent": one["label"], "level": level, "application": application, "applications": [application]}
            if source.random() < 0.03 and one["number"] > 1:
                rows.append(episode_row(one["run_id"], episode, repeat, **about, **FAULT))
                continue
            reward = float(source.random() < chance - 0.1 * (level == "L2"))
            spent = {
                "input_tokens": tokens * source.randint(1, 9),
                "output_tokens": tokens // 10,
                "cost_usd": tokens / 1e5,
                "seconds": source.uniform(3, 60),
            }
            rows.append(episode_row(one["run_id"], episode, repeat, reward=reward if not one["is_scripted"] else 1.0, **about, **spent))
        write_run(data, rows)
        runs[one["run_id"]] = rows
    write_sweep(data, "drawn", cells)
    return runs
