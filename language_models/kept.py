"""Kept calls, read back: the request as it was sent, and the answer. Nothing is asked, and nothing is changed."""

import contextlib
import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import Any

from language_models.cache import opened, stored_text, whole
from language_models.chat import Answer, read_answer

_TEXTS = 256  # the turns of a conversation share their texts and pictures, some hundred kilobytes each: so many stay in memory


@dataclass(frozen=True)
class KeptCall:
    """A call: the content that its key was made from, which is the body of the request with the address, and the answer."""

    request: dict[str, Any]
    answer: Answer


class KeptCalls:
    """The kept calls in the file of the cache. Use it as a context manager."""

    def __init__(self, path: Path) -> None:
        """Open the file; if it is not there, it holds no call."""
        self._connection = opened(path) if path.is_file() else None
        self._text = lru_cache(_TEXTS)(self._read_text)

    def __enter__(self) -> "KeptCalls":
        """Return the calls."""
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()

    def get(self, call_id: str) -> KeptCall | None:
        """Return the call of that id, the beginning of its key; None if no answer is kept under it, or one that cannot be read."""
        if self._connection is None:
            return None
        query = "select request, answer from answers where key >= ? and key < ? || 'g' limit 1"
        found = self._connection.execute(query, [call_id, call_id]).fetchone()
        with contextlib.suppress(ValueError, TypeError):
            return found and KeptCall(whole(json.loads(found[0]), self._text), read_answer(json.loads(found[1]), call_id))
        return None

    def _read_text(self, digest: str) -> str | None:
        return None if self._connection is None else stored_text(self._connection, digest)
