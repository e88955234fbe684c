"""Protects what an image is: the versions of its packages. Another list is another image, the same list the same, and nothing half-made is used.

mmdebstrap is a stand-in here that packs a root with a dpkg status of the test's choice; the registry is a folder of the test's own.
"""

import os
import stat
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from click.testing import CliRunner

import machines.build
import machines.sources
from deskmill import main
from machines.build import build_image
from machines.errors import MachineError, MachineNeeds
from machines.image import WAY, Image, builds, declared, find_image
from machines.packages import KEPT, hash_of, packages_of, read_list

_STAND_IN = """#!{python}
import io, os, re, sys, tarfile
versions = dict(word.split("=") for word in open("{folder}/served").read().split())
pins = re.findall(r"upload (\\S+)", " ".join(sys.argv))[0]
versions |= dict(re.findall(r"Package: (\\S+)\\nPin: version (\\S+)", open(pins).read()))
status = "".join(f"Package: {{name}}\\nStatus: install ok installed\\nArchitecture: all\\nVersion: {{version}}\\nMaintainer: x\\nDescription: x\\n\\n"
                 for name, version in versions.items()).encode()
target = next(word for word in sys.argv if word.endswith("root.tar"))
with tarfile.open(target, "w") as tar:
    for name, content in (("./var/lib/dpkg/status", status), ("./etc/hostname", b"desk")):
        entry = tarfile.TarInfo(name)
        entry.size = len(content)
        tar.addfile(entry, io.BytesIO(content))
with open("{folder}/calls", "a") as calls:
    calls.write("call\\n")
sys.exit(os.path.exists("{folder}/fail"))
"""


