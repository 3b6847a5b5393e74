"""A turn: one request, ready to send. Rendered messages are kept from request to request."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import RLock
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from loom.errors import BadInput
from loom.providers import provider_of
from loom.providers.formats import Encoder, Format, RequestOptions, format_of
from loom.providers.render.message import Message, counted_texts
from loom.providers.render.render import RenderedRequest, Rendering, render_request
from loom.providers.render.standin import StandIn
from loom.providers.schema import schema_as_sent
from loom.session.archive.page_reader import PageReader
from loom.session.meter import model_of
from loom.text import fit_repr
from loom.typed import check_arguments
from loom_partitions.records import Record, Turned
from loom_partitions.window import Window

if TYPE_CHECKING:
    from loom.providers.caching import MarkLifetime
    from loom.session.archive.summaries import SummaryAsk
    from loom.session.pressure import Pressure


class WireRequest:
    """Encodes requests in each provider's format. Between cuts only new messages are encoded."""

    def __init__(self, read: Callable[[str], bytes | StandIn]) -> None:
        """`read` takes a page's name and returns its bytes, or a stand-in line."""
        self._read = read
        self._encoders: dict[str, tuple[int, int, Encoder]] = {}
        self._lock = RLock()

    def request(
        self,
        format: Format,
        version: int,
        messages: list[Message],
        length: int,
        marks: tuple[int, ...] = (),
    ) -> tuple[dict[str, Any], list[int]]:
        """Return (request, indexes). The request has the first `length` messages, encoded in a
        format. `marks` are numbers of Loom's messages, from 1, after which a provider's cache may
        be reused; `indexes` are the encoded messages in which the marked messages end.

        `version` changes when earlier messages have changed."""
        from loom.session.attachments import with_format_parts

        with self._lock:
            # One that a message breaks is not gone on with.
            known, done, encoder = self._encoders.pop(format.name, (-1, 0, None))
            if encoder is None or known != version or done > length:
                encoder, done = format.encoder(), 0
            encoder.extend(with_format_parts(messages[done:length], format.name, self._read))
            self._encoders[format.name] = (version, length, encoder)
            ends = (encoder.spans[mark - 1] - 1 for mark in marks)
            places = [place for place in ends if place >= 0]
            return encoder.request(editable=places), places


