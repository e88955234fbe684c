"""The places for machines on this host, and the server where a harness asks for machines, resets them and gives them back."""

import asyncio
import contextlib
import threading
import time
from collections.abc import AsyncIterator, Sequence

from anyio import to_thread
from fastapi import FastAPI, Request
from fastapi.responses import JSONResponse

from machines.client import Json
from machines.errors import MachineError, MachineNeeds
from machines.gateway.place import Place

_THREADS = 8  # for each place: a request waits in a thread for its machine
_RETRY_SECONDS = 5


class AllInUse(RuntimeError):
    """Every place has a machine that is in use."""


class NoSuchMachine(ValueError):
    """No machine has this name."""


_STATUS: dict[type[Exception], int] = {AllInUse: 503, NoSuchMachine: 404, MachineError: 502, MachineNeeds: 502}


class Places:
    """The places. A machine that nobody asked for anything for `idle_seconds` is given to the next who asks for one."""

    def __init__(self, places: Sequence[Place], idle_seconds: float) -> None:
        self._places = {place.name: place for place in places}
        self._idle_seconds = idle_seconds
        self._taken: set[str] = set()
        self._lock = threading.Lock()

    def __getitem__(self, name: str) -> Place:
        """Return the place of a machine that somebody took; `NoSuchMachine` with the others if nobody did."""
        if name not in self._taken:
            raise NoSuchMachine(f"there is no machine {name}; there are {', '.join(sorted(self._taken)) or 'none'}: POST /machines starts one")
        return self._places[name]

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._places)

    @property
    def taken(self) -> list[Place]:
        """Return the places of machines that somebody took."""
        return [place for name, place in self._places.items() if name in self._taken]

    def take(self) -> Place:
        """Return a place with a machine as it is at its start; `AllInUse` if there is none."""
        with self._lock:
            place = self._free()
            place.used = time.monotonic()
            self._taken.add(place.name)
        try:
            place.reset()
        except BaseException:
            self._taken.discard(place.name)
            raise
        return place

    def give_back(self, name: str) -> None:
        """Stop a machine, so that its place is free."""
        self[name].stop()
        self._taken.discard(name)

    def end(self) -> None:
        """Stop every machine."""
        for place in self._places.values():
            with contextlib.suppress(MachineError):
                place.stop()

    def _free(self) -> Place:
        until = time.monotonic() - self._idle_seconds
        for name, place in self._places.items():
            if name not in self._taken or place.used < until:
                return place
        raise AllInUse(f"all {len(self._places)} machines are in use: give one back, or serve more with --machines")


def create_control(places: Places) -> FastAPI:
    """Return the server. When it ends, every machine is stopped."""

    @contextlib.asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        to_thread.current_default_thread_limiter().total_tokens = _THREADS * (1 + len(places))
        try:
            yield
        finally:
            await asyncio.shield(to_thread.run_sync(places.end))

    app = FastAPI(title="Machines of Deskmill", lifespan=lifespan, openapi_url=None)
    for error in (*_STATUS, Exception):
        app.add_exception_handler(error, _told)

    @app.get("/machines")
    def listed(request: Request) -> list[Json]:
        return [_described(place, request) for place in places.taken]

    @app.post("/machines", status_code=201)
    def take(request: Request) -> Json:
        return _described(places.take(), request)

    @app.get("/machines/{name}")
    def machine(name: str, request: Request) -> Json:
        return _described(places[name], request)

    @app.post("/machines/{name}/reset")
    def reset(name: str, request: Request) -> Json:
        place = places[name]
        place.reset()
        return _described(place, request)

    @app.delete("/machines/{name}")
    def give_back(name: str) -> Json:
        places.give_back(name)
        return {"machine": name}

    return app


def _described(place: Place, request: Request) -> Json:
    """Return a machine as the harness takes it: `address` has the ports of the server, of Chrome, of VNC (there is none) and of VLC.

    Its host is the one that the harness asked: it reaches the machine there too.
    """
    ports, offers, host = place.ports, place.offers, request.url.hostname
    return {
        "machine": place.name,
        "address": f"{host}:{ports.server}:{ports.chromium}:0:{ports.vlc}",
        "url": f"http://{host}:{ports.server}",
        "screen": list(offers.screen),
        "home": offers.home,
        "programs": sorted(offers.programs),
    }


def _told(_: Request, error: Exception) -> JSONResponse:
    kind = next((kind for kind in type(error).__mro__ if kind in _STATUS), type(error))
    headers = {"Retry-After": str(_RETRY_SECONDS)} if isinstance(error, AllInUse) else {}
    return JSONResponse({"error": str(error), "kind": kind.__name__}, _STATUS.get(kind, 500), headers)
