"""Protects the catalog that is kept for the next command: it is what was read, never out of date, and nothing depends on it."""

import os
import shutil
from pathlib import Path

import pytest

from atomic_tasks import kept_catalog
from atomic_tasks.catalog import CATALOG_ROOT, read_catalog


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of caches of somebody who has none yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "caches"))
    return tmp_path / "caches" / "deskmill"


def small(tmp_path: Path) -> Path:
    """A catalog of the checkout's files of one application."""
    root = tmp_path / "catalog"
    left_out = shutil.ignore_patterns("__pycache__", "[!m]*.yaml")
    shutil.copytree(CATALOG_ROOT / "applications", root / "applications", ignore=left_out)
    for name in ("equivalence", "categories", "kinds", "checkers"):
        shutil.copy(CATALOG_ROOT / f"{name}.yaml", root)
    return root


def test_what_is_kept_is_what_was_read(folder: Path, tmp_path: Path) -> None:
    root = small(tmp_path)
    first, problems = read_catalog(root)
    assert problems == [] and len(list(folder.iterdir())) == 1
    again, _ = read_catalog(root)
    assert again.applications == first.applications and again.checkers == first.checkers and list(again.tasks) == list(first.tasks)
    assert again.sources.keys() == first.sources.keys() and len(list(folder.iterdir())) == 1


def test_a_file_that_changed_is_read(folder: Path, tmp_path: Path) -> None:
    root = small(tmp_path)
    read_catalog(root)
    path = root / "applications" / "mousepad.yaml"
    path.write_text(path.read_text().replace("title: Mousepad", "title: Mousepad anew"))
    assert read_catalog(root)[0].applications["mousepad"].title == "Mousepad anew"


def test_mistakes_are_told_each_time_and_never_kept(folder: Path, tmp_path: Path) -> None:
    root = small(tmp_path)
    (root / "applications" / "mousepad.yaml").write_text("application: [")
    assert [len(read_catalog(root)[1]) for _ in range(2)] == [1, 1] and not folder.exists()


@pytest.mark.parametrize("content", [b"", b"garbage", b"\x80\x05."])
def test_a_damaged_one_counts_as_none(content: bytes, folder: Path, tmp_path: Path) -> None:
    root = small(tmp_path)
    read_catalog(root)
    (path,) = folder.iterdir()
    path.write_bytes(content)
    assert "mousepad" in read_catalog(root)[0].applications and path.stat().st_size > 1000


def test_a_folder_that_cannot_be_written_costs_only_time(folder: Path, tmp_path: Path) -> None:
    folder.parent.write_text("not a folder")
    assert "mousepad" in read_catalog(small(tmp_path))[0].applications


def test_without_a_home_nothing_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HOME", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(OSError):
        kept_catalog._folder().mkdir(parents=True)
    assert "mousepad" in read_catalog(small(tmp_path))[0].applications


def test_what_changes_while_it_is_read_is_not_kept(folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "one.yaml"
    path.write_text("old")

    def read() -> str:
        content = path.read_text()
        path.write_text("new")
        return content

    assert kept_catalog.kept("own", [tmp_path], read, lambda _: True) == "old" and not folder.exists()
    path.write_text("old")
    assert kept_catalog.kept("own", [tmp_path], lambda: "read anew", lambda _: True) == "read anew"


def test_code_that_is_newer_than_this_process_keeps_and_takes_nothing(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert kept_catalog.kept("own", [tmp_path], lambda: "by this code", lambda _: True) == "by this code" and len(list(folder.iterdir())) == 1
    monkeypatch.setattr(kept_catalog, "_BEGUN", 0.0)
    assert kept_catalog.kept("own", [tmp_path], lambda: "read anew", lambda _: True) == "read anew" and len(list(folder.iterdir())) == 1


def test_a_file_that_cannot_be_read_is_told_by_who_reads_it(folder: Path, tmp_path: Path) -> None:
    root = small(tmp_path)
    (root / "applications" / "mangled.yaml").symlink_to("nowhere")
    assert any("mangled.yaml" in str(problem) for problem in read_catalog(root)[1]) and not folder.exists()


def test_what_a_killed_command_left_is_removed_after_a_day(folder: Path, tmp_path: Path) -> None:
    folder.mkdir(parents=True)
    for name, mtime in ((".own.killed", 0), (".own.at_work", None)):
        (folder / name).write_bytes(b"half")
        if mtime is not None:
            os.utime(folder / name, (mtime, mtime))
    kept_catalog.kept("own", [tmp_path], lambda: 1, lambda _: True)
    assert sorted(path.name for path in folder.iterdir() if path.suffix != ".pickle") == [".own.at_work"]


def test_few_are_kept(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(6):
        monkeypatch.setattr(kept_catalog, "_hash", lambda roots, beside, number=number: f"{number}")
        read_catalog(small(tmp_path / f"{number}"))
    assert sorted(path.name for path in folder.iterdir()) == [f"catalog.{number}.pickle" for number in range(2, 6)]
