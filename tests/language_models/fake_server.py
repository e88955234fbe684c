"""A real HTTP server that speaks the API and answers what it is told to, faults included; a model would cost money.

In a test: `with fake_server(reply) as server`. For a benchmark, in a process of its own: `python -m tests.language_models.fake_server LATENCY`.
"""

import asyncio
import hashlib
import json
import sys
import threading
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from random import Random
from typing import Any

from aiohttp import web

from tests.language_models.fake_apis import APIS, Api


@dataclass(frozen=True)
class Fault:
    """Something that goes wrong with one call: a status, or `hang`, `cut`, `malformed`, `empty`, `long`, `slow`, `refusal`, `picture` (too large)."""

    kind: str
    retry_after: float | None = None
    message: str = "as told"
    code: str | None = None


Reply = Callable[[dict[str, Any]], "str | int | Fault | dict[str, Any] | list[dict[str, Any]]"]
HANG = Fault("hang")  # apart from the others: who does not wait for an answer may pay for it twice, so it takes a patient client, and time
MIXED = [Fault("429", retry_after=0.01), Fault("500"), Fault("503"), Fault("cut"), Fault("malformed"), Fault("slow")]


@dataclass
class FakeServer:
    """Its address, the requests that it was sent, keys included, and how often it answered each in full, which is what costs money.

    `told_of_models` is what it says of the models that it lists.
    """

    base_url: str = ""
    requests: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)
    paid: Counter[str] = field(default_factory=Counter)
    most_at_once: int = 0
    files: dict[str, str] = field(default_factory=dict)
    batches: dict[str, dict[str, Any]] = field(default_factory=dict)
    told_of_models: dict[str, Any] = field(default_factory=dict)


class _Site:
    """The server's handlers."""

    def __init__(self, server: FakeServer, reply: Reply, latency: float, models: Sequence[str], context: int | None, keeps: bool) -> None:
        self.server, self.reply, self.latency, self.models, self.context, self.keeps = server, reply, latency, models, context, keeps
        self.in_flight = 0

    def application(self) -> web.Application:
        application = web.Application(client_max_size=2**30)
        application.router.add_post("/v1/chat/completions", self.chat)
        for path in APIS:
            application.router.add_post(path, self.chat)
        application.router.add_get("/v1/models", self.list_models)
        application.router.add_get("/v1/models/{name}", self.show_model)
        application.router.add_post("/v1/files", self.upload)
        application.router.add_get("/v1/files/{name}/content", self.download)
        application.router.add_post("/v1/batches", self.make_batch)
        application.router.add_get("/v1/batches", self.list_batches)
        application.router.add_get("/v1/batches/{name}", self.show_batch)
        return application

    async def chat(self, http: web.Request) -> web.StreamResponse:
        self.in_flight += 1
        self.server.most_at_once = max(self.server.most_at_once, self.in_flight)
        try:
            request = json.loads(await http.read())
            if self.keeps:
                self.server.requests.append(request)
                self.server.keys.append(http.headers.get("Authorization", ""))
            await asyncio.sleep(self.latency)
            api = APIS.get(http.path, _Chat())
            mistake = api.mistake(request)
            said = self.reply(request) if mistake is None else Fault("400", message=mistake)
            if isinstance(said, int):
                said = Fault(str(said))
            return await _faulty(http, request, said, self.server, api) if isinstance(said, Fault) else self.completed(api, request, said)
        finally:
            self.in_flight -= 1

    def completed(self, api: Api, request: dict[str, Any], said: str | dict[str, Any] | list[dict[str, Any]]) -> web.Response:
        self.server.paid[fingerprint(request)] += self.keeps
        return web.json_response(said if isinstance(said, dict) else api.reply(request["model"], said))

    async def list_models(self, http: web.Request) -> web.Response:
        if not self.models:
            return web.json_response({"error": {"message": "no list here"}}, status=404)
        extra = self.server.told_of_models | ({"max_model_len": self.context} if self.context else {})
        return web.json_response(
            {"object": "list", "data": [{"id": name, "object": "model", "created": 0, "owned_by": "x", **extra} for name in self.models]}
        )

    async def show_model(self, http: web.Request) -> web.Response:
        """One model, as Anthropic's API shows it."""
        name = http.match_info["name"]
        if name not in self.models:
            return web.json_response(APIS["/v1/messages"].error(f"model: {name}", "not_found_error" if self.models else "no list"), status=404)
        told = {"display_name": name, "created_at": "2026-01-01T00:00:00Z", "lifecycle": "active", "max_input_tokens": self.context}
        return web.json_response({"type": "model", "id": name, **told})

    async def upload(self, http: web.Request) -> web.Response:
        form = await http.post()
        content: Any = form["file"]
        name = f"file-{len(self.server.files)}"
        self.server.files[name] = content.file.read().decode()
        described = {
            "id": name,
            "object": "file",
            "bytes": 1,
            "created_at": 0,
            "filename": "requests.jsonl",
            "purpose": "batch",
            "status": "processed",
        }
        return web.json_response(described)

    async def download(self, http: web.Request) -> web.Response:
        return web.Response(text=self.server.files[http.match_info["name"]], content_type="application/jsonl")

    async def make_batch(self, http: web.Request) -> web.Response:
        """A batch that is over at the second look."""
        asked = await http.json()
        lines = []
        for line in self.server.files[asked["input_file_id"]].splitlines():
            entry = json.loads(line)
            said = self.reply(entry["body"])
            api = APIS.get(entry["url"], _Chat())
            body = api.reply(entry["body"]["model"], said) if isinstance(said, str) else {"error": {"message": "as told"}}
            self.server.paid[fingerprint(entry["body"])] += isinstance(said, str)
            lines.append(
                json.dumps({"custom_id": entry["custom_id"], "response": {"status_code": 200 if isinstance(said, str) else 500, "body": body}})
            )
        name, output = f"batch-{len(self.server.batches)}", f"output-{len(self.server.files)}"
        self.server.files[output] = "\n".join(lines)
        batch = {"id": name, "object": "batch", "endpoint": asked["endpoint"], "input_file_id": asked["input_file_id"], "completion_window": "24h"}
        self.server.batches[name] = {**batch, "created_at": 0, "status": "in_progress", "output_file_id": output}
        return web.json_response(self.server.batches[name])

    async def list_batches(self, http: web.Request) -> web.Response:
        return web.json_response({"object": "list", "data": list(self.server.batches.values()), "has_more": False})

    async def show_batch(self, http: web.Request) -> web.Response:
        batch = self.server.batches[http.match_info["name"]]
        shown = dict(batch)
        batch["status"] = "completed"
        return web.json_response(shown)