class Registry:
    """What mmdebstrap packs, and what the index of the registry says there is."""

    def __init__(self, folder: Path, names: list[str]) -> None:
        self.folder = folder
        self.names = names
        self.serve({})

    def serve(self, versions: Mapping[str, str]) -> None:
        """Version 1.0 of every package, but for those that are named here."""
        served = {name: versions.get(name, "1.0") for name in self.names}
        (self.folder / "served").write_text(" ".join(f"{name}={version}" for name, version in served.items()))
        stanzas = [
            f"Package: {name}\nVersion: {version}\nArchitecture: all\nMaintainer: x\nFilename: ./{name}.deb\nSize: 1\nSHA256: {'0' * 64}\n"
            for name, version in served.items()
        ]
        (self.folder / "Packages").write_text("\n".join(stanzas))

    @property
    def calls(self) -> int:
        """How often mmdebstrap was run."""
        path = self.folder / "calls"
        return len(path.read_text().splitlines()) if path.is_file() else 0


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry:
    folder = tmp_path / "registry"
    folder.mkdir()
    sources = folder / "sources.list"
    sources.write_text(f"deb [trusted=yes] file:{folder} ./\n")
    monkeypatch.setattr(machines.sources, "_OWN", (sources,))
    stand_in = folder / "bin" / "mmdebstrap"
    stand_in.parent.mkdir()
    stand_in.write_text(_STAND_IN.format(python=sys.executable, folder=folder))
    stand_in.chmod(stand_in.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{stand_in.parent}:{os.environ['PATH']}")
    monkeypatch.setenv("DESKMILL_DATA", str(tmp_path))
    return Registry(folder, find_image("smoke", tmp_path).packages)


@pytest.fixture
def folder(tmp_path: Path, registry: Registry) -> Path:
    return tmp_path / "machines"


def _build(folder: Path, again: bool = False) -> Image:
    return build_image("smoke", folder, lambda _: None, again)


def _shown(arguments: str) -> str:
    done = CliRunner().invoke(main, arguments.split(), catch_exceptions=False)
    assert done.exit_code == 0, done.output
    return done.output


def test_an_image_is_named_by_the_versions_of_its_packages(folder: Path, registry: Registry) -> None:
    first = _build(folder)
    assert first.is_built and first.root.name == first.identity == first.held.identity(WAY)
    assert first.held.packages == packages_of(first.root) == tuple(f"{name}=1.0" for name in sorted(registry.names))
    registry.serve({"mousepad": "1.1"})
    second = _build(folder, again=True)
    assert second.held.packages != first.held.packages
    assert second.root.name != first.root.name and second.home.name != first.home.name  # so runs and proofs stay apart: these are in their keys
    assert find_image("smoke", folder) == second
    assert first.root.is_dir() and list(builds(folder)) == [second.identity, first.identity]


def test_only_a_build_that_is_asked_for_changes_an_image(folder: Path, registry: Registry) -> None:
    first = _build(folder)
    registry.serve({"mousepad": "1.1"})
    assert _build(folder) == first and registry.calls == 1
    registry.serve({})
    assert _build(folder, again=True) == first and registry.calls == 2, "the same versions are the same image"
    assert [path.name for path in (folder / "roots").iterdir()] == [first.identity]


def test_an_image_is_made_again_from_its_list(folder: Path, registry: Registry, tmp_path: Path) -> None:
    first = _build(folder)
    kept = tmp_path / "kept.list"
    kept.write_text(_shown("machine show smoke"))
    assert read_list(kept) == first.held
    registry.serve({"mousepad": "1.1"})
    second = _build(folder, again=True)
    assert "in use" in next(line for line in _shown("machine show").splitlines() if str(second.identity) in line)
    assert "in use" not in next(line for line in _shown("machine show").splitlines() if str(first.identity) in line)
    assert _shown(f"machine show {first.identity}") == kept.read_text()

    _shown(f"machine build --from {kept}")  # that build is there: it is used again, and nothing is fetched
    assert find_image("smoke", folder) == first and registry.calls == 2
    registry.serve({})
    elsewhere = build_image("smoke", tmp_path / "elsewhere", lambda _: None, wanted=read_list(kept))
    assert registry.calls == 3 and elsewhere.identity == first.identity


def test_versions_that_the_registry_lacks_are_all_said_before_anything_is_made(folder: Path, registry: Registry, tmp_path: Path) -> None:
    _build(folder)
    kept = tmp_path / "kept.list"
    kept.write_text(_shown("machine show smoke"))
    registry.serve({"mousepad": "1.1", "thunar": "2:3.4-5"})
    registry.names.remove("xvfb")
    registry.serve({"mousepad": "1.1", "thunar": "2:3.4-5"})
    done = CliRunner().invoke(main, ["machine", "build", "--from", str(kept)], env={"DESKMILL_DATA": str(tmp_path / "elsewhere")})
    assert done.exit_code == 2
    for line in ("mousepad=1.0 (it has 1.1)", "thunar=1.0 (it has 2:3.4-5)", "xvfb=1.0 (it has none)", "lacks 3 of the"):
        assert line in done.output
    assert registry.calls == 1 and not (tmp_path / "elsewhere").exists()


@pytest.mark.parametrize(
    "spoil, said",
    [
        (lambda text: text.replace("mousepad=1.0", "mousepad 1.0"), r"kept.list:\d+: 'mousepad 1.0' is no package: write name=version"),
        (lambda text: text.replace("# image: smoke\n", ""), "the head of the list lacks '# image: ...'"),
        (lambda text: text.replace("# debian: ", "# debian: x"), "the list is for debian x"),
        (lambda text: text.replace("# architecture: ", "# architecture: x"), "the list is for architecture x"),
        (lambda text: text.replace("# image: smoke", "# image: desktop"), "the list is for image desktop"),
        (lambda text: text.replace("mousepad=1.0\n", ""), "the list lacks mousepad, which machines/desktop.yaml declares"),
    ],
)
def test_a_list_that_no_image_can_be_made_from_is_refused(spoil: Callable[[str], str], said: str, folder: Path, tmp_path: Path) -> None:
    kept = tmp_path / "kept.list"
    kept.write_text(spoil(str(_build(folder).held)))
    with pytest.raises(MachineNeeds, match=said):
        build_image("smoke", tmp_path / "elsewhere", lambda _: None, wanted=read_list(kept))


def test_a_root_that_differs_from_the_list_is_thrown_away(folder: Path, registry: Registry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = _build(folder).held
    monkeypatch.setattr(machines.build, "_pin", lambda package: "")
    registry.serve({"mousepad": "1.1"})
    monkeypatch.setattr(machines.build, "check_registry", lambda *_: None)
    with pytest.raises(MachineError, match=r"thrown away: mousepad=1.0, mousepad=1.1"):
        build_image("smoke", tmp_path / "elsewhere", lambda _: None, wanted=wanted)
    assert not list((tmp_path / "elsewhere" / "roots").iterdir()) and not find_image("smoke", tmp_path / "elsewhere").is_built


def test_a_build_that_fails_leaves_the_image_as_it_was(folder: Path, registry: Registry) -> None:
    first = _build(folder)
    (registry.folder / "fail").touch()
    registry.serve({"mousepad": "1.1"})
    with pytest.raises(MachineError, match="mmdebstrap failed"):
        _build(folder, again=True)
    assert find_image("smoke", folder) == first and first.is_built
    assert [path.name for path in (folder / "roots").iterdir()] == [first.identity]


def test_what_a_killed_build_left_is_swept(folder: Path) -> None:
    left = folder / "roots" / ".smoke.making" / "half"
    left.mkdir(parents=True)
    (folder / "roots" / ".smoke.making.abc").mkdir()
    built = _build(folder)
    assert [path.name for path in (folder / "roots").iterdir()] == [built.identity] and not (built.root / "half").exists()


def test_a_root_from_before_lists_were_kept_gets_its_list_and_its_name(folder: Path, registry: Registry) -> None:
    built = _build(folder)
    (built.root / KEPT).unlink()
    unlisted = folder / "roots" / hash_of({"version": 1, "debian": declared().debian, "packages": built.packages})
    built.root.rename(unlisted)
    built.current.unlink()
    assert not find_image("smoke", folder).is_built
    assert _build(folder) == built and registry.calls == 1 and not unlisted.exists()


def test_an_image_whose_root_was_removed_is_made_again(folder: Path, registry: Registry) -> None:
    built = _build(folder)
    built.root.rename(folder / "gone")
    assert find_image("smoke", folder).identity is None
    assert _build(folder) == built and registry.calls == 2


def test_the_real_image_lists_what_it_holds(image: Image) -> None:
    held = image.held
    assert packages_of(image.root) == held.packages and held.identity(WAY) == image.root.name
    assert {*image.packages} <= {*held.names} and len(held.packages) > len(image.packages)
