"""The pages of people: which episodes are played, the live screen of each, and what a person does there.

They stand behind the door of `pages.access`. `GET /` and `GET /episode/RUN/NAME` are the pages. They ask `/api/episodes`, write to
`/api/episodes/RUN/NAME/DEED`, and show `/screen/RUN/NAME`. Where the command line gives no name, who acts gives one at `/api/name`.
"""

import asyncio
import contextlib
from pathlib import Path

from pydantic import BaseModel
from starlette.applications import Starlette
from starlette.requests import HTTPConnection, Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from eval_flows.episodes.pages.access import Visitor, visitor_of
from eval_flows.episodes.pages.names import WRONG, is_name, keep_name, name_of
from eval_flows.episodes.people.bridge import Bridge
from eval_flows.episodes.people.halls import Halls, Json, Key
from eval_flows.episodes.people.reception import EpisodeGone
from machines.errors import MachineError

NOVNC = Path("/usr/share/novnc")  # of Debian's package
_PAGES = Path(__file__).parent / "pages"
_BACK_SECONDS = 10.0  # after which the machine goes back from a holder whose page is gone
_ARRIVED_SECONDS = 5.0  # for what a viewer has sent, at most: its connection may be gone
_ASK_EVERY = 0.01  # seconds
_LONGEST_NOTE = 4000  # characters
_ENDS = {"done": "DONE", "fail": "FAIL"}


