"""Collecting a stream, and a server that streams what it is given."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest

from loom.providers.formats import collector_for

Chunks = Iterable[object]


@pytest.fixture(scope="session")
def collect() -> Callable[[Chunks], dict[str, Any]]:
    """Return the reply of a stream that must be done at its end."""

    def run(chunks: Chunks) -> dict[str, Any]:
        stream = iter(chunks)
        first = next(stream)
        collector = collector_for(first)
        collector.take(first)
        for chunk in stream:
            collector.take(chunk)
        assert collector.done
        return collector.reply()

    return run


@pytest.fixture
def serve() -> Iterator[Callable[[list[dict[str, Any]]], str]]:
    """Start servers that answer each POST with the events given; return their address."""
    servers: list[tuple[ThreadingHTTPServer, Thread]] = []

    def start(events: list[dict[str, Any]]) -> str:
        lines = "".join(
            (f"event: {event['type']}\n" if "type" in event else "")
            + f"data: {json.dumps(event)}\n\n"
            for event in events
        )

        class Answer(BaseHTTPRequestHandler):
            """Answers with the whole stream at once."""

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Content-Length", str(len(lines.encode())))
                self.end_headers()
                self.wfile.write(lines.encode())

            def log_message(self, format: str, *args: object) -> None:
                """Say nothing."""

        server = ThreadingHTTPServer(("127.0.0.1", 0), Answer)
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        servers.append((server, thread))
        return f"http://127.0.0.1:{server.server_address[1]}"

    yield start
    for server, thread in servers:
        server.shutdown()
        thread.join()
        server.server_close()
