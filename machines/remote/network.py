"""Requests to machines that others run, which may hang, send without end, or answer anything: each request has an end."""

import time
from collections.abc import Iterator

import httpx

_LARGEST = 512 * 2**20  # bytes of an answer
_SECONDS = 30.0


def client_of(address: str, token: str | None) -> httpx.Client:
    """Return a client for an address that sends the token, if there is one."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    return httpx.Client(transport=_Ending(httpx.HTTPTransport()), base_url=address, headers=headers, timeout=_SECONDS)


class _Ending(httpx.BaseTransport):
    """Ends answers that take longer than the time limit in all, or that are too large: httpx only limits the time between two bytes."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        begun = time.monotonic()
        answer = self._inner.handle_request(request)
        assert isinstance(answer.stream, httpx.SyncByteStream)
        answer.stream = _Limited(answer.stream, begun + float(request.extensions["timeout"]["read"]))
        return answer

    def close(self) -> None:
        self._inner.close()


class _Limited(httpx.SyncByteStream):
    def __init__(self, inner: httpx.SyncByteStream, until: float) -> None:
        self._inner = inner
        self._until = until

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for part in self._inner:
            size += len(part)
            if time.monotonic() > self._until:
                raise httpx.ReadTimeout(f"the answer had {size} bytes after the time limit, and had not ended")
            if size > _LARGEST:
                raise httpx.ReadError(f"the answer is larger than {_LARGEST} bytes")
            yield part

    def close(self) -> None:
        self._inner.close()
