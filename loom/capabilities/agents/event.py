"""One event of the bus: what it may hold, and the one line of JSON that stores it.

    {"crc":"9f3c2a10","writer":"61c0…","count":3,"event":{"number":12,"topic":"agent.result",…}}

The crc is CRC-32 (zlib, 8 hexadecimal digits) over the bytes of `event`. Each event has a writer of
its own (in earlier versions each opened bus was one, and counted its events), so the bytes of two
events differ also where all that they say is equal."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterable
from hashlib import sha256
from typing import Any
from zlib import crc32

from msgspec import MsgspecError, Raw, Struct, json
from msgspec.structs import replace

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.redact import Redactor
from loom.redact.redactor import json_text
from loom.text import clip_text, encodable, one_line
from loom_paging import CorruptPage

TOPICS = ("agent.spawn", "agent.result", "agent.event", "agent.interrupt")
NOTES = "bus."  # what a reader notes itself; nobody emits it
DAMAGED = "bus.damaged"
BODY_BYTES = 1_024  # a larger body rests on a page (DESIGN §2: what lives in a journal)
PREVIEW_CHARS = 200
NAME_CHARS = 80  # of an agent and of a topic
FILE_BYTES = 16_384  # more than any event can take
LISTED = 8  # artefacts named in an announcement; the whole is `EventBus.payload`

_TOPIC = lazy_re(r"[a-z0-9_-]+(\.[a-z0-9_-]+)*")
_PAGE = lazy_re(
    r"(?:agents/[a-z0-9][a-z0-9_-]{0,39}/)*bus/pages/([0-9a-f]{64})-[0-9a-f]{16}\.(json|bin)"
)


class BusEvent(Struct, frozen=True):
    """An event on the bus. `number` counts all events of the bus from 1; as a cursor, it means to
    continue after this event.

    `source` is the agent that sent the event, `to` the agent it is for, "" for all. `at` is the
    time in milliseconds since 1970 (UTC), by the clock of `source`. `body` is a JSON value. If
    `page` is set, `body` is only a preview of at most `PREVIEW_CHARS` characters, and
    `EventBus.payload` returns the whole body.

    `readers` is set only on Loom's own events agent.spawn and agent.result: only the agents in
    `readers` see the `goal` or `result` in `body`, long texts shortened."""

    number: int
    topic: str
    source: str
    body: Any
    at: int
    page: str = ""
    to: str = ""
    readers: tuple[str, ...] = ()


class _EventLine(Struct, frozen=True):
    """The stored form of an event. `crc` is its CRC-32 in hexadecimal, `event` its JSON."""

    crc: str
    writer: str
    count: int
    event: Raw


def encode_event(event: BusEvent, number: int) -> bytes:
    """Return the bytes to store for `event` as `number`. No two calls return the same bytes."""
    data = json.encode(replace(event, number=number))
    return json.encode(_EventLine(f"{crc32(data):08x}", secrets.token_hex(8), 1, Raw(data)))


def draft_event(
    topic: str, source: str, body: object, to: str, redact: Redactor
) -> tuple[BusEvent, bytes]:
    """Return a new event with number 0, secrets replaced, and the bytes of its page; b"" when the
    body fits into the event. A `body` of type bytes always needs a page. Raises BadInput for a bad
    topic, agent or body."""
    topic, to = redact(topic), redact(to)
    if checked_topic(topic).startswith(NOTES):
        raise BadInput(f"topics {NOTES}* are the bus's own notes: emit {topic!r} by another name")
    to, at = checked_agent(to) if to else "", time.time_ns() // 1_000_000
    if isinstance(body, bytes | bytearray | memoryview):
        data, extension = redact.data(bytes(body)), "bin"
        preview = f"{len(data):,} bytes"
    else:
        data, extension = body_as_json(body, redact), "json"
        if len(data) <= BODY_BYTES:
            return BusEvent(0, topic, source, json.decode(data), at, "", to), b""
        head = data[: PREVIEW_CHARS * 8].decode("utf-8", "ignore")
        preview = one_line(head, PREVIEW_CHARS - 1) + "…"
    return BusEvent(0, topic, source, preview, at, new_page_name(data, extension), to), data


def body_as_json(body: object, redact: Redactor) -> bytes:
    """Return a body as JSON bytes, secrets replaced. Raises BadInput when JSON cannot hold it."""
    try:
        return json.encode(redact.value(json.decode(encodable(json_text(body)))))
    except (TypeError, ValueError, RecursionError, MsgspecError) as error:
        why = one_line(str(error), PREVIEW_CHARS) or type(error).__name__
        raise BadInput(
            f"the body cannot be written as JSON ({why}): give values JSON can hold"
        ) from error


def new_page_name(data: bytes, extension: str = "json", folder: str = "") -> str:
    """Return a new page name for `data`. `folder` is the agent's folder in the store, ending in
    "/"; "" for the folder of the bus."""
    return f"{folder}bus/pages/{sha256(data).hexdigest()}-{secrets.token_hex(8)}.{extension}"


def parse_page_name(event: BusEvent) -> tuple[str, bool]:
    """Return what the name of the event's page tells: the sha256 (hex) of its content, and True for
    bytes, False for JSON. Raises BadInput without a valid page."""
    found = _PAGE.fullmatch(event.page)
    if found is None:
        raise BadInput(f"{event.page!r} is no page of a bus: pass an event as the bus gave it")
    return found[1], found[2] == "bin"


def whole_body(event: BusEvent, get: Callable[[str], bytes]) -> Any:
    """Return the whole body of an event: a JSON value or bytes. `get` returns the bytes of a page
    by its name. Raises BadInput for a bad page name, CorruptPage when the page was changed."""
    if not event.page:
        return event.body
    expected, binary = parse_page_name(event)
    data = get(event.page)
    found = sha256(data).hexdigest()
    if found != expected:
        raise CorruptPage(event.page, expected, found)
    return data if binary else json.decode(data)


def decode_event(data: bytes, number: int) -> BusEvent:
    """Return the event `number` that `data` holds. Raises BadInput when `data` does not hold it."""
    if not 0 < len(data) <= FILE_BYTES:
        raise BadInput(
            f"an event has 1 to {FILE_BYTES:,} bytes, and here {len(data):,} can be read"
        )
    line, event = _parse_line(data)
    if line.crc != f"{crc32(line.event):08x}":
        raise BadInput("its crc does not match: it changed since it was written")
    if event.number != number:
        raise BadInput(f"it says it is event {event.number}")
    if checked_topic(event.topic).startswith(NOTES):
        raise BadInput(f"its topic {event.topic!r} is one that nobody emits")
    if event.page:
        parse_page_name(event)
    checked_agent(event.source)
    return event


def change_event(data: bytes, change: Callable[[BusEvent], BusEvent]) -> bytes:
    """Apply `change` to the event in `data`. Return the new bytes, with a new checksum. Return
    `data` itself when nothing changed, b"" when `data` is no event."""
    try:
        line, event = _parse_line(data)
    except BadInput:
        return b""
    changed = change(event)
    if changed == event:
        return data
    body = json.encode(changed)
    crc = f"{crc32(body):08x}" if line.crc == f"{crc32(line.event):08x}" else line.crc
    return json.encode(replace(line, crc=crc, event=Raw(body)))


def _parse_line(data: bytes) -> tuple[_EventLine, BusEvent]:
    """Return the stored form that `data` holds, and the event inside it. Raises BadInput."""
    try:
        line = json.decode(data, type=_EventLine)
        return line, json.decode(line.event, type=BusEvent)
    except (MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"it is no event: {one_line(str(error), PREVIEW_CHARS)}") from None


def checked_topic(topic: str) -> str:
    """Return `topic` unchanged. Raises BadInput when it is no dotted name such as "build.done"."""
    if len(topic) > NAME_CHARS or not _TOPIC.fullmatch(topic):
        raise BadInput(
            f"{one_line(repr(topic), 60)} is no topic: use words of a-z, 0-9, '_' and '-' joined"
            f" by dots, at most {NAME_CHARS} characters, as in {TOPICS[2]!r}"
        )
    return topic


def checked_agent(name: str) -> str:
    """Return `name` unchanged. Raises BadInput unless it is one line of 1 to 80 characters."""
    if not name or one_line(name, NAME_CHARS) != name:
        raise BadInput(
            f"{one_line(repr(name), 60)} is no name of an agent: use one line of 1 to"
            f" {NAME_CHARS} characters without control characters"
        )
    return name


def checked_filter(topics: Iterable[str]) -> tuple[str, ...]:
    """Return `topics` as a tuple; a single text gives a tuple of one. Each must be a topic, a
    prefix such as "build.", or "" for every topic. Raises BadInput for anything else."""
    asked = (topics,) if isinstance(topics, str) else tuple(topics)
    for topic in filter(None, asked):
        checked_topic(topic.removesuffix("."))
    return asked


def topic_matches(topic: str, asked: tuple[str, ...]) -> bool:
    """Return True when `topic` equals an item of `asked` or begins with a prefix in it, such as
    "build.". An empty tuple and the item "" match every topic."""
    return not asked or any(
        not each or topic == each or (each.endswith(".") and topic.startswith(each))
        for each in asked
    )


def announcement_for_reader(event: BusEvent, data: bytes) -> BusEvent:
    """Return one of Loom's own events with its full body, read from its page's content `data`. In a
    large body long texts are shortened and `page` is kept; else `page` becomes "". If `data` is
    damaged, return `event` unchanged."""
    try:
        whole = json.decode(data, type=dict[str, Any])
    except (MsgspecError, UnicodeDecodeError):
        return event
    if len(data) <= BODY_BYTES:
        return replace(event, body=whole, page="")
    return replace(event, body={key: _shorten_value(value) for key, value in whole.items()})


def _shorten_value(value: object) -> object:
    """Return the beginning of a text, the first LISTED items of a list as short texts, or any other
    value unchanged."""
    if isinstance(value, list):
        return [one_line(str(one), PREVIEW_CHARS // 2) for one in value[:LISTED]]
    return clip_text(value, PREVIEW_CHARS) if isinstance(value, str) else value
