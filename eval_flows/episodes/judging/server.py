"""The pages on which people judge: a list of what is left, a page for each item, its pictures, and the files that results left.

They stand behind the door of `pages.access`. Each person gives a name, which a cookie holds; so several people can judge
on one server at the same time. Pages work without scripts; a script counts the time and knows keys.
"""

from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, quote

from anyio import CapacityLimiter, to_thread
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from atomic_tasks.problems import BadInput
from eval_flows.episodes.judging.files import KeptFile
from eval_flows.episodes.judging.work import Said, Work
from eval_flows.episodes.pages.names import WRONG, is_name, keep_name, name_of

_ROOM = Path(__file__).parent
_TEMPLATES = Environment(loader=FileSystemLoader(_ROOM / "pages"), undefined=StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True)
_LONGEST_FORM = 100_000  # bytes


def judging_app(work: Work) -> Starlette:
    """Return the pages of a kind of work, without a guard: whoever serves them puts one before."""
    pages = _Pages(work)
    return Starlette(
        routes=[
            Route("/", pages.listed),
            Route("/name", pages.named, methods=["POST"]),
            Route("/next", pages.following),
            Route("/items/{item}", pages.item, methods=["GET"]),
            Route("/items/{item}", pages.kept, methods=["POST"]),
            Route("/items/{item}/pictures/{place}", pages.picture),
            Route("/items/{item}/files/{place}", pages.file),
            Route("/items/{item}/files/{place}/preview", pages.preview),
            Mount("/assets", StaticFiles(directory=_ROOM / "assets")),
        ],
        exception_handlers={BadInput: _not_there},
    )


class _Pages:
    """The pages of one kind of work. What reads or writes files runs in a thread."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._drawing = CapacityLimiter(1)  # a preview can take more than 100 MB, so there is one at a time

    async def listed(self, request: Request) -> Response:
        """Show who judges and what is left; ask for the name of who has given none."""
        who = name_of(request)
        if not who:
            return _page("name.html.j2", 200, work=self._work, wrong="")
        items, done = await to_thread.run_sync(lambda: (self._work.items(who), self._work.done(who)))
        return _page("list.html.j2", 200, work=self._work, who=who, items=items, done=done)

    async def named(self, request: Request) -> Response:
        """Take the name of a person."""
        who = (await _form(request)).get("name", "").strip()
        if not is_name(who):
            return _page("name.html.j2", 422, work=self._work, wrong=WRONG)
        answer = RedirectResponse("/", 303)
        keep_name(who, answer)
        return answer

    async def following(self, request: Request) -> Response:
        """Go to the next item that the person has not done, or to the list if all are done."""
        who = name_of(request)
        if not who:
            return RedirectResponse("/", 303)
        items, done = await to_thread.run_sync(lambda: (self._work.items(who), self._work.done(who)))
        left = next((one.item for one in items if one.item not in done), None)
        return RedirectResponse("/" if left is None else f"/items/{quote(left, safe='')}", 303)

    async def item(self, request: Request) -> Response:
        """Show an item."""
        who = name_of(request)
        if not who:
            return RedirectResponse("/", 303)
        item = request.path_params["item"]
        said = await to_thread.run_sync(self._work.said, item, who)
        return await self._shown(item, who, said, "", request.query_params)

    async def kept(self, request: Request) -> Response:
        """Keep what the person said, and go on; a form that says something impossible comes again with the reason."""
        who = name_of(request)
        if not who:
            return RedirectResponse("/", 303)
        item, said = request.path_params["item"], await _form(request)
        try:
            await to_thread.run_sync(self._work.keep, item, who, said)
        except BadInput as error:
            return await self._shown(item, who, said, str(error), request.query_params)
        return RedirectResponse("/next", 303)

    async def picture(self, request: Request) -> Response:
        """Return a picture of an item."""
        found = await to_thread.run_sync(self._work.picture, request.path_params["item"], name_of(request), request.path_params["place"])
        if found is None:
            return Response("there is no such picture", 404)
        return FileResponse(found)

    async def file(self, request: Request) -> Response:
        """Return a file that a result left, as a download that no browser opens."""
        found = await self._file(request)
        if found is None or found.kept is None:
            return Response("there is no such file", 404)
        return FileResponse(found.kept, media_type="application/octet-stream", filename=found.name)

    async def preview(self, request: Request) -> Response:
        """Return a file that is a picture, drawn anew."""
        found = await self._file(request)
        picture = None if found is None else await to_thread.run_sync(found.picture, limiter=self._drawing)
        return Response("there is no such picture", 404) if picture is None else Response(picture, media_type="image/png")

    async def _file(self, request: Request) -> KeptFile | None:
        return await to_thread.run_sync(self._work.file, request.path_params["item"], name_of(request), request.path_params["place"])

    async def _shown(self, item: str, who: str, said: Said, wrong: str, asked: Mapping[str, str]) -> Response:
        def values() -> dict[str, Any]:
            items, done = self._work.items(who), self._work.done(who)
            return {"done": len(done), "number": len(items), "item": item, **self._work.page(item, who)}

        shows_proposals = asked.get("proposals") == "yes" or said.get("saw_proposal") == "yes"
        found = await to_thread.run_sync(values)
        form = {"said": defaultdict(str, said), "wrong": wrong, "shows_proposals": shows_proposals}
        return _page(self._work.template, 422 if wrong else 200, work=self._work, who=who, **form, **found)


def _page(template: str, status: int, **values: Any) -> HTMLResponse:
    return HTMLResponse(_TEMPLATES.get_template(template).render(**values), status)


async def _form(request: Request) -> Said:
    """Return the fields of a form; a form that is too long is read as an empty one."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LONGEST_FORM:
            return {}
    return dict(parse_qsl(body.decode(errors="replace"), keep_blank_values=True))


async def _not_there(_: Request, error: Exception) -> Response:
    return _page("wrong.html.j2", 404, wrong=str(error))
