"""Serving the pages of people: one link acts, one only watches."""

import contextlib
from collections.abc import Callable, Iterator

from eval_flows.episodes.pages.serve import Pages
from eval_flows.episodes.people.halls import Halls
from eval_flows.episodes.people.server import NOVNC, People
from machines import host
from machines.errors import MachineNeeds

Say = Callable[[str], None]


def serve_people(halls: Halls, address: str, port: int, person: str | None, say: Say) -> None:
    """Say the links, and serve until Ctrl+C. `BadInput` if nobody can listen there, `MachineNeeds` without noVNC."""
    _opened(halls, address, port, person, say).run()


@contextlib.contextmanager
def people_served(halls: Halls, address: str, port: int, person: str | None, say: Say) -> Iterator[None]:
    """Serve in a thread, as long as the context lasts; errors as above."""
    with _opened(halls, address, port, person, say).running():
        yield


def _opened(halls: Halls, address: str, port: int, person: str | None, say: Say) -> Pages:
    if not (NOVNC / "core" / "rfb.js").is_file():
        raise MachineNeeds(f"the live screen in a browser needs noVNC in {NOVNC}: {host.installing([('novnc', 'novnc')])}")
    pages = Pages(People(halls, person).app(), address, port)
    say(f"to act: {pages.acting}")
    say(f"only to watch: {pages.watching}")
    return pages
