"""Protects the choice of a machine: workers make theirs from it, a run's id covers it, and what is wrong is said before anything starts."""

import pickle
import re
import tomllib
from pathlib import Path

import pytest

from machines.actions import ACTIONS, RUN_CODE
from machines.errors import MachineNeeds, PluginError
from machines.hands import HANDS
from machines.image import Image
from machines.machine import KINDS, Machine, MachineChoice
from machines.sandbox import Limits, Sandbox
from tests.conftest import REPOSITORY


def sandbox_of(image: Image, **options: str) -> MachineChoice:
    return MachineChoice("sandbox", image.name, image.machines, options)


def test_a_worker_makes_its_machine_from_the_choice(image: Image) -> None:
    choice = pickle.loads(pickle.dumps(sandbox_of(image, memory_mb="900")))
    choice.check()
    machine: Machine = choice.make()
    assert isinstance(machine, Sandbox) and machine.image == image and machine.limits == Limits(memory_mb=900)
    with machine:
        assert machine.client.state()["windows"] == []
        assert machine.client.execute(["sh", "-c", "echo $USER $HOME"])["output"].split() == [machine.offers.user, machine.offers.home]


def test_what_a_machine_offers_is_known_before_it_starts(image: Image) -> None:
    offers = sandbox_of(image).offers
    assert (offers.platform, offers.user, offers.home, offers.screen) == ("linux", "agent", "/home/agent", (1280, 800))
    assert offers.programs["mousepad"].command == ["mousepad"] and offers.programs["mousepad"].window_class == "Mousepad"
    assert set(offers.programs) == {"mousepad", "galculator", "thunar"} and offers.actions == {*ACTIONS, *HANDS, RUN_CODE}
    assert ".config/Mousepad" in offers.own and ".cache" in offers.own and ".config/glib-2.0/settings/keyfile" in offers.own_keys
    assert any(package.startswith("mousepad=") for package in offers.packages)


def test_the_identity_covers_the_kind_its_code_the_image_and_the_options(image: Image) -> None:
    usual = sandbox_of(image).identity
    assert usual == sandbox_of(image, memory_mb=str(Limits().memory_mb)).identity, "the usual limits are the same machine, told or not"
    assert usual != sandbox_of(image, memory_mb="900").identity
    assert usual["root"] == image.root.name and usual["home"] == image.home.name
    assert usual["plugin"] == KINDS.plugin("sandbox").identity and usual["plugin"]["code"]


def test_the_kind_in_the_documentation_works(image: Image, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page = (REPOSITORY / "docs" / "machines.md").read_text()
    code, entries = (re.findall(rf"```{language}\n(.*?)```", page, re.DOTALL)[0] for language in ("python", "toml"))
    (tmp_path / "my_machines.py").write_text(code)
    described = tmp_path / "my_machines-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: my-machines\nVersion: 1.0\n")
    group = tomllib.loads(entries)["project"]["entry-points"]["deskmill.machines"]
    (described / "entry_points.txt").write_text("[deskmill.machines]\n" + "".join(f"{name} = {place}\n" for name, place in group.items()))
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(KINDS.__dict__, "_added", raising=False)  # another test may have looked already
    choice = MachineChoice("small", image.name, image.machines)
    assert choice.identity["plugin"]["package"] == "my-machines" and choice.identity["limits"]["memory_mb"] == 800
    with choice.make() as machine:
        assert machine.client.state()["windows"] == []


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"colour": "1"}, "no option 'colour'; they have processes, memory_mb, disk_mb, ahead"),
        ({"memory_mb": "much"}, "'memory_mb' of machines of kind 'sandbox' is a whole number above 0, not 'much'"),
        ({"memory_mb": "-1"}, "above 0, not '-1'"),
        ({"memory_mb": "0"}, "above 0, not '0'"),
        ({"memory_mb": "²"}, "above 0, not '²'"),
    ],
)
def test_wrong_options_are_refused_before_anything_starts(options: dict[str, str], said: str, image: Image) -> None:
    with pytest.raises(MachineNeeds, match=said):
        sandbox_of(image, **options).check()


def test_what_there_is_not_is_refused_before_anything_starts(tmp_path: Path) -> None:
    with pytest.raises(
        PluginError, match=r"no kind of machine 'sandbx'; did you mean 'sandbox'\?\nthere are: sandbox \(machines.sandbox:sandbox, built in\)"
    ):
        MachineChoice("sandbx", "smoke", tmp_path).check()
    with pytest.raises(MachineNeeds, match="there is no image 'windows'"):
        MachineChoice("sandbox", "windows", tmp_path).check()
    with pytest.raises(MachineNeeds, match="not built yet: deskmill machine build smoke"):
        MachineChoice("sandbox", "smoke", tmp_path).check()
    assert MachineChoice("sandbox", "smoke", tmp_path).offers.packages == ()
