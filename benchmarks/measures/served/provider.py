"""A provider on the loopback that answers every request of the Messages API alike and at once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from msgspec import json
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from uvicorn import Config, Server

SAID = "Noted."  # the reply; clients here list what was recorded instead
USAGE = {"input_tokens": 0, "output_tokens": 1}  # no size: Loom's own count stands
EVENTS: tuple[dict[str, object], ...] = (
    {
        "type": "message_start",
        "message": {
            "id": "msg_1", "type": "message", "role": "assistant", "content": [],
            "model": "m", "stop_reason": None, "stop_sequence": None, "usage": USAGE,
        },
    },
    {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
    {
        "type": "content_block_delta",
        "index": 0,
        "delta": {"type": "text_delta", "text": SAID},
    },
    {"type": "content_block_stop", "index": 0},
    {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 1}},
    {"type": "message_stop"},
)  # fmt: skip
STREAM = b"".join(
    b"event: %s\ndata: %s\n\n" % (str(e["type"]).encode(), json.encode(e)) for e in EVENTS
)
Hear = Callable[[str, bytes], None]  # the name of the conversation, and the body as it came
NAMED = "x-conversation"


@contextmanager
def provider(hear: Hear) -> Iterator[str]:
    """The address of a provider; `hear` is told of each request before it is answered."""

    async def answer(request: Request) -> Response:
        body = await request.body()
        hear(request.headers.get(NAMED, ""), body)
        return StreamingResponse(_once(), media_type="text/event-stream")

    app = Starlette(routes=[Route("/v1/messages", answer, methods=["POST"])])
    server = Server(Config(app, port=0, log_level="critical", access_log=False))
    ready = Event()

    async def run() -> None:
        serving = asyncio.create_task(server.serve())
        while not (server.started or serving.done()):
            await asyncio.sleep(0.01)
        ready.set()
        await serving

    thread = Thread(target=asyncio.run, args=(run(),), daemon=True)
    thread.start()
    ready.wait()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


async def _once() -> AsyncIterator[bytes]:
    yield STREAM
