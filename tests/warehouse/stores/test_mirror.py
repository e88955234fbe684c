"""Protects what a mirror knows of the objects of its store, also when several processes write it."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from warehouse.stores.mirror import MirrorIndex


def test_it_keeps_what_it_was_told_below_a_prefix_and_its_identity(tmp_path: Path) -> None:
    index = MirrorIndex(tmp_path / "inner" / "index")
    index.put({"runs/1/run.json": "a", "runs/12/run.json": "b", "runs/é": "c", "store/x": "d"})
    index.put({"runs/1/run.json": "e"})
    index.drop(["runs/12/run.json", "never/there"])
    again = MirrorIndex(tmp_path / "inner" / "index")
    assert again.below("runs") == {"runs/1/run.json": "e", "runs/é": "c"} and again.below("") == again.below("runs") | {"store/x": "d"}
    assert again.id == index.id != MirrorIndex(tmp_path / "another").id


def test_many_may_write_at_once(tmp_path: Path) -> None:
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda number: MirrorIndex(tmp_path / "index").put({f"{number}": "x"}), range(64)))
    assert len(MirrorIndex(tmp_path / "index").below("")) == 64
