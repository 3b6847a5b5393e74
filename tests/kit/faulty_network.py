"""A network between a client of HTTP and a server that loses, delays and doubles what it carries.

Each request meets a fault drawn from a seed, or none. A client on the other side cannot tell a
request that never arrived from one whose answer was lost: that is what it is for.
"""

import asyncio
import threading
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from random import Random

DELAY, LOST, ANSWER_LOST, DOUBLED, REFUSED = FAULTS = (
    "delayed", "request lost", "answer lost", "doubled", "refused",
)  # fmt: skip
NONE = "none"
LONGEST = 0.05  # seconds of a delay
BUSY = (
    b"HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\nRetry-After: 0\r\n"
    b"Connection: close\r\n\r\n"
)


class FaultyNetwork:
    """The proxy. `share` of requests meet one of `faults`; `cut` loses everything while it is set.

    `met` counts what requests met.
    """

    def __init__(
        self, server: str, seed: int, share: float, faults: Sequence[str] = FAULTS
    ) -> None:
        host, _, port = server.removeprefix("http://").partition(":")
        self.address = ""
        self.cut = False
        self.share = share
        self.met: Counter[str] = Counter()
        self._server = (host, int(port))
        self._faults = tuple(faults)
        self._rng = Random(seed)

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request of a client, and what becomes of it; the connection ends with it."""
        with suppress(OSError, EOFError, ValueError):
            writer.write(await self._answered(await _message(reader)))
            await writer.drain()
        with suppress(OSError):
            writer.close()

    async def _answered(self, request: bytes) -> bytes:
        """The answer to a request; none where it, or the answer, was lost."""
        fault = NONE
        if self.cut:
            fault = LOST
        elif self._rng.random() < self.share:
            fault = self._rng.choice(self._faults)
        self.met[fault] += 1
        if fault == LOST:
            return b""
        if fault == REFUSED:
            return BUSY
        if fault == DELAY:
            await asyncio.sleep(self._rng.uniform(0, LONGEST))
        answer = await self._sent(request)
        if fault == DOUBLED:
            await self._sent(request)
        return b"" if fault == ANSWER_LOST else answer

    async def _sent(self, request: bytes) -> bytes:
        """A request sent on; its answer, whole."""
        reader, writer = await asyncio.open_connection(*self._server)
        try:
            head, _, body = request.partition(b"\r\n\r\n")
            kept = [
                one for one in head.split(b"\r\n") if not one.lower().startswith(b"connection:")
            ]
            writer.write(b"\r\n".join([*kept, b"Connection: close"]) + b"\r\n\r\n" + body)
            await writer.drain()
            return await reader.read(-1)
        finally:
            writer.close()


async def _message(reader: asyncio.StreamReader) -> bytes:
    """One HTTP request, as long as it says it is."""
    head = await reader.readuntil(b"\r\n\r\n")
    length = 0
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            length = int(line.partition(b":")[2])
    return head + (await reader.readexactly(length) if length else b"")


@contextmanager
def faulty(
    server: str, seed: int = 0, share: float = 0.2, faults: Sequence[str] = FAULTS
) -> Iterator[FaultyNetwork]:
    """A network to a server (`http://host:port`), with an `address` of its own, in a thread."""
    network = FaultyNetwork(server, seed, share, faults)
    loop = asyncio.new_event_loop()
    ready = threading.Event()

    async def serve() -> None:
        listening = await asyncio.start_server(network.handle, "127.0.0.1", 0, limit=1 << 26)
        host, port = listening.sockets[0].getsockname()[:2]
        network.address = f"http://{host}:{port}"
        ready.set()
        await stopped.wait()
        listening.close()

    stopped = asyncio.Event()
    thread = threading.Thread(target=loop.run_until_complete, args=(serve(),), daemon=True)
    thread.start()
    ready.wait(10)
    try:
        yield network
    finally:
        loop.call_soon_threadsafe(stopped.set)
        thread.join(10)
        loop.close()
