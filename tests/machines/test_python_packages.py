"""Protects Python packages of images: they stand in the list with their versions, and pip is asked for wheels of the image's Python."""

import subprocess
from pathlib import Path
from typing import Any

import pytest

from machines import python_packages
from machines.errors import MachineError, MachineNeeds
from machines.packages import read_list

HEAD = "# image: small\n# debian: bookworm\n# architecture: amd64\n# built: 2026-11-27T00:00:00+00:00\n"


def test_a_list_has_packages_of_debian_and_of_python(tmp_path: Path) -> None:
    path = tmp_path / "list"
    path.write_text(f"{HEAD}mousepad=0.5.10-2\ntaguette==1.5.2\nzope-event==5.0+local.1\n")
    found = read_list(path)
    assert found.of_debian == ["mousepad=0.5.10-2"] and found.of_python == ["taguette==1.5.2", "zope-event==5.0+local.1"]
    assert found.names == ["mousepad"] and str(found) == path.read_text()
    path.write_text(f"{HEAD}taguette===1.5.2\n")
    with pytest.raises(MachineNeeds, match="is no package"):
        read_list(path)


def test_what_is_installed_is_read_from_its_metadata(tmp_path: Path) -> None:
    for name, version in (("SQLAlchemy", "1.4.54"), ("subtitle_parser", "2.0.1")):
        folder = tmp_path / python_packages.FOLDER / f"{name}-{version}.dist-info"
        folder.mkdir(parents=True)
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n\nAbout: Version: 9\n")
    assert sorted(python_packages.installed(tmp_path)) == ["sqlalchemy==1.4.54", "subtitle-parser==2.0.1"]
    assert python_packages.installed(tmp_path / "none") == []


def test_wheels_of_the_images_python_are_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[list[str]] = []

    def run(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
        asked.append(command)
        return subprocess.CompletedProcess(command, len(asked) - 1, "", "no wheel of it")

    monkeypatch.setattr(subprocess, "run", run)
    python_packages.install([], tmp_path, "bookworm", "amd64", is_whole=False)
    assert not asked
    python_packages.install(["taguette==1.5.2"], tmp_path, "bookworm", "arm64", is_whole=True)
    assert {"--no-deps", "3.11", "manylinux2014_aarch64", "taguette==1.5.2", str(tmp_path / python_packages.FOLDER)} <= set(asked[0])
    with pytest.raises(MachineError, match="no wheel of it"):
        python_packages.install(["taguette==1.5.2"], tmp_path, "trixie", "amd64", is_whole=False)
    assert "--no-deps" not in asked[1] and "3.13" in asked[1]
