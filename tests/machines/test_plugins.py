"""Protects registries: a package of the user's adds a name, and a broken or unknown one is reported where it is used and hinders no other."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import machines.errors
from machines.errors import PluginError
from machines.plugins import Registry

GROUP = "deskmill.tests"
Add = Callable[..., Path]


@pytest.fixture
def add(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Add]:
    """Install a package of one module with entry points, and return the file of the module."""
    before = set(sys.modules)

    def install(package: str, code: str, **entries: str) -> Path:
        folder = tmp_path / package
        described = folder / f"{package}-1.2.dist-info"
        described.mkdir(parents=True)
        (described / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.2\n")
        (described / "RECORD").write_text(f"{package}.py,,\n")
        (described / "entry_points.txt").write_text(f"[{GROUP}]\n" + "".join(f"{name} = {place}\n" for name, place in entries.items()))
        (folder / f"{package}.py").write_text(code)
        monkeypatch.syspath_prepend(folder)
        return folder / f"{package}.py"

    yield install
    for module in set(sys.modules) - before:
        del sys.modules[module]


def registry() -> Registry[object]:
    return Registry("colour", GROUP, {"red": "machines.errors:MachineError", "grey": "machines.errors:RefusedAction"})


def test_what_is_built_in_is_imported_when_it_is_used(add: Add) -> None:
    built_in = Registry[object]("colour", GROUP, {"red": "machines.errors:MachineError", "lost": "no.such:thing"})
    assert built_in["red"] is machines.errors.MachineError and built_in.names == ["red", "lost"]
    with pytest.raises(PluginError, match=r"lost \(no.such:thing, built in\) cannot be imported: ModuleNotFoundError: No module named 'no'"):
        built_in["lost"]


def test_a_package_adds_a_name(add: Add) -> None:
    file = add("paints", "class Blue:\n    shade = 7\n", blue="paints:Blue.shade")
    colours = registry()
    assert colours["blue"] == 7 and colours.names == ["red", "grey", "blue"]
    before = colours.plugin("blue").identity
    assert before["package"] == "paints" and before["version"] == "1.2" and before["place"] == "paints:Blue.shade"
    file.write_text("class Blue:\n    shade = 8\n")
    assert colours.plugin("blue").identity["code"] != before["code"], "a run with other code is another run"


def test_a_place_is_a_name_too(add: Add, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "loose_paint.py").write_text("green = 'green'\n")
    monkeypatch.syspath_prepend(tmp_path)
    colours = registry()
    assert colours["loose_paint:green"] == "green"
    assert colours.plugin("loose_paint:green").identity["package"] is None
    assert colours.plugin("yaml:safe_load").identity["package"] == "PyYAML"
    with pytest.raises(PluginError, match="loose_paint:red.*AttributeError"):
        colours["loose_paint:red"]


@pytest.mark.parametrize("code", ["import no_such_module", "raise SystemExit(3)", "1 / 0", "def ("])
def test_a_plugin_that_fails_to_import_is_named_with_its_package_and_hinders_no_other(code: str, add: Add) -> None:
    add("broken_paints", code, black="broken_paints:Black")
    colours = registry()
    assert colours["red"] is machines.errors.MachineError
    assert "black" in colours.names
    with pytest.raises(PluginError, match=r"black \(broken_paints:Black, package broken_paints 1.2\) cannot be imported: \w+"):
        colours["black"]


def test_a_name_that_is_taken_twice_is_refused_with_both_places(add: Add) -> None:
    add("paints", "red = pink = 1\n", red="paints:red", pink="paints:pink")
    add("more_paints", "pink = 2\n", pink="more_paints:pink")
    colours = registry()
    with pytest.raises(
        PluginError, match=r"'red' is declared 2 times: red \(machines.errors:MachineError, built in\); red \(paints:red, package paints 1.2\)"
    ):
        colours["red"]
    with pytest.raises(PluginError, match=r"'pink' is declared 2 times: .*package more_paints 1.2\).*package paints 1.2\)"):
        colours["pink"]
    assert colours["grey"] is machines.errors.RefusedAction


def test_an_unknown_name_lists_what_there_is_and_where_it_is_declared(add: Add) -> None:
    add("paints", "", blue="paints:Blue")
    with pytest.raises(PluginError) as error:
        registry()["gray"]
    assert str(error.value) == (
        "there is no colour 'gray'; did you mean 'grey'?\n"
        "there are: red (machines.errors:MachineError, built in); grey (machines.errors:RefusedAction, built in); blue (paints:Blue, package paints 1.2)"
    )
