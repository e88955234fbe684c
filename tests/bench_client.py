"""Figures of the client of language models against the fake server: its rate beside a bare loop over the same openai client, and its memory.

Run as `python -m tests.bench_client FOLDER`, in a process of its own, it scores the dataset that bench_scale built there; prints one JSON line.
"""

import asyncio
import contextlib
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import openai

from language_models.client import Client, Endpoint, Request
from tests.timing import seconds_of

REPOSITORY = Path(__file__).parents[1]
AT_ONCE, LATENCY = 64, 0.02
SYSTEM = "You choose applications. " * 100


def rates(requests: int = 3000) -> tuple[float, float]:
    """Requests a second of our client and of a bare loop over the openai client on its aiohttp transport."""
    with server() as base_url, tempfile.TemporaryDirectory() as folder:
        asyncio.run(_bare(base_url, 300))
        bare = requests / seconds_of(lambda: asyncio.run(_bare(base_url, requests)))
        ours = requests / seconds_of(lambda: _ours(base_url, requests, Path(folder) / "calls.sqlite"))
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
        for _ in client.each((Request.of(SYSTEM, f"Task {number}", max_tokens=32) for number in range(requests)), client.ask):
            pass


def run_measured(folder: Path) -> dict[str, float]:
    """A zero-shot run over every task of the dataset `scale` in the folder: predictions, seconds, and peak memory in MB."""
    from eval_flows.selection.pipeline import Choices, evaluate_selection
    from warehouse.layout import DataFolder

    with server() as base_url:
        choices = Choices(endpoint=Endpoint("m", base_url, at_once=AT_ONCE), split="all")
        started = time.perf_counter()
        evaluated = evaluate_selection("scale", ["zero_shot"], DataFolder(folder), lambda stage, done, total, note="": None, choices)
        seconds = time.perf_counter() - started
    return {
        "predictions": evaluated.runs[0].tasks,
        "seconds": seconds,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


if __name__ == "__main__":
    print(json.dumps(run_measured(Path(sys.argv[1]))))
