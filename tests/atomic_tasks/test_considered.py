"""The considered-out lists: each application that could be thought of is in or out with a reason, and every gap is named with its place."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from atomic_tasks.catalog import CATALOG_ROOT, Catalog
from atomic_tasks.considered import FILE, Considered, judged, problems_of
from atomic_tasks.schema import Capability
from atomic_tasks.yaml_source import read_declared_file, read_yaml, validated
from tests.commands import invoked
from warehouse.layout import DataFolder

SOUND = """
rivals: {paint: [gimp], gimp: [paint], notepad: []}
own: {options: The program's own options.}
reasons: {no_layers: It has no layers.}
capabilities:
  image.crop: {out: [{applications: [notepad], reason: It opens no pictures.}]}
  image.layer: {out: [{applications: [paint], reason: no_layers}]}
  notepad.wrap: {own: options}
"""
CAPABILITIES = {
    "image.crop": Capability(applications=("paint", "gimp"), reason="Both crop."),
    "image.layer": Capability(applications=("gimp",), reason="Layers."),
    "notepad.wrap": Capability(applications=("notepad",), reason="Word wrap."),
}


def found(text: str, folder: Path) -> list[str]:
    """Return the problems of a file with this text."""
    path = folder / FILE
    path.write_text(text)
    problems: list[Any] = []
    source = read_yaml(path, problems)
    considered = validated(source, Considered, problems)
    problems += problems_of(considered, CAPABILITIES, source) if considered else []
    return [str(problem).removeprefix(str(folder)) for problem in problems]


def test_a_sound_file_has_no_problem(tmp_path: Path) -> None:
    assert found(SOUND, tmp_path) == []


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "  notepad.wrap: {own: options}\n",
            "",
            "considered.yaml:5: capabilities: 'notepad.wrap' has no entry: say which applications were considered",
        ),
        ("{own: options}", "{own: option}", "considered.yaml:8: capabilities.notepad.wrap.own: unknown kind 'option'; did you mean 'options'?"),
        ("{own: options}", "{}", "considered.yaml:8: capabilities.notepad.wrap: nothing was considered"),
        ("[paint], reason: no_l", "[notepad], reason: no_l", "considered.yaml:7: capabilities.image.layer: say of paint whether they are in"),
        ("[notepad], reason: It", "[notepad, gimp], reason: It", "capabilities.image.crop.out: gimp is out here, but equivalence.yaml lists it"),
        ("[notepad], reason: It", "[notepad, notepad], reason: It", "capabilities.image.crop.out: notepad is out twice"),
        ("reason: no_layers", "reason: no_layer", "capabilities.image.layer.out[0].reason: unknown reason 'no_layer'; did you mean 'no_layers'?"),
        ("[notepad], reason: It", "[notpad], reason: It", "capabilities.image.crop.out: unknown application 'notpad'; did you mean 'notepad'?"),
        ("  image.layer:", "  image.layers:", "capabilities.image.layers: 'image.layers' is not in equivalence.yaml; did you mean 'image.layer'?"),
        ("gimp: [paint]", "gimp: [pant]", "considered.yaml:2: rivals.gimp: unknown application 'pant'; did you mean 'paint'?"),
        ("notepad.wrap: {own: options}", "notepad.wrap: {own: options, out: [{applications: [gimp], reason: no_layers}]}", "leave one of them away"),
    ],
)
def test_each_gap_is_named_with_its_place(old: str, new: str, said: str, tmp_path: Path) -> None:
    assert old in SOUND
    problems = found(SOUND.replace(old, new), tmp_path)
    assert any(said in problem for problem in problems), problems


def test_search_engines_and_assistants_are_always_considered_together() -> None:
    rivals = yaml.safe_load((CATALOG_ROOT / FILE).read_text())["rivals"]
    answering = {"google_search", "bing_search", "microsoft_copilot", "m365_copilot"}
    for application in ("google_search", "bing_search"):
        assert answering - {application} <= set(rivals[application])


def test_every_application_of_the_published_list_has_its_rivals(catalog: Catalog) -> None:
    rivals = read_declared_file(CATALOG_ROOT / FILE, Considered).rivals
    assert set(catalog.candidates["windows"].applications) <= set(rivals)


def test_show_tells_who_is_in_and_who_is_out(tmp_path: Path) -> None:
    capability = judged("web.search_images")
    assert capability is not None and capability.out
    shown = invoked("show", "web.search_images", data=tmp_path)
    assert shown.exit_code == 0 and shown.stdout.strip() == capability.text(), shown.stderr
    as_json = json.loads(invoked("show", "web.search_images", "--format", "json", data=tmp_path).stdout)
    assert as_json == [capability.model_dump(mode="json")]


def test_show_tells_of_an_atomic_task_and_a_capability_of_one_name(tiny: DataFolder) -> None:
    shown = invoked("show", "spotify.private_session", data=tiny.root)
    assert shown.exit_code == 0 and "atomic task spotify.private_session" in shown.stdout and "capability spotify.private_session" in shown.stdout
