"""Protects the order of the windows: a minimized one is told below those that can be seen, so that it covers nothing of them."""

import importlib
import sys
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

TITLES = {1: "below", 2: "minimized", 3: "front"}


class OneWindow:
    """A window as python-xlib gives it."""

    def __init__(self, identity: int) -> None:
        self.identity = identity

    def get_geometry(self) -> Any:
        return SimpleNamespace(width=300, height=200)

    def translate_coords(self, *_: Any) -> Any:
        return SimpleNamespace(x=-10, y=-20)

    def get_wm_class(self) -> tuple[str, str]:
        return "mousepad", "Mousepad"

    def get_full_property(self, name: str, _: Any) -> Any:
        hidden = ["_NET_WM_STATE_HIDDEN"] if TITLES[self.identity] == "minimized" else []
        known = {"_NET_WM_NAME": TITLES[self.identity].encode(), "_NET_WM_PID": [7], "_NET_WM_STATE": ["_NET_WM_STATE_STICKY", *hidden]}
        if self.identity == 1:
            del known["_NET_WM_STATE"]
        return SimpleNamespace(value=known[name]) if name in known else None


class Screen:
    """A display whose window manager lists a minimized window above another one, as Openbox does; atoms are their names."""

    def screen(self) -> Any:
        lists = {"_NET_CLIENT_LIST_STACKING": [1, 2, 3], "_NET_ACTIVE_WINDOW": [3]}
        return SimpleNamespace(root=SimpleNamespace(get_full_property=lambda name, _: SimpleNamespace(value=lists[name])))

    def get_atom(self, name: str) -> str:
        return name

    def create_resource_object(self, _: str, identity: int) -> OneWindow:
        return OneWindow(identity)


@pytest.fixture
def listed(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The list, with a library that is only on machines."""
    library: Any = ModuleType("Xlib")
    library.X, library.Xatom = SimpleNamespace(AnyPropertyType=0), SimpleNamespace(WINDOW=1, CARDINAL=2, ATOM=3, WM_NAME=4)
    library.display = SimpleNamespace(Display=Screen)
    library.error = SimpleNamespace(BadWindow=KeyError, BadDrawable=KeyError)
    monkeypatch.setitem(sys.modules, "Xlib", library)
    name = "machines.guest.on_linux.window_list"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name).listed
    sys.modules.pop(name, None)


def test_a_minimized_window_is_listed_below_those_that_can_be_seen(listed: Any) -> None:
    """Found by review: it stays in its place in the manager's list, and cut the elements of the windows under that place."""
    found = listed(Screen())
    assert [one["title"] for one in found] == ["minimized", "below", "front"]
    assert [one["is_active"] for one in found] == [False, False, True] and (found[0]["x"], found[0]["y"]) == (10, 20)
