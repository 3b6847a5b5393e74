"""A turn: one request, ready to send."""

from __future__ import annotations

from collections.abc import Callable
from threading import RLock
from typing import Any, NamedTuple

from loom.engine.archive.summaries import SummaryAsk
from loom.engine.attach import sent
from loom.engine.pressure import Pressure
from loom.errors import UnknownFormat
from loom.providers import Provider, provider_of
from loom.providers.caching import mark
from loom.providers.formats import FORMATS, Encoder
from loom.providers.render.message import Message
from loom.providers.render.standin import StandIn
from loom.providers.schema import WRITERS


class Wire:
    """The request in provider shapes, kept up to date: between cuts only what is new is encoded."""

    def __init__(self, read: Callable[[str], bytes | StandIn]) -> None:
        """`read` gives the bytes of a page, or what stands for it."""
        self._read = read
        self._encoders: dict[str, tuple[int, int, Encoder]] = {}
        self._lock = RLock()

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
            # Read first: what cannot be read must leave the encoder as it was.
            encoder.extend(list(sent(messages[done:length], format, self._read)))
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
        answered_by: str = "",
        asks: Callable[[], tuple[SummaryAsk, ...]] = tuple,
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
        self.answered_by = answered_by
        self._marks = marks
        self._asks = asks
        self._wire = wire

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of this request, before they take a provider's shape."""
        return tuple(self._messages[: self._length])

    @property
    def asks(self) -> tuple[SummaryAsk, ...]:
        """Summaries a model of the host may give, by `Context.answer`; extracts stand until then.

        Read from the disk when asked for.
        """
        return self._asks()

    def request(self, format: str = "openai", *, cache: bool = True, **more: Any) -> dict[str, Any]:
        """Keyword arguments of the SDK call.

        "openai" is for `chat.completions.create`, "responses" for `responses.create`, "anthropic"
        for `messages.create`, "gemini" for `models.generate_content`. `more` is added as it is;
        `stream=True` also asks for the usage that calibrates the next sizes. `cache=False` leaves
        out what steers the provider's prompt cache.

        Raises UnknownFormat for a format that is not in `loom.providers.formats.FORMATS`.
        """
        if format not in FORMATS:
            raise UnknownFormat(format, FORMATS)
        marks = self._marks() if cache and format == "anthropic" else ()
        request, places = self._wire.request(
            format, self.version, self._messages, self._length, marks
        )
        if self.tools:
            request["tools"] = [WRITERS[format](document) for document in self.tools]
        model = str(more.get("model") or self.model)
        if model:
            request["model"] = model
        # Who answers may be known by its replies only.
        known = model or self.answered_by
        provider = provider_of(known)
        SHAPES[format](request, Shape(self.max_tokens, known, provider))
        if cache and format == "anthropic":
            mark(request, places)
        elif cache and self.key and _keyed(format, known, provider):
            request["prompt_cache_key"] = self.key
        if more.get("stream") and format == "openai":
            more.setdefault("stream_options", {"include_usage": True})
        return joined(request, more)


class Shape(NamedTuple):
    """What a format's arguments depend on beside the messages."""

    max_tokens: int
    model: str
    provider: Provider


def joined(request: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """The request with more arguments; a `config` (Gemini's) adds to Loom's."""
    config = more.get("config")
    if config is not None and "config" in request:
        dump = getattr(config, "model_dump", None)
        given = dump(exclude_none=True) if callable(dump) else dict(config)
        more = {**more, "config": {**request["config"], **given}}
    return {**request, **more}


def _keyed(format: str, model: str, provider: Provider) -> bool:
    """Whether a request may carry a key: servers that only speak the dialect may refuse it."""
    return format == "responses" or (format == "openai" and (provider.keyed or not model))


def _openai(request: dict[str, Any], shape: Shape) -> None:
    provider = shape.provider
    request[provider.max_tokens] = shape.max_tokens
    if provider.echo or provider.demands == "turn":
        request["messages"] = [_completed(one, provider) for one in request["messages"]]


# Gemini's stand-in for a signature that is gone, as its OpenAI dialect carries one.
UNSIGNED = {"google": {"thought_signature": "skip_thought_signature_validator"}}


def _completed(message: dict[str, Any], provider: Provider) -> dict[str, Any]:
    """A message with what its provider demands of one that has calls."""
    calls = message.get("tool_calls")
    if not calls:
        return message
    if provider.echo:
        return {provider.echo: "", **message}
    if "extra_content" in calls[0]:
        return message
    return {**message, "tool_calls": [{**calls[0], "extra_content": UNSIGNED}, *calls[1:]]}


def _responses(request: dict[str, Any], shape: Shape) -> None:
    """Nothing rests with the provider: the window is Loom's, reasoning travels encrypted."""
    request.update(max_output_tokens=shape.max_tokens, store=False)
    if shape.model.rsplit("/", 1)[-1].lower().startswith(shape.provider.reasons or ("\0",)):
        request["include"] = ["reasoning.encrypted_content"]


def _anthropic(request: dict[str, Any], shape: Shape) -> None:
    request["max_tokens"] = shape.max_tokens


def _gemini(request: dict[str, Any], shape: Shape) -> None:
    """Everything but the contents stands in `config`; calls are Loom's and the host's to answer."""
    config = request.setdefault("config", {})
    config["max_output_tokens"] = shape.max_tokens
    config["automatic_function_calling"] = {"disable": True}
    if "tools" in request:
        config["tools"] = [{"function_declarations": request.pop("tools")}]


SHAPES: dict[str, Callable[[dict[str, Any], Shape], None]] = {
    "openai": _openai,
    "responses": _responses,
    "anthropic": _anthropic,
    "gemini": _gemini,
}
