"""A turn: one request, ready to send."""

from __future__ import annotations

from threading import Lock
from typing import Any

from loom.errors import UnknownFormat
from loom.formats import FORMATS, Encoder
from loom.pressure import Pressure
from loom.render.message import Message
from loom.tools.schema import WRITERS


class Wire:
    """The request in provider shapes, kept up to date: between cuts only what is new is encoded."""

    def __init__(self) -> None:
        self._encoders: dict[str, tuple[int, int, Encoder]] = {}
        self._lock = Lock()

    def request(
        self, format: str, version: int, messages: list[Message], length: int
    ) -> dict[str, Any]:
        """The request of the first `length` messages; `version` rises when earlier ones changed."""
        with self._lock:
            known, done, encoder = self._encoders.get(format, (-1, 0, None))
            if encoder is None or known != version or done > length:
                encoder, done = FORMATS[format].encoder(), 0
            encoder.extend(messages[done:length])
            self._encoders[format] = (version, length, encoder)
            return encoder.request()


class Turn:
    """What to send now. `request(format)` gives the keyword arguments of the provider's SDK."""

    def __init__(
        self,
        number: int,
        pressure: Pressure,
        messages: list[Message],
        tools: tuple[str, ...],
        sha256: str,
        version: int,
        wire: Wire,
        *,
        reply: int,
        model: str,
    ) -> None:
        self.number = number
        self.pressure = pressure
        # The list only grows until the next cut makes a new one, so its length is this turn.
        self._messages = messages
        self._length = len(messages)
        self.tools = tools
        self.sha256 = sha256
        self.version = version
        self.max_tokens = reply
        self.model = model
        self._wire = wire

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of this request, before they take a provider's shape."""
        return tuple(self._messages[: self._length])

    def request(self, format: str = "openai") -> dict[str, Any]:
        """Keyword arguments for `chat.completions.create` ("openai") or `messages.create`.

        Raises UnknownFormat for a format that is not in `loom.formats.FORMATS`.
        """
        if format not in FORMATS:
            raise UnknownFormat(format, FORMATS)
        request = self._wire.request(format, self.version, self._messages, self._length)
        if self.tools:
            request["tools"] = [WRITERS[format](document) for document in self.tools]
        if self.model:
            request["model"] = self.model
        return {**request, MAX_TOKENS[format]: self.max_tokens}


MAX_TOKENS = {"openai": "max_completion_tokens", "anthropic": "max_tokens"}