class _Chat:
    """The API of chats; it refuses pictures in the words of vLLM."""

    too_large: tuple[str, str | None] = (
        "The decoder prompt contains a(n) image item with length 4200, which exceeds the pre-allocated encoder cache size 3721.",
        None,
    )

    def reply(self, model: str, said: str | Sequence[dict[str, Any]], **more: Any) -> dict[str, Any]:
        return completion(model, str(said)) | more

    def of_kind(self, model: str, kind: str) -> dict[str, Any]:
        return _of_kind(model, kind)

    def error(self, message: str, code: str | None) -> dict[str, Any]:
        return {"error": {"message": message, "code": code}}

    def mistake(self, request: dict[str, Any]) -> str | None:
        return None


async def _faulty(http: web.Request, request: dict[str, Any], fault: Fault, server: FakeServer, api: Api) -> web.StreamResponse:
    """The answer that goes wrong; those that a provider would charge for are counted."""
    match fault.kind:
        case "hang":
            await asyncio.sleep(3600)
        case "cut":
            started = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "500"})
            await started.prepare(http)
            await started.write(b'{"id": "x", "choi')
            assert http.transport is not None
            http.transport.abort()
            return started
        case "malformed":
            return web.Response(text='{"id": "x", "choices": [{"mess', content_type="application/json")
        case "slow":
            await asyncio.sleep(0.2)
            server.paid[fingerprint(request)] += 1
            return web.json_response(api.reply(request["model"], "slowly"))
        case "empty" | "long" | "refusal":
            server.paid[fingerprint(request)] += 1
            return web.json_response(api.of_kind(request["model"], fault.kind))
        case "picture":
            return web.json_response(api.error(*api.too_large), status=400)
    headers = {"Retry-After": str(fault.retry_after)} if fault.retry_after is not None else {}
    return web.json_response(api.error(fault.message, fault.code), status=int(fault.kind), headers=headers)


def _of_kind(model: str, kind: str) -> dict[str, Any]:
    made = completion(model, "" if kind == "empty" else "and so on " * 50)
    if kind == "long":
        made["choices"][0]["finish_reason"] = "length"
    if kind == "refusal":
        made["choices"][0]["message"] |= {"content": None, "refusal": "I cannot help with that."}
    return made


def completion(model: str, text: str) -> dict[str, Any]:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    return {"id": "x", "object": "chat.completion", "created": 0, "model": model, "choices": [choice], "usage": usage}


def fingerprint(request: dict[str, Any]) -> str:
    """What makes two requests the same."""
    return hashlib.sha256(json.dumps(request, sort_keys=True).encode()).hexdigest()


def failing(reply: Reply, rate: float, faults: Sequence[Fault] = MIXED, seed: int = 0) -> Reply:
    """The reply with one of the faults at that rate."""
    random = Random(seed)
    return lambda request: random.choice(faults) if random.random() < rate else reply(request)


@contextmanager
def fake_server(
    reply: Reply, latency: float = 0.0, models: Sequence[str] = (), context: int | None = None, keeps: bool = True
) -> Iterator[FakeServer]:
    """A server whose answer to a request is `reply(request)`: a text, a whole completion, the number of an HTTP error, or a Fault."""
    server, loop, started, address = FakeServer(), asyncio.new_event_loop(), threading.Event(), []

    async def start() -> web.AppRunner:
        runner = web.AppRunner(_Site(server, reply, latency, models, context, keeps).application(), access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        address.append(runner.addresses[0][1])
        return runner

    def serve() -> None:
        asyncio.set_event_loop(loop)
        runner = loop.run_until_complete(start())
        started.set()
        loop.run_forever()
        loop.run_until_complete(_closed(runner.cleanup()))

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    assert started.wait(30)
    server.base_url = f"http://127.0.0.1:{address[0]}/v1"
    try:
        yield server
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join(10)


async def _closed(work: Awaitable[None]) -> None:
    """Clean up, and end the calls that hang."""
    await work
    left = asyncio.all_tasks() - {asyncio.current_task()}
    for task in left:
        task.cancel()
    await asyncio.gather(*left, return_exceptions=True)


if __name__ == "__main__":
    with fake_server(lambda request: "excel", latency=float(sys.argv[1]), keeps=False) as alone:
        print(alone.base_url, flush=True)
        sys.stdin.read()
