"""Protects images for other hosts: they arrive whole, once, and only if they are what was packed."""

import errno
import os
import re
import tarfile
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from machines import packed
from machines.build import use
from machines.errors import MachineError, MachineNeeds
from machines.image import Image, find_image
from machines.machine import MachineChoice
from machines.packed import OWN_FOLDER, on_this_host, pack, unpack


@pytest.fixture
def shared(tmp_path: Path) -> Image:
    """A small image that is no real one: two files, one of which only its owner may read, and a link that points out of it."""
    image = replace(find_image("smoke", tmp_path / "shared"), identity="abc123")
    for name, content in (("usr/bin/tool", "#!/bin/sh\n"), ("etc/secret", "s")):
        path = image.root / name
        path.parent.mkdir(parents=True)
        path.write_text(content)
    (image.root / "usr/bin/tool").chmod(0o755)
    (image.root / "etc/secret").chmod(0o600)
    (image.root / "etc/alternative").symlink_to("/usr/bin/tool")
    image.home.mkdir(parents=True)
    (image.home / ".profile").write_text("set -u\n")
    use(image)
    return image


def test_an_image_arrives_whole_on_another_host(shared: Image, tmp_path: Path) -> None:
    pack(shared)
    own = tmp_path / "own"
    choice = on_this_host(MachineChoice("sandbox", "smoke", shared.machines), {OWN_FOLDER: str(own)})
    assert choice == MachineChoice("sandbox", "smoke", own)
    here = find_image("smoke", own)
    assert here.is_built and here.identity == shared.identity
    assert (here.root / "etc/secret").stat().st_mode & 0o777 == 0o600
    assert (here.root / "usr/bin/tool").read_text() == "#!/bin/sh\n" and os.access(here.root / "usr/bin/tool", os.X_OK)
    assert str((here.root / "etc/alternative").readlink()) == "/usr/bin/tool" and (here.home / ".profile").read_text() == "set -u\n"


def test_a_host_without_a_folder_of_its_own_plays_on_the_shared_images(shared: Image) -> None:
    choice = MachineChoice("sandbox", "smoke", shared.machines)
    assert on_this_host(choice, {}) == choice == on_this_host(choice, {OWN_FOLDER: ""})


def test_an_image_is_unpacked_once_however_many_ask_and_the_log_tells_how_long_it_took(
    shared: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    pack(shared)
    own = tmp_path / "own"
    unpacked: list[Path] = []
    unpack_it = packed._unpack

    def counted(image: Image, folder: Path) -> None:
        unpacked.append(folder)
        unpack_it(image, folder)

    monkeypatch.setattr(packed, "_unpack", counted)
    threads = [threading.Thread(target=unpack, args=(shared, own)) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    unpack(shared, own)
    assert unpacked == [own] and not list(own.glob(".unpacked*"))
    (told,) = caplog.messages
    assert re.fullmatch(rf"the image 'smoke' was unpacked into {own} in \d+\.\d s; this host does it once", told)


def test_what_a_killed_worker_left_half_unpacked_is_removed(shared: Image, tmp_path: Path) -> None:
    pack(shared)
    left = tmp_path / "own" / ".unpacked.killed.tmp" / "roots"
    left.mkdir(parents=True)
    unpack(shared, tmp_path / "own")
    assert not left.parent.exists()


def test_a_host_that_cannot_hold_an_image_says_so_and_does_not_blame_the_file(shared: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pack(shared)

    def full(*given: object, **named: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(tarfile.TarFile, "extractall", full)
    with pytest.raises(MachineError, match="cannot be unpacked into .*own: No space left on device"):
        unpack(shared, tmp_path / "own")
    assert [one.name for one in (tmp_path / "own").iterdir()] == [".lock"]


def test_an_image_that_is_not_packed_says_what_to_do(shared: Image, tmp_path: Path) -> None:
    with pytest.raises(MachineNeeds, match="deskmill machine pack smoke"):
        unpack(shared, tmp_path / "own")


@pytest.mark.parametrize("damage", ["cut off", "changed", "more", "description"])
def test_a_file_that_is_not_what_was_packed_is_refused_and_nothing_is_left(damage: str, shared: Image, tmp_path: Path) -> None:
    path = pack(shared)
    content = path.read_bytes()
    if damage == "description":
        path.with_suffix(".json").write_text("{}")
    else:
        path.write_bytes({"cut off": content[:-40], "changed": content[:60] + b"zz" + content[62:], "more": content + b"x"}[damage])
    with pytest.raises(MachineError, match="pack the image again"):
        unpack(shared, tmp_path / "own")
    assert [one.name for one in (tmp_path / "own").iterdir()] == [".lock"]


@pytest.mark.parametrize("is_description", [False, True])
def test_what_is_missing_of_a_packed_image_is_told_and_packed_again(is_description: bool, shared: Image, tmp_path: Path) -> None:
    path = pack(shared)
    (path.with_suffix(".json") if is_description else path).unlink()
    left = path.with_name(f".{path.name}.1.tmp")
    left.touch()
    with pytest.raises(MachineNeeds, match="deskmill machine pack smoke"):
        unpack(shared, tmp_path / "own")
    packed_again = pack(shared)
    unpack(shared, tmp_path / "own")
    assert packed_again == path and find_image("smoke", tmp_path / "own").is_built and not left.exists()


def test_two_hosts_that_pack_into_one_folder_write_different_files(tmp_path: Path) -> None:
    assert len({packed._aside(tmp_path / "image.tar.gz") for _ in range(4)}) == 4


def test_packing_again_changes_nothing(shared: Image) -> None:
    path = pack(shared)
    before = path.stat().st_mtime_ns
    assert pack(shared) == path and path.stat().st_mtime_ns == before
