"""The proxy running: its socket, and a client started beside it."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path

import uvicorn

from loom.errors import LoomError
from loom.serve.app import application
from loom.serve.launch import launched

HOST = "127.0.0.1"


class Running:
    """A proxy to be run."""

    def __init__(
        self, folder: Path, bases: Mapping[str, str], window: int, *, own_tools: bool, redact: bool
    ) -> None:
        self.app = application(folder, bases, window, own_tools=own_tools, redact=redact)
        self.folder = folder

    async def until_done(self, port: int, command: Sequence[str]) -> int:
        """Serve until the command has ended, or without one until interrupted; its exit code."""
        bound = socket.socket()
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            bound.bind((HOST, port))
        except OSError as error:
            bound.close()
            raise LoomError(
                f"port {port} of {HOST} cannot be had ({error.strerror}): give another by --port,"
                " or 0 for any"
            ) from error
        url = f"http://{HOST}:{bound.getsockname()[1]}"
        print(f"loom serve: {url} · workspaces in {self.folder}", file=sys.stderr)
        config = uvicorn.Config(self.app, log_level="error", access_log=False, lifespan="on")
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve(sockets=[bound]))
        try:
            if not command:
                await serving
                return 0
            while not server.started and not serving.done():
                await asyncio.sleep(0.01)
            return await self._client(command, url)
        finally:
            server.should_exit = True
            await serving

    async def _client(self, command: Sequence[str], url: str) -> int:
        words, env = launched(command, url)
        try:
            process = await asyncio.create_subprocess_exec(*words, env={**os.environ, **env})
        except OSError as error:
            raise LoomError(f"{words[0]} cannot be started: {error.strerror}") from error
        # The terminal tells the client of Ctrl-C too: what it makes of it is its own.
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGINT, lambda: None)
        loop.add_signal_handler(signal.SIGTERM, process.terminate)
        code = await process.wait()
        return code if code >= 0 else 128 - code
