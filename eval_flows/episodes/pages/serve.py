"""Serving pages on a port, with the links that open them, until they are told to end."""

import contextlib
import os
import threading
from collections.abc import Iterator
from urllib.parse import quote

import uvicorn
from starlette.types import ASGIApp

from eval_flows.episodes.listening import TOKEN_VARIABLE, listening_at
from eval_flows.episodes.pages.access import Access, Guard

_GRACE_SECONDS = 2  # for requests that are under way at the end


class Pages:
    """Pages behind their door, on a port that listens already. The token that lets act is DESKMILL_TOKEN; without it, one is made."""

    def __init__(self, app: ASGIApp, host: str, port: int) -> None:
        """Take the pages, and listen; port 0 takes a free one. `BadInput` if nobody can listen there."""
        self._given = os.environ.get(TOKEN_VARIABLE)
        self._access = Access(self._given)
        self._listening = listening_at(host, port)
        self._enter = f"http://{host}:{self._listening.getsockname()[1]}/enter#"
        config = uvicorn.Config(
            Guard(app, self._access),
            log_level="warning",
            timeout_graceful_shutdown=_GRACE_SECONDS,
            ws_per_message_deflate=False,
            lifespan="off",
        )
        self._server = uvicorn.Server(config)

    @property
    def acting(self) -> str:
        """Return the link for who may act. A token that the user has set is not shown: the variable stands in its place."""
        return self._enter + (f"${TOKEN_VARIABLE}" if self._given else quote(self._access.acting, safe=""))

    @property
    def watching(self) -> str:
        """Return the link for who only watches."""
        return self._enter + self._access.watching

    def run(self) -> None:
        """Serve until Ctrl+C, and return; SIGTERM ends the process."""
        with self._listening, contextlib.suppress(KeyboardInterrupt):  # uvicorn raises it again once the pages have ended
            self._server.run(sockets=[self._listening])

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Serve in a thread, as long as the context lasts."""
        thread = threading.Thread(target=self._server.run, args=([self._listening],), name="pages", daemon=True)
        with self._listening:
            thread.start()
            try:
                yield
            finally:
                self._server.should_exit = True
                thread.join(2 * _GRACE_SECONDS)