@check_arguments
class Turn:
    """A request to send now. `request(format)` returns the keyword arguments of the provider's SDK.

        >>> with loom.open("memory://turn") as ctx:
        ...     name = ctx.user("Mend the parser.")
        ...     turn = ctx.turn()
        >>> turn.number, sorted(turn.request("anthropic"))
        (1, ['max_tokens', 'messages', 'system', 'tools'])

    `number` counts requests from 1, `pressure` says how full the request is, `sha256` is a hash of
    the messages: equal turns have equal hashes."""

    def __init__(
        self,
        window: Window,
        pressure: Pressure,
        rendering: Rendering,
        wire: WireRequest,
        asks: Callable[[], tuple[SummaryAsk, ...]],
    ) -> None:
        self.number = window.sent.turn
        self.pressure = pressure
        # The list only grows until the next cut makes a new one, so its length is this turn.
        self._messages = rendering.messages
        self._length = len(rendering.messages)
        self.tools = tuple(rendering.tools)
        self.sha256 = rendering.sha256
        self.version = rendering.version
        self.max_tokens = window.limits.reply
        self.model = window.config.model
        self.key = window.config.key
        self.answered_by = model_of(window)
        self._marks = rendering.positions.marks(window.sent)
        self._asks = asks
        self._wire = wire
        self._lasting: MarkLifetime | None = None
        self._told: Callable[[], None] | None = None

    def __repr__(self) -> str:
        return f"<loom.Turn {self.number}: {self.pressure}>"

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of this request, before they are encoded for a provider."""
        return tuple(self._messages[: self._length])

    @property
    def asks(self) -> tuple[SummaryAsk, ...]:
        """Requests for summaries, read from disk at each access. The host may have a model write a
        summary, and gives it by `Context.answer`. Until then the window has an extract in its
        place."""
        return self._asks()

    def request(self, format: str = "openai", *, cache: bool = True, **more: Any) -> dict[str, Any]:
        """Return the keyword arguments of the SDK call.

        "openai" is for `chat.completions.create`, "responses" for `responses.create`, "anthropic"
        for `messages.create`, "gemini" for `models.generate_content`. `more` are further arguments,
        added unchanged. `stream=True` also asks the provider to report the tokens used.
        `cache=False` leaves out the provider's cache settings.

        Raises BadInput for an unknown format (`loom.providers.formats.FORMATS` and plug-ins have
        the known formats) and for a `config` or `model` of a wrong type; LoomError for an unusable
        plug-in."""
        from loom.providers.caching import KEY, request_mark_lifetime

        form = format_of(format)
        if self._told is not None:  # a request is made to be sent; once more, to be looked at
            self._told()
            self._told = None
        marks = self._marks if cache and form.marked else ()
        request, places = self._wire.request(
            form, self.version, self._messages, self._length, marks
        )
        if self.tools:
            request["tools"] = [form.tool(schema_as_sent(document)) for document in self.tools]
        model = more.get("model") or self.model
        if not isinstance(model, str):
            raise BadInput(f"model={fit_repr(model, 80)}: give a name, as the provider has it")
        if model:
            request["model"] = model
        # Who answers may be known by its replies only.
        known = model or self.answered_by
        form.arguments(
            request,
            RequestOptions(
                max_tokens=self.max_tokens,
                model=known,
                provider=provider_of(known),
                marks=tuple(places) if cache and form.marked else None,
                lasting=request_mark_lifetime(more) if KEY in more else self._lasting,
                key=self.key if cache else "",
                stream=bool(more.get("stream")),
            ),
        )
        return with_arguments(request, more)


def with_arguments(request: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """Return the request with the arguments `more` added; a `config` (Gemini's) is merged into the
    request's `config`. Raises BadInput for a `config` that is no mapping."""
    config = more.get("config")
    if config is not None and "config" in request:
        dump = getattr(config, "model_dump", None)
        given = dump(exclude_none=True) if callable(dump) else config
        if not isinstance(given, Mapping):
            raise BadInput(f"config={fit_repr(config, 80)}: give the members of a config by name")
        more = {**more, "config": {**request["config"], **given}}
    return {**request, **more}


def on_first_request(turn: Turn, told: Callable[[], None]) -> Turn:
    """Return the turn, changed so that its first `request()` calls `told`."""
    turn._told = told
    return turn


def with_cache_lifetime(turn: Turn, lasting: MarkLifetime) -> Turn:
    """Return the turn with cache marks that live as long as the cache marks of the host's list."""
    turn._lasting = lasting
    return turn


class RenderedRequests:
    """Renders windows as messages, and keeps the messages for the next request."""

    def __init__(self, read: PageReader, version: int = 0) -> None:
        self._read = read
        self._wire = WireRequest(read.data)
        self.rendering = Rendering(version)
        self._asked = (0, 0)  # the last request's number, and how many of its Turns were sent

    @property
    def version(self) -> int:
        """The number of times that all messages had to be rendered again."""
        return self.rendering.version

    def forget(self) -> None:
        """Drop all rendered messages."""
        self.rendering = Rendering(self.rendering.version)

    def render(self, window: Window) -> None:
        """Render the messages of a window that are not rendered yet."""
        self.rendering.update(window, self._read)

    def with_sha256(self, record: Record) -> Record:
        """Return a `Turned` record with the last request's sha256, any other record unchanged."""
        if isinstance(record, Turned):
            return replace(record, sha256=self.rendering.sha256)
        return record

    def last(self, window: Window) -> RenderedRequest | None:
        """Return the last request that was made for a window; None if no request was made."""
        if self.rendering.holds(window):
            return RenderedRequest(self.rendering.tools, self.rendering.messages)
        if window.sent.shared < 0:
            return None
        return render_request(window, self._read, window.sent.shared)

    def texts(self, window: Window) -> list[str]:
        """Return the texts of the request that the window makes now, tool declarations last."""
        said = render_request(window, self._read)
        return [text for message in said.messages for text in counted_texts(message)] + said.tools

    def turn(
        self, window: Window, pressure: Pressure, asks: Callable[[], tuple[SummaryAsk, ...]]
    ) -> Turn:
        """Return the turn for a window. `asks` returns the requests for summaries."""
        self.render(window)
        return Turn(window, pressure, self.rendering, self._wire, asks)

    def told(self, number: int) -> None:
        """Note that the request `number` is sent, for the first time or again."""
        known, times = self._asked
        self._asked = (number, times + 1 if known == number else 1)

    def refused(self) -> None:
        """Note that the provider refused the last request, which is not counted as sent."""
        number, times = self._asked
        self._asked = (number, max(times - 1, 0))

    def again(self, window: Window) -> int:
        """Return how many more times the last request was sent since the last call of `again`."""
        number, times = self._asked
        if number != window.sent.turn or times < 2:
            return 0
        self._asked = (number, 1)
        return times - 1
