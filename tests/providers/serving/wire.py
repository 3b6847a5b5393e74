"""HTTP on the loopback: whole replies and event streams, connections that end when it stops."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Http(ThreadingHTTPServer):
    """Keeps its connections, to close them when it stops."""

    daemon_threads = False

    def __init__(self, server: Any) -> None:
        self.server_of = server
        self.connections: set[socket.socket] = set()
        super().__init__(("127.0.0.1", 0), Requests)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Note a connection."""
        self.connections.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that ended."""
        self.connections.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hung up is no error of the server's."""

    def hang_up(self) -> None:
        """End every open connection."""
        for connection in tuple(self.connections):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:  # it has gone already
                continue


class Requests(BaseHTTPRequestHandler):
    """One connection."""

    protocol_version = "HTTP/1.1"
    wbufsize = -1  # one write for head and body, or a reply waits for the other side's ACK
    disable_nagle_algorithm = True
    server: Http

    def log_message(self, format: str, *args: object) -> None:
        """Nothing is logged."""

    def do_POST(self) -> None:
        """Answer one request."""
        server = self.server.server_of
        data = self.rfile.read(int(self.headers.get("content-length") or 0))
        exchange, turn = server.answer(self.path, self.headers, data)
        if turn is None:
            self._whole(exchange.status, exchange.answer)
        elif exchange.streamed:
            self._streamed(server, exchange, server.replies(exchange).events(turn))
        else:
            answer = server.replies(exchange).reply(turn)
            server.delivered(exchange, answer)
            self._whole(200, answer)

    def _whole(self, status: int, answer: Any) -> None:
        plain = isinstance(answer, str)
        data = (answer if plain else json.dumps(answer)).encode()
        self.send_response(status)
        self.send_header("content-type", "text/plain" if plain else "application/json")
        self.send_header("content-length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def _streamed(self, server: Any, exchange: Any, events: Iterator[str]) -> None:
        ends, clean = server.breaking()
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        sent = []
        for event in events:
            if len(sent) == ends:
                server.delivered(exchange, sent, whole=False)
                self.close_connection = not clean
                self.wfile.write(b"0\r\n\r\n" if clean else b"")
                return
            data = event.encode()
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            sent.append(event)
        server.delivered(exchange, sent)
        self.wfile.write(b"0\r\n\r\n")
