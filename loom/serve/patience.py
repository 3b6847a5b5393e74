"""How long the proxy waits for a request, and for how many at once.

Who opens a connection and says nothing, or a byte now and then, keeps nobody else waiting: headers
and body have their time, and of connections with no whole request the oldest goes where they are
many.
"""

from __future__ import annotations

import asyncio
from typing import ClassVar

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from loom.serve.peers import CONNECTION

HEADERS, BODY = 10.0, 120.0  # seconds, each from its beginning
WAITING = 256  # connections without a whole request: of 1,024 files a process has as a rule
PENDING = (h11.IDLE, h11.SEND_BODY)


class PatientProtocol(H11Protocol):
    """A connection of a client, closed when its request does not come in time."""

    waiting: ClassVar[dict[PatientProtocol, None]] = {}  # the oldest first
    _phase: object = None
    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for headers."""
        super().connection_made(transport)
        self.app_state = {**self.app_state, CONNECTION: {}}
        self._wait()
        if len(self.waiting) > WAITING:
            oldest = next(iter(self.waiting))
            oldest._stop()  # it is lost in a later round of the loop
            oldest.transport.abort()

    def data_received(self, data: bytes) -> None:
        """Take in a part of a request, and wait for what is missing of it."""
        super().data_received(data)
        self._wait()

    def on_response_complete(self) -> None:
        """Wait for the next request; uvicorn itself closes what stays idle."""
        super().on_response_complete()
        self._stop()
        if not self.transport.is_closing() and self.conn.their_state in PENDING:
            self.waiting[self] = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait for nothing more."""
        self._stop()
        super().connection_lost(exc)

    def _wait(self) -> None:
        phase = self.conn.their_state
        if phase not in PENDING or self.transport.is_closing():
            self._stop()
        elif self._timer is None or phase is not self._phase:
            self._stop()
            self.waiting[self], self._phase = None, phase
            seconds = HEADERS if phase is h11.IDLE else BODY
            self._timer = self.loop.call_later(seconds, self.transport.abort)

    def _stop(self) -> None:
        self.waiting.pop(self, None)
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