class People:
    """The server's side of all viewers."""

    def __init__(self, halls: Halls, person: str | None) -> None:
        """Take where episodes are found, and the name that records give to whoever acts; without it, each person gives one."""
        self._halls = halls
        self._person = person
        self._bridges: dict[tuple[Key, str], list[Bridge]] = {}
        self._leaving: set[asyncio.Task[None]] = set()

    def app(self) -> Starlette:
        """Return the application, without a guard: whoever serves it puts one before."""
        routes = [
            Route("/", lambda _: FileResponse(_PAGES / "overview.html")),
            Route("/episode/{run}/{name}", lambda _: FileResponse(_PAGES / "episode.html")),
            Route("/api/name", self.named, methods=["POST"]),
            Route("/api/episodes", self.episodes),
            Route("/api/episodes/{run}/{name}", self.episode),
            Route("/api/episodes/{run}/{name}/{deed}", self.deed, methods=["POST"]),
            WebSocketRoute("/screen/{run}/{name}", self.screen),
            Mount("/pages", StaticFiles(directory=_PAGES)),
            Mount("/novnc", StaticFiles(directory=NOVNC)),
        ]
        return Starlette(routes=routes)

    async def named(self, request: Request) -> Response:
        """Take the name of a person."""
        who = (await _body(request)).name.strip()
        if not is_name(who):
            return JSONResponse({"error": WRONG}, 422)
        answer = JSONResponse({})
        keep_name(who, answer)
        return answer

    async def episodes(self, request: Request) -> Response:
        """Return the states of all episodes."""
        visitor = visitor_of(request)
        states = await asyncio.to_thread(self._halls.states)
        return JSONResponse([_told(key, state, visitor) for key, state in states])

    async def episode(self, request: Request) -> Response:
        """Return the state of one episode, or what came of it."""
        visitor, key = visitor_of(request), _key(request)
        try:
            state = await asyncio.to_thread(self._halls.state, key)
        except EpisodeGone:
            result = await asyncio.to_thread(self._halls.result, key)
            return JSONResponse({"phase": "gone", "result": result, "may_act": visitor.may_act})
        if state["holder"] == visitor.identity != state["recalled"]:
            self._give(key, visitor)
        return JSONResponse({**_told(key, state, visitor), "you": self._person or name_of(request)})

    async def deed(self, request: Request) -> Response:
        """Carry out what a person asks: take, back, and done or fail in a demonstration."""
        visitor, key, deed = visitor_of(request), _key(request), request.path_params["deed"]
        try:
            visit = await asyncio.to_thread(self._halls.visit, key)
            if deed == "take":
                if not (person := self._person or name_of(request)):
                    return JSONResponse({"error": "give your name first"}, 422)
                taken = await asyncio.to_thread(visit.take, visitor.identity, person)
                if taken == "taken":
                    self._give(key, visitor)
                return JSONResponse({"taken": taken}, 200 if taken in ("taken", "soon") else 409)
            body = await _body(request)
            if deed == "back":
                await self._let_go(key, visitor, body.sent)
                done = await asyncio.to_thread(visit.back, visitor.identity, body.note[:_LONGEST_NOTE])
            elif deed in _ENDS:
                await self._let_go(key, visitor, body.sent)
                done = await asyncio.to_thread(visit.finish, visitor.identity, _ENDS[deed])
            else:
                return JSONResponse({"error": f"there is no '{deed}' here"}, 404)
        except EpisodeGone as error:
            return JSONResponse({"error": str(error)}, 410)
        return JSONResponse({} if done else {"error": "you do not have the machine"}, 200 if done else 409)

    async def screen(self, websocket: WebSocket) -> None:
        """Show the live screen, and pass on what its holder does."""
        visitor, key = visitor_of(websocket), _key(websocket)
        try:
            visit = await asyncio.to_thread(self._halls.new_visit, key)
        except EpisodeGone:
            await websocket.close(1011, "no such episode is played now")
            return
        with visit:
            try:
                state = await asyncio.to_thread(visit.state)
                connection = await asyncio.to_thread(visit.screen)
            except (EpisodeGone, MachineError) as error:
                await websocket.close(1011, str(error)[:100])
                return
            await websocket.accept()
            bridge = Bridge(websocket, visit, visitor.identity, tuple(state["screen"]))
            bridge.is_holder = visitor.may_act and state["holder"] == visitor.identity != state["recalled"]
            among = self._bridges.setdefault((key, visitor.identity), [])
            among.append(bridge)
            try:
                await bridge.run(connection)
            finally:
                among.remove(bridge)
                self._leave_soon(key, visitor)
                with contextlib.suppress(RuntimeError, WebSocketDisconnect):  # the browser has closed it already
                    await websocket.close()

    def _leave_soon(self, key: Key, visitor: Visitor) -> None:
        """Hand the machine back for a holder whose page is gone, unless it comes again soon."""

        async def leave() -> None:
            await asyncio.sleep(_BACK_SECONDS)
            if not self._bridges.get((key, visitor.identity)):
                self._bridges.pop((key, visitor.identity), None)
                with contextlib.suppress(EpisodeGone):
                    visit = await asyncio.to_thread(self._halls.visit, key)
                    await asyncio.to_thread(visit.back, visitor.identity)

        task = asyncio.create_task(leave())
        self._leaving.add(task)
        task.add_done_callback(self._leaving.discard)

    async def _let_go(self, key: Key, visitor: Visitor, sent: int) -> None:
        """Let go of the machine, after all that the viewer sent has come: their last keys may come later than the request to hand back."""
        bridges = list(self._bridges.get((key, visitor.identity), ()))
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_ARRIVED_SECONDS):
                while bridges and max(bridge.received for bridge in bridges) < sent:
                    await asyncio.sleep(_ASK_EVERY)
        for bridge in bridges:
            await bridge.let_go()

    def _give(self, key: Key, visitor: Visitor) -> None:
        """Let pass what a holder does. A bridge finds out by itself when its viewer holds the machine no more."""
        for bridge in self._bridges.get((key, visitor.identity), ()):
            bridge.is_holder = visitor.may_act


def _key(connection: HTTPConnection) -> Key:
    return connection.path_params["run"], connection.path_params["name"]


def _told(key: Key, state: Json, visitor: Visitor) -> Json:
    """Return the state as a visitor may see it: who else is there has no id."""
    who = {name: "you" if state[name] == visitor.identity else "another" if state[name] else "" for name in ("holder", "wanted", "recalled")}
    return {**state, **who, "run": key[0], "name": key[1], "may_act": visitor.may_act}


class _Body(BaseModel):
    """What a page sends: the note for the agent and how many bytes its viewer has sent with a deed, or the name of the person."""

    name: str = ""
    note: str = ""
    sent: int = 0


async def _body(request: Request) -> _Body:
    try:
        return _Body.model_validate_json(await request.body())
    except ValueError:
        return _Body()
