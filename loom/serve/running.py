"""The proxy as it runs: its socket, and a client that is started with it and sends its requests to
it.

A client that opens a connection and sends nothing, or one byte now and then, keeps nobody else
waiting: headers and body must arrive in time, and of too many connections without a whole request
the oldest is closed."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

import h11
import uvicorn
from msgspec import json
from starlette.applications import Starlette
from uvicorn.protocols.http.h11_impl import H11Protocol

from loom.errors import LoomError
from loom.serve.conversation_owners import CONNECTION, TOLD

HEADERS, BODY = 10.0, 120.0  # seconds, each from its beginning
WAITING = 256  # connections without a whole request: of 1,024 files a process has as a rule
PENDING = (h11.IDLE, h11.SEND_BODY)


class PatientProtocol(H11Protocol):
    """A client's connection. It is closed if a request does not arrive in time."""

    waiting: ClassVar[dict[PatientProtocol, None]] = {}  # the oldest first
    _phase: object = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timer for the headers of the first request. If too many connections wait, close
        the oldest."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, CONNECTION: {}}
        self._start_timer()
        if len(self.waiting) > WAITING:
            oldest = next(iter(self.waiting))
            oldest._stop_timer()  # it is lost in a later round of the loop
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request. A new timer is started when the body begins."""
        super().data_received(data)
        self._start_timer()

    def on_response_complete(self) -> None:
        """Wait for the next request, without a timer: uvicorn itself closes idle connections."""
        super().on_response_complete()
        self._stop_timer()
        if not self.transport.is_closing() and self.conn.their_state in PENDING:
            self.waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop the timer; the connection is closed."""
        self._stop_timer()
        super().connection_lost(exc)

    def _start_timer(self) -> None:
        """Start the timer for the headers or for the body, unless this timer runs already; stop any
        timer once the request is complete."""
        phase = self.conn.their_state
        if phase not in PENDING or self.transport.is_closing():
            self._stop_timer()
        elif self._timer is None or phase is not self._phase:
            self._stop_timer()
            self.waiting[self], self._phase = None, phase
            seconds = HEADERS if phase is h11.IDLE else BODY
            self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop_timer(self) -> None:
        """Stop the timer. The connection no longer counts as waiting."""
        self.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None


def proxied_command(command: Sequence[str], url: str) -> tuple[list[str], dict[str, str]]:
    """Return (the words of a client's command, environment variables for it) that make the client
    send its requests to the proxy at `url`."""
    words, env = [*command], {"ANTHROPIC_BASE_URL": url, "OPENAI_BASE_URL": f"{url}/v1"}
    name = Path(command[0]).name
    if name == "codex":  # its own provider at another address: its login stays
        words[1:1] = ["-c", f'openai_base_url="{url}/v1"']
    if name == "opencode":
        env["OPENCODE_CONFIG_CONTENT"] = _opencode_config(url)
    return words, env


def _opencode_config(url: str) -> str:
    """Return an opencode configuration, as JSON, whose providers have the proxy's address."""
    try:
        given = os.environ.get("OPENCODE_CONFIG_CONTENT") or "{}"
        config = json.decode(given, type=dict[str, object])
    except ValueError:
        config = {}
    providers = config.get("provider")
    known = dict(providers) if isinstance(providers, dict) else {}
    for name in ("anthropic", "openai"):
        provider = known.get(name) or {}
        options = {"baseURL": f"{url}/v1", **(provider.get("options") or {})}
        known[name] = {**provider, "options": options}
    return json.encode({**config, "provider": known}).decode()


HOST = "127.0.0.1"
INTERRUPTED = 130
APART = "this system does not tell which user asks: by their keys alone sessions are kept apart"
GRACE = 3  # seconds that replies which still stream have when the proxy is to end


class _Server(uvicorn.Server):
    """A uvicorn server that leaves signals to its caller."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave all signal handlers as they are."""
        yield


