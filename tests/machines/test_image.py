"""Protects the names and the content of images: a part has one program of its image, and what an image leaves out is part of its identity."""

from pathlib import Path

import pytest

from machines.build import _mmdebstrap
from machines.errors import MachineNeeds
from machines.image import WAY, declared, find_image


def test_a_part_of_an_image_has_one_program(tmp_path: Path) -> None:
    whole, part = find_image("professional", tmp_path), find_image("professional.librecad", tmp_path)
    assert list(part.programs) == ["librecad"] and part.current != whole.current
    assert set(part.packages) < set(whole.packages) and "librecad" in part.packages and part.leaves_out == whole.leaves_out
    for name in ("professional.nothing", "professional.", "nothing.librecad", "smoke.librecad"):
        with pytest.raises(MachineNeeds, match=f"there is no image '{name}'"):
            find_image(name, tmp_path)


def test_what_an_image_leaves_out_is_removed_and_names_it(tmp_path: Path) -> None:
    image = find_image("professional", tmp_path)
    assert image.way != find_image("desktop", tmp_path).way
    command = _mmdebstrap(image, image.packages, tmp_path / "pins", tmp_path / "root.tar", tmp_path / "sources")
    (removal,) = [word for word in command if "rm -rf" in word]
    assert removal.startswith('--customize-hook=cd "$1" && rm -rf ') and all(path in removal for path in image.leaves_out)
    assert not any(
        "rm -rf" in word
        for word in _mmdebstrap(find_image("desktop", tmp_path), image.packages, tmp_path / "pins", tmp_path / "root.tar", tmp_path / "sources")
    )


def test_every_image_that_leaves_something_out_is_declared() -> None:
    assert set(declared().leaves_out) <= set(declared().images)
    assert all(not path.startswith("/") and ".." not in path for paths in declared().leaves_out.values() for path in paths)


def test_an_image_has_a_user_packages_and_files_of_its_own(tmp_path: Path) -> None:
    image, other = find_image("osworld", tmp_path), find_image("desktop", tmp_path)
    assert (image.user, image.user_home, image.offers.user, image.offers.home) == ("user", "/home/user", "user", "/home/user")
    assert (other.user, other.user_home) == ("agent", "/home/agent") and other.root_files is None
    assert "socat" in image.packages and "socat" not in other.packages
    made_of = str(image.way)
    assert "'user'" in made_of and "usr/local/bin/google-chrome" in made_of and other.way == WAY
    assert set(declared().users) | set(declared().adds) <= set(declared().images)
    command = " ".join(_mmdebstrap(image, image.packages, tmp_path / "pins", tmp_path / "root.tar", tmp_path / "sources"))
    assert "--home-dir /home/user --shell /bin/bash user" in command and "/home/agent" not in command


def test_files_for_a_root_can_be_run_and_lead_nowhere_else(tmp_path: Path) -> None:
    folder = find_image("osworld", tmp_path).root_files
    assert folder is not None
    commands = [*folder.glob("usr/*/bin/*"), *folder.glob("usr/bin/*")]
    assert len(commands) >= 8 and all(path.stat().st_mode & 0o111 and path.read_text().startswith("#!/bin/sh") for path in commands)
    assert all(path.resolve().is_relative_to(folder.parents[1]) for path in folder.rglob("*"))
