"""Figures of the client of language models against the fake server: its rate beside a bare loop over the same openai client, and its memory."""

import asyncio
import contextlib
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import openai

from language_models.client import Client, Endpoint, Request

REPOSITORY = Path(__file__).parents[1]
AT_ONCE, LATENCY = 64, 0.02
SYSTEM = "You choose applications. " * 100


def rates(requests: int = 3000) -> tuple[float, float]:
    """Requests a second of our client and of a bare loop over the openai client on its aiohttp transport."""
    with server() as base_url, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_bare(base_url, 300))
        bare = requests / _seconds(lambda: asyncio.run(_bare(base_url, requests)))
        ours = requests / _seconds(lambda: _ours(base_url, requests, Path(folder) / "calls.sqlite"))
    return ours, bare


@contextlib.contextmanager
def server() -> Iterator[str]:
    """The fake server in a process of its own."""
    command = [sys.executable, "-m", "tests.language_models.fake_server", str(LATENCY)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None and process.stdin is not None
        yield process.stdout.readline().strip()
        process.stdin.close()


async def _bare(base_url: str, requests: int) -> None:
    gate = asyncio.Semaphore(AT_ONCE)

    async def one(number: int) -> str | None:
        async with gate:
            completion = await client.chat.completions.create(
                model="m",
                messages=[{"role": "system", "content": SYSTEM}, {"role": "user", "content": f"Task {number}"}],
                temperature=0.0,
                max_tokens=32,
            )
        return completion.choices[0].message.content

    async with openai.AsyncOpenAI(base_url=base_url, api_key="none", http_client=openai.DefaultAioHttpClient()) as client:
        await asyncio.gather(*(one(number) for number in range(requests)))


def _ours(base_url: str, requests: int, store: Path) -> None:
    with Client(Endpoint("m", base_url, at_once=AT_ONCE), store, "bench") as client:
        for _ in client.each((Request(SYSTEM, f"Task {number}", max_tokens=32) for number in range(requests)), client.ask):
            pass


def peak_megabytes() -> float:
    """The most memory that this process ever held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000


def _seconds(action: object) -> float:
    started = time.perf_counter()
    assert callable(action)
    action()
    return time.perf_counter() - started


if __name__ == "__main__":
    print(rates())