def bind_port(port: int) -> socket.socket:
    """Return a socket bound to `port` of 127.0.0.1; port 0 takes any free port. Raises LoomError if
    the port is in use."""
    # Only with IPPROTO_TCP does asyncio set TCP_NODELAY: else each answer comes 40 ms later.
    bound = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((HOST, port))
    except OSError as error:
        bound.close()
        raise LoomError(
            f"port {port} of {HOST} cannot be had ({error.strerror}): give another by --port,"
            " or 0 for any"
        ) from error
    return bound


async def serve_application(app: Starlette, folder: Path, port: int, command: Sequence[str]) -> int:
    """Serve the proxy until the client's `command` has ended; without a command, until an
    interrupt. Return the exit code. `folder` holds the workspaces."""
    bound = bind_port(port)
    url = f"http://{HOST}:{bound.getsockname()[1]}"
    config = uvicorn.Config(
        app,
        log_level="critical",  # a stream that is cut at the end is no error
        access_log=False,
        lifespan="on",
        http=PatientProtocol,
        ws="none",
        proxy_headers=False,  # anybody may write them
        timeout_graceful_shutdown=GRACE,
    )
    server = _Server(config)
    told: list[signal.Signals] = []

    def end(by: signal.Signals) -> None:
        server.force_exit = bool(told)  # asked twice: nothing is waited for
        server.should_exit = True
        told.append(by)

    if not command:
        for by in (signal.SIGINT, signal.SIGTERM):
            # A shell has what it starts in the background ignore Ctrl-C.
            if signal.getsignal(by) is not signal.SIG_IGN:
                asyncio.get_running_loop().add_signal_handler(by, end, by)
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    try:
        while not server.started and not serving.done():
            await asyncio.sleep(0.01)
        # Told once it answers: whoever reads the line may ask at once.
        print(f"loom serve: {url} · workspaces in {folder}", file=sys.stderr)
        if not TOLD:
            print(f"loom serve: {APART}", file=sys.stderr)
        if not command:
            await serving
            return INTERRUPTED if signal.SIGINT in told else 0
        return await _run_client(command, url)
    except LoomError:  # the client was not started
        command = ()
        raise
    finally:
        server.should_exit = True
        await serving
        print(f"loom serve: {_closing_line(app.state.counts, folder, command)}", file=sys.stderr)


def _closing_line(counts: Mapping[str, int], folder: Path, command: Sequence[str]) -> str:
    """Return the line that is printed at the end: how many requests of each kind were served, or
    that the client started by `command` sent no request."""
    if command and not sum(counts.values()):
        return (
            "no request came through: the client's own settings may name another address"
            " (`loom doctor` says where it looks)"
        )
    kinds = ", ".join(f"{many} {kind}" for kind, many in counts.items() if many)
    made = f" · loom report {folder} shows what was sent and cut" if counts["main"] else ""
    return f"requests: {kinds or 'none'}{made}"


async def _run_client(command: Sequence[str], url: str) -> int:
    """Run a command as a client of the proxy at `url`. Return its exit code. Raises LoomError if
    the command cannot be started."""
    # The terminal tells the client of Ctrl-C too: what it makes of it is its own. Both are set
    # before it is started, so that none meant for it ends the proxy alone.
    loop, terminated = asyncio.get_running_loop(), asyncio.Event()
    loop.add_signal_handler(signal.SIGINT, lambda: None)
    loop.add_signal_handler(signal.SIGTERM, terminated.set)
    words, env = proxied_command(command, url)
    try:
        process = await asyncio.create_subprocess_exec(*words, env={**os.environ, **env})
    except OSError as error:
        raise LoomError(f"{words[0]} cannot be started: {error.strerror}") from error

    async def ended() -> None:
        await terminated.wait()
        process.terminate()

    ending = asyncio.create_task(ended())
    code = await process.wait()
    ending.cancel()
    return code if code >= 0 else 128 - code
