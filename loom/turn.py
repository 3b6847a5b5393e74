"""A turn: one request, ready to send."""

from __future__ import annotations

from collections.abc import Callable
from threading import Lock
from typing import Any

from loom.caching import mark
from loom.errors import UnknownFormat
from loom.formats import FORMATS, Encoder
from loom.pressure import Pressure
from loom.providers import Provider
from loom.render.message import Message
from loom.tools.schema import WRITERS


class Wire:
    """The request in provider shapes, kept up to date: between cuts only what is new is encoded."""

    def __init__(self) -> None:
        self._encoders: dict[str, tuple[int, int, Encoder]] = {}
        self._lock = Lock()

    def request(
        self,
        format: str,
        version: int,
        messages: list[Message],
        length: int,
        marks: tuple[int, ...] = (),
    ) -> tuple[dict[str, Any], list[int]]:
        """The request of the first `length` messages, and where `marks` are among the wire's.

        `version` rises when earlier messages changed.
        """
        with self._lock:
            known, done, encoder = self._encoders.get(format, (-1, 0, None))
            if encoder is None or known != version or done > length:
                encoder, done = FORMATS[format].encoder(), 0
            encoder.extend(messages[done:length])
            self._encoders[format] = (version, length, encoder)
            ends = (encoder.spans[mark - 1] - 1 for mark in marks)
            places = [place for place in ends if place >= 0]
            return encoder.request(editable=places), places


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
        marks: Callable[[], tuple[int, ...]],
        reply: int,
        model: str,
        key: str,
        provider: Provider,
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
        self.key = key
        self.provider = provider
        self._marks = marks
        self._wire = wire

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of this request, before they take a provider's shape."""
        return tuple(self._messages[: self._length])

    def request(self, format: str = "openai", *, cache: bool = True, **more: Any) -> dict[str, Any]:
        """Keyword arguments of the SDK call.

        "openai" is for `chat.completions.create`, "responses" for `responses.create`, "anthropic"
        for `messages.create`, "gemini" for `models.generate_content`. `more` is added as it is;
        `stream=True` also asks for the usage that calibrates the next sizes. `cache=False` leaves
        out what steers the provider's prompt cache.

        Raises UnknownFormat for a format that is not in `loom.formats.FORMATS`.
        """
        if format not in FORMATS:
            raise UnknownFormat(format, FORMATS)
        marks = self._marks() if cache and format == "anthropic" else ()
        request, places = self._wire.request(
            format, self.version, self._messages, self._length, marks
        )
        if self.tools:
            request["tools"] = [WRITERS[format](document) for document in self.tools]
        if self.model:
            request["model"] = self.model
        SHAPES[format](request, self)
        if cache and format == "anthropic":
            mark(request, places)
        elif cache and self.key and self._keyed(format):
            request["prompt_cache_key"] = self.key
        if more.get("stream") and format == "openai":
            more.setdefault("stream_options", {"include_usage": True})
        return {**request, **more}

    def _keyed(self, format: str) -> bool:
        """Whether the request may carry a key: servers that only speak the dialect refuse it."""
        return format == "responses" or (
            format == "openai" and (self.provider.keyed or not self.model)
        )


def _openai(request: dict[str, Any], turn: Turn) -> None:
    request[turn.provider.max_tokens] = turn.max_tokens
    echo = turn.provider.echo
    if echo:
        request["messages"] = [
            {echo: "", **message} if message.get("tool_calls") else message
            for message in request["messages"]
        ]


def _responses(request: dict[str, Any], turn: Turn) -> None:
    """Nothing rests with the provider: the window is Loom's, reasoning travels encrypted."""
    request.update(max_output_tokens=turn.max_tokens, store=False)
    if turn.model.rsplit("/", 1)[-1].lower().startswith(turn.provider.reasons or ("\0",)):
        request["include"] = ["reasoning.encrypted_content"]


def _anthropic(request: dict[str, Any], turn: Turn) -> None:
    request["max_tokens"] = turn.max_tokens


def _gemini(request: dict[str, Any], turn: Turn) -> None:
    """Everything but the contents stands in `config`; calls are Loom's and the host's to answer."""
    config = request.setdefault("config", {})
    config["max_output_tokens"] = turn.max_tokens
    config["automatic_function_calling"] = {"disable": True}
    if "tools" in request:
        config["tools"] = [{"function_declarations": request.pop("tools")}]


SHAPES: dict[str, Callable[[dict[str, Any], Turn], None]] = {
    "openai": _openai,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
