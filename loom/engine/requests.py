"""Requests: the messages of a window, kept from one to the next, and the Turn made of them."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from loom.engine.archive.reading import Reader
from loom.engine.archive.summaries import SummaryAsk
from loom.engine.meter import model_of
from loom.engine.pressure import Pressure
from loom.engine.turn import Turn, Wire
from loom.providers.render.message import spoken
from loom.providers.render.render import Rendering, Request, request
from loom_partitions.records import Record, Turned
from loom_partitions.window import Window


class Requests:
    """Renders windows. What was rendered is kept, as the next request begins with it."""

    def __init__(self, read: Reader, version: int = 0) -> None:
        self._read = read
        self._wire = Wire(read.data)
        self.rendering = Rendering(version)
        self._asked = (0, 0)  # the last request's number, and how many of its Turns were sent

    @property
    def version(self) -> int:
        """How often rendering began anew."""
        return self.rendering.version

    def forget(self) -> None:
        """Keep nothing: the next request is rendered from its window alone."""
        self.rendering = Rendering(self.rendering.version)

    def render(self, window: Window) -> None:
        """Render what is new of a window."""
        self.rendering.update(window, self._read)

    def identified(self, record: Record) -> Record:
        """The record of the request rendered last with its sha256; any other record as it is."""
        if isinstance(record, Turned):
            return replace(record, sha256=self.rendering.sha256)
        return record

    def last(self, window: Window) -> Request | None:
        """The request made last, None when the window holds none."""
        if self.rendering.holds(window):
            return Request(self.rendering.tools, self.rendering.messages)
        if window.sent.shared < 0:
            return None
        return request(window, self._read, window.sent.shared)

    def texts(self, window: Window) -> list[str]:
        """The texts of the request as it stands."""
        said = request(window, self._read)
        return [text for message in said.messages for text in spoken(message)] + said.tools

    def turn(
        self, window: Window, pressure: Pressure, asks: Callable[[], tuple[SummaryAsk, ...]]
    ) -> Turn:
        """The request of a window."""
        self.render(window)
        return Turn(
            window.sent.turn,
            pressure,
            self.rendering.messages,
            tuple(self.rendering.tools),
            self.rendering.sha256,
            self.rendering.version,
            self._wire,
            marks=self.rendering.positions.marks(window.sent),
            reply=window.limits.reply,
            model=window.config.model,
            key=window.config.key,
            answered_by=model_of(window),
            asks=asks,
        )

    def told(self, number: int) -> None:
        """Know that a Turn of that number is sent."""
        known, times = self._asked
        self._asked = (number, times + 1 if known == number else 1)

    def refused(self) -> None:
        """What was sent last was answered with an error, and counted by nobody."""
        number, times = self._asked
        self._asked = (number, max(times - 1, 0))

    def again(self, window: Window) -> int:
        """How often the last request was sent more than once since this was asked."""
        number, times = self._asked
        if number != window.sent.turn or times < 2:
            return 0
        self._asked = (number, 1)
        return times - 1
