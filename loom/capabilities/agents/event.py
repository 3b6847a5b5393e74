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
    """An event on the bus. `number` counts from 1 over the whole bus; a reader that has this event
    goes on from that number as its cursor.

    `source` is the agent that sent the event, `to` the agent it is for, "" for all; `at` is
    milliseconds since 1970 (UTC) by the clock of the source. `body` is JSON; where `page` is set,
    `body` is a line of at most `PREVIEW_CHARS` characters; `EventBus.payload` returns the whole.

    `readers` are set on the events that Loom itself announces, agent.spawn and agent.result: all
    agents get the event, only readers see its `goal` or `result`; `body` shortens long texts."""

    number: int
    topic: str
    source: str
    body: Any
    at: int
    page: str = ""
    to: str = ""
    readers: tuple[str, ...] = ()


class _EventLine(Struct, frozen=True):
    """An event as it is written, with its checksum."""

    crc: str
    writer: str
    count: int
    event: Raw


def encode_event(event: BusEvent, number: int) -> bytes:
    """Return the bytes of an event under a number; no other event has the same bytes."""
    data = json.encode(replace(event, number=number))
    return json.encode(_EventLine(f"{crc32(data):08x}", secrets.token_hex(8), 1, Raw(data)))


def draft_event(
    topic: str, source: str, body: object, to: str, redact: Redactor
) -> tuple[BusEvent, bytes]:
    """Return a new event, without secrets and with the number 0, and the bytes for its page: b""
    where the body fits into the event. A body of bytes always goes to a page. Raises BadInput."""
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
    """Return a body as JSON, without the secrets in its texts and keys. Raises BadInput."""
    try:
        return json.encode(redact.value(json.decode(encodable(json_text(body)))))
    except (TypeError, ValueError, RecursionError, MsgspecError) as error:
        why = one_line(str(error), PREVIEW_CHARS) or type(error).__name__
        raise BadInput(
            f"the body cannot be written as JSON ({why}): give values JSON can hold"
        ) from error


def new_page_name(data: bytes, extension: str = "json", folder: str = "") -> str:
    """Return the name of a new page for `data`; `folder` is the agent's folder in the store with a
    "/" at its end, "" for the folder of the bus."""
    return f"{folder}bus/pages/{sha256(data).hexdigest()}-{secrets.token_hex(8)}.{extension}"


def parse_page_name(event: BusEvent) -> tuple[str, bool]:
    """Return the sha256 (hex) that the page of an event must have, and True for a page of bytes,
    not JSON. Raises BadInput for an event without a page."""
    found = _PAGE.fullmatch(event.page)
    if found is None:
        raise BadInput(f"{event.page!r} is no page of a bus: pass an event as the bus gave it")
    return found[1], found[2] == "bin"


def whole_body(event: BusEvent, get: Callable[[str], bytes]) -> Any:
    """Return the body of an event; `get` reads its page. Raises BadInput, CorruptPage."""
    if not event.page:
        return event.body
    expected, binary = parse_page_name(event)
    data = get(event.page)
    found = sha256(data).hexdigest()
    if found != expected:
        raise CorruptPage(event.page, expected, found)
    return data if binary else json.decode(data)


def decode_event(data: bytes, number: int) -> BusEvent:
    """Return the event that `data`, stored under `number`, holds. Raises BadInput, which says why,
    where `data` is no event or one of another number."""
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
    """Return the bytes of an event after `change`, with a new checksum. Where `change` changes
    nothing, return `data` itself; where `data` is no event, b""."""
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
    """Return the line that `data` holds, and the event in it. Raises BadInput."""
    try:
        line = json.decode(data, type=_EventLine)
        return line, json.decode(line.event, type=BusEvent)
    except (MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise BadInput(f"it is no event: {one_line(str(error), PREVIEW_CHARS)}") from None


def checked_topic(topic: str) -> str:
    """Return `topic` unchanged. Raises BadInput where it is no dotted name."""
    if len(topic) > NAME_CHARS or not _TOPIC.fullmatch(topic):
        raise BadInput(
            f"{one_line(repr(topic), 60)} is no topic: use words of a-z, 0-9, '_' and '-' joined"
            f" by dots, at most {NAME_CHARS} characters, as in {TOPICS[2]!r}"
        )
    return topic


def checked_agent(name: str) -> str:
    """Return `name` unchanged. Raises BadInput for a name no agent can have: not one line of 1 to
    80 characters."""
    if not name or one_line(name, NAME_CHARS) != name:
        raise BadInput(
            f"{one_line(repr(name), 60)} is no name of an agent: use one line of 1 to"
            f" {NAME_CHARS} characters without control characters"
        )
    return name


def checked_filter(topics: Iterable[str]) -> tuple[str, ...]:
    """Return `topics`, a text or several, as a tuple. Each is a topic, a prefix that ends with a
    dot, or "" for every topic. Raises BadInput for anything else."""
    asked = (topics,) if isinstance(topics, str) else tuple(topics)
    for topic in filter(None, asked):
        checked_topic(topic.removesuffix("."))
    return asked


def topic_matches(topic: str, asked: tuple[str, ...]) -> bool:
    """Return True when `topic` is in `asked` or begins with a prefix in it; () and "" mean all."""
    return not asked or any(
        not each or topic == each or (each.endswith(".") and topic.startswith(each))
        for each in asked
    )


def announcement_for_reader(event: BusEvent, data: bytes) -> BusEvent:
    """Return an announcement with the body that its readers may see, which `data`, the content of
    its page, holds. A large body is shortened, and the event keeps its page. For a damaged page the
    event comes back unchanged, and `EventBus.payload` raises why."""
    try:
        whole = json.decode(data, type=dict[str, Any])
    except (MsgspecError, UnicodeDecodeError):
        return event
    if len(data) <= BODY_BYTES:
        return replace(event, body=whole, page="")
    return replace(event, body={key: _shorten_value(value) for key, value in whole.items()})


def _shorten_value(value: object) -> object:
    """Return a value of an announcement's body, shortened: of a text its head, of a list its first
    texts."""
    if isinstance(value, list):
        return [one_line(str(one), PREVIEW_CHARS // 2) for one in value[:LISTED]]
    return clip_text(value, PREVIEW_CHARS) if isinstance(value, str) else value
