"""The loop of all runners: it begins some items, and more as results are taken, so that neither all items nor all results wait in memory."""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import Any, Protocol, TypeVar

from runners.errors import RunnerError, WorkerLost
from runners.runner import Item, Made

Handle = TypeVar("Handle")
_NAME_LENGTH = 200  # characters of an item in a message


class Workers(Protocol[Handle]):
    """The workers of a runner. A handle is hashable and stands for an item that was begun.

    `retries` says how often an item is begun again after its worker was lost: 0 where the engine does that itself.
    """

    retries: int

    @property
    def room(self) -> int:
        """How many items may be begun and not taken; at least 1."""
        ...

    def begin(self, function: Callable[[Any], Any], item: Any) -> Handle:
        """Begin an item."""
        ...

    def ended(self, begun: Collection[Handle]) -> Collection[Handle]:
        """Wait until at least one of those begun has ended, and return all that have."""
        ...

    def result(self, handle: Handle) -> Any:
        """Return the result of one that has ended, or raise its error; `WorkerLost` if its worker is gone."""
        ...


def windowed(
    workers: Workers[Handle], function: Callable[[Item], Made], items: Sequence[Item], lost: Callable[[Item, str], Made] | None = None
) -> Iterator[Made]:
    """Yield the function's results for the items, in any order; see `Map` for `lost`, and for items that grow."""
    waiting: deque[int] = deque()  # numbers of items
    listed = 0
    losses: dict[int, int] = {}
    begun: dict[Handle, int] = {}
    made: list[Made] = []
    while listed < len(items) or waiting or begun or made:
        waiting.extend(range(listed, grown := len(items)))
        listed = grown
        for _ in range(min(workers.room - len(begun), len(waiting))):
            number = waiting.popleft()
            begun[workers.begin(function, items[number])] = number
        yield from made  # after others were begun, so that workers never wait for the one who takes the results
        made.clear()
        if listed < len(items) or not begun:  # who took them appended some, which wait for nothing
            continue
        for handle in workers.ended(begun):
            number = begun.pop(handle)
            try:
                made.append(workers.result(handle))
            except WorkerLost as error:
                losses[number] = losses.get(number, 0) + 1
                if losses[number] <= workers.retries:
                    waiting.appendleft(number)
                elif lost is not None:
                    made.append(lost(items[number], f"every worker that began it was lost ({error})"))
                else:
                    raise RunnerError(_lost(items[number], error)) from error


def _lost(item: object, error: WorkerLost) -> str:
    return (
        f"{str(item)[:_NAME_LENGTH]}: every worker that began it was lost ({error}). Such a worker was killed, by the system where memory runs out: "
        "look at the logs of its host, give it fewer workers or more memory, and run the same command again. What is made stays"
    )
