"""Protects refilling: a model's values are kept with their origin, asked for once, and change only what reads them."""

import json
from pathlib import Path
from random import Random
from typing import Any

import pytest
import yaml

from atomic_tasks.arguments.registry import Given
from atomic_tasks.catalog import Catalog
from atomic_tasks.problems import BadInput
from flows.recipe import Refill
from flows.refill import refilled
from language_models.errors import ModelError
from tests.conftest import quiet
from tests.language_models.fake_server import fake_server
from warehouse.layout import DataFolder


def rows(*values: list[Any]) -> str:
    return json.dumps({"rows": values})


def test_values_are_kept_with_their_origin_and_asked_for_once(catalog: Catalog, tmp_path: Path) -> None:
    data = DataFolder(tmp_path)
    old = next(pool for pool in catalog.pools if pool.columns == ("sheet_name",) and pool.locale == "en").values[0][0]
    with fake_server(lambda request: rows(["Kitchen rota"], [old], ["  Van hire "], ["bad {brace}"], ["two", "columns"], [7])) as server:
        refill = Refill(model="m", base_url=server.base_url, columns=("sheet_name",), values=5)
        once = refilled(catalog, refill, data, quiet)
        twice = refilled(catalog, refill, data, quiet)
        assert len(server.requests) == 1
        prompt = server.requests[0]["messages"][1]["content"]
    assert old in prompt and "{sheet" in prompt and "Write 5 new rows" in prompt
    added = once.pools[-1]
    assert added.values == (("Kitchen rota",), ("Van hire",)) and added.origin is not None and added.origin.model == "m"
    assert twice.pools == once.pools
    assert {"Kitchen rota", old} <= {once.generators["sheet_name"].draw(Random(seed), Given()) for seed in range(2000)}
    kept = yaml.safe_load(next(data.pools.glob("sheet_name-*.yaml")).read_text())
    assert kept["pools"][0]["origin"]["model"] == "m"


def test_an_answer_without_usable_values_and_an_unknown_column_are_said(catalog: Catalog, tmp_path: Path) -> None:
    with fake_server(lambda request: "I would rather not") as server:
        with pytest.raises(ModelError, match="'m' gave no usable values for sheet_name"):
            refilled(catalog, Refill(model="m", base_url=server.base_url, columns=("sheet_name",), values=5), DataFolder(tmp_path), quiet)
        with pytest.raises(BadInput, match="'sheet_nam', but no pool has this column; did you mean 'sheet_name'"):
            refilled(catalog, Refill(model="m", base_url=server.base_url, columns=("sheet_nam",), values=5), DataFolder(tmp_path), quiet)
    assert not list(DataFolder(tmp_path).pools.glob("*"))
