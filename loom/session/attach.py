"""Images and documents: taken in as entries of their own, and sent as each provider takes them.

An attachment is a UserTurn whose text is one line that describes it and names its page; the
payload is shown beside the line while the entry stands in full, and only the line afterwards. So a
cut pages an image out by what it does to any long text, and page_in brings back the very bytes.
What comes with a tool's result follows its step as an entry: every provider takes it there.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from os import PathLike
from pathlib import Path
from typing import Any

from msgspec import json
from msgspec.structs import replace

from loom.disk import plain_descriptor
from loom.lazy import lazy_re
from loom.providers.counts.sizes import MESSAGE
from loom.providers.formats import FORMATS
from loom.providers.formats.wire import part_text, plain, unmarked
from loom.providers.media import SHOWN, is_payload
from loom.providers.media.described import described, extension
from loom.providers.media.inspect import Media, inspect, type_of
from loom.providers.media.parts import Attached, attached, part_of
from loom.providers.media.payload import here, own_of
from loom.providers.render.message import (
    Block,
    MediaBlock,
    Message,
    OwnResultBlock,
    OwnTextBlock,
    PartBlock,
    TextBlock,
)
from loom.providers.render.render import LEAST
from loom.providers.render.standin import StandIn
from loom.redact.wide import encoding_of
from loom.session.fitting_media import FittingMedia
from loom.session.ingest import Ingest
from loom.session.meter import media_limits, model_of
from loom.session.own_parts import OwnPart, own_format, sent_own
from loom.text import one_line
from loom_partitions.message import Attachment, Text, UserTurn
from loom_partitions.window import Window

NAME = 200  # characters of a file's name above its text
NOTE = 48  # tokens of what is said beside a payload's line
BESIDE = 200  # tokens of a result beside what comes with it
ELSEWHERE = "attached"  # the stem of a page that says where a payload is
_DETAIL = lazy_re(r"[A-Za-z_]{1,40}")  # a provider's word, not a text of the host

Piece = str | Attached | OwnPart


def pieces(content: object, format: str = "") -> tuple[Piece, ...]:
    """Content as texts, attachments and parts of a format's own, in order.

    It is a text, bytes, a file's path, a part of any provider's request (or of an MCP result), or
    an iterable of them; of the `format`, where that is known. Anything else is told as JSON.
    """
    if isinstance(content, str):
        return (content,)
    if isinstance(content, bytes | bytearray | memoryview):
        return (_readable(here(bytes(content))),)
    if isinstance(content, PathLike):
        path = Path(content)
        with os.fdopen(plain_descriptor(path), "rb") as file:
            return (_readable(here(file.read(), name=path.name)),)
    if isinstance(content, list | tuple):
        return tuple(piece for item in content for piece in pieces(item, format))
    part = plain(content)
    if not isinstance(part, dict):
        return (json.encode(part, enc_hook=str).decode(),)
    found = _attached(part)
    if found is not None:
        return (_readable(found),)
    own = own_format(part, format)
    return (OwnPart(own, unmarked(part)) if own else part_text(part),)


def shown(content: object, format: str = "") -> tuple[Piece, ...]:
    """The pieces of a tool's result with an attachment or a part of a format's own in it; () for
    any other result."""
    if isinstance(content, bytes | bytearray | memoryview):
        found = inspect(bytes(content))
        return (here(bytes(content)),) if found.kind in SHOWN else ()
    given = content if isinstance(content, list | tuple) else [content]
    items = [plain(item) if hasattr(item, "model_dump") else item for item in given]
    return pieces(items, format) if any(_holds(item, format) for item in items) else ()


def _holds(item: object, format: str) -> bool:
    """True when a piece of what a tool gave is an attachment, or a part of a format's own."""
    if isinstance(item, bytes | bytearray | memoryview):
        return inspect(bytes(item)).kind in SHOWN
    if not isinstance(item, dict):
        return False
    return _attached(item) is not None or bool(own_format(item, format))


def _attached(part: Mapping[str, Any]) -> Attached | None:
    """The attachment a part is, in the spelling of whichever format it is; None for a text."""
    data = part.get("data")
    if isinstance(data, str) and isinstance(part.get("mimeType"), str):  # MCP's
        part = {"inlineData": {"data": data, "mimeType": part["mimeType"]}}
    given = dict(part)
    return next((found for one in FORMATS if (found := attached(given, one)) is not None), None)


def _readable(given: Attached) -> Piece:
    """A text for what can be read, under the name it was given."""
    if given.data is None:
        return given
    # Whatever it was called: what only says to be a document is refused, and hides secrets.
    said = type_of(given.data) == "text/plain" and is_utf8(given.data)
    if given.media.kind != "text" and not said:
        return given
    encoding, _, end = encoding_of(given.data)
    text = given.data[:end].decode(encoding, "replace")
    name = one_line(given.media.name, NAME)
    return Document(f"[{name}]\n{text}" if name else text)


class Document(str):
    """The text of a file that was attached to a message: nobody typed it."""

    __slots__ = ()


class Attach:
    """Makes entries of attachments, for a window's model (or, when it is unknown, for any of
    `formats`)."""

    def __init__(
        self,
        ingest: Ingest,
        formats: Iterable[str],
        window: Window,
        newest: Callable[[Window], int],
    ) -> None:
        """`newest` gives the tokens a fresh window has for what comes in next."""
        self.ingest = ingest
        self.fitting = FittingMedia(ingest, formats, model_of(window), media_limits(window))
        self._newest = newest

    def room(self, window: Window) -> int:
        """Tokens that images and documents of the next result may take: they cannot be shortened,
        so all that a fresh window has for what comes in, an equal part for each open call."""
        step = window.history.waiting_step
        if step is None:
            return self._newest(window)
        own = 0 if step.outcomes else step.tokens
        return (self._newest(window) - own) // len(step.open) - BESIDE

    def entry(
        self,
        given: Attached,
        id: int,
        room: int,
        *,
        own: bool = False,
        page: str = "",
        pages: str = "",
    ) -> UserTurn:
        """The entry of an attachment; beyond `room` tokens it is its line alone, or those pages of
        a PDF that have room.

        `own`: Loom put it there, beside a result that says the same line. `page` holds it already.
        `pages` are those that are asked for, as lines are.
        """
        from loom.providers.media.hidden_text import withheld

        media = replace(given.media, name=self.ingest.clean(given.media.name))
        data = b"" if page or given.data is None else given.data
        if line := withheld(data, self.ingest.redact, media.name):
            return self.ingest.user(line, id, room, "document", self.ingest.mark())
        whole = page or self._rest(given)
        line = self.ingest.clean(described(media, whole))
        words = self.ingest.sizes.count(line) + NOTE
        shown, note = self.fitting.shown(given, whole, room - words, pages)
        line = f"{line} {note}".strip()
        words = self.ingest.sizes.count(line)
        source = whole if own else ""
        if shown is None:
            text = Text(words, media.size, line, whole)
            return UserTurn(id, text, MESSAGE + words, source=source)
        seen = shown.given.media
        own_part = own_of(given.opaque) if given.data is None else None
        sent = Attachment(
            seen.type,
            shown.cost,
            given.detail if _DETAIL.fullmatch(given.detail) else "",
            own_part.format if own_part else "",
            max(seen.width, seen.height),
            seen.pages,
            whole if shown.page != whole else "",
        )
        text = Text(words + shown.cost, seen.size, line, shown.page, media=sent)
        return UserTurn(id, text, MESSAGE + text.tokens, source=source)

    def _rest(self, given: Attached) -> str:
        """The page of a payload, or of the part that says where it is."""
        if given.data is not None:
            kind = given.media.kind if given.media.kind in SHOWN else "file"
            return self.ingest.rest(kind, extension(given.media), given.data)
        return self.ingest.rest(ELSEWHERE, ".json", self.ingest.clean(given.opaque).encode())


def payload(page: str, data: bytes, declared: str = "") -> Attached | None:
    """The attachment a page holds; None when it holds a text."""
    if page.rpartition("/")[2].startswith(f"{ELSEWHERE}_"):
        own = own_of(data.decode("utf-8", "replace"))
        return attached(own.part, own.format) if own else None
    found = _rested(page, data, declared)
    return None if found is None else Attached(found, data)


def described_page(page: str, data: bytes) -> str | None:
    """The line that describes a page which holds no text; None for a text."""
    found = _rested(page, data)
    return None if found is None else described(found, page)


def _rested(page: str, data: bytes, declared: str = "") -> Media | None:
    """Return what an image or document on a page is; None for a page of text.

    A page that was not attached counts as text where it decodes as UTF-8, whatever its first bytes
    look like: a tool may print what begins as a document does."""
    if is_payload(page):
        found = inspect(data, declared or type_of(data, "", page))
        return found if found.kind != "text" else None
    found = inspect(data, declared)
    return found if found.kind in SHOWN and not is_utf8(data) else None


def is_utf8(data: bytes) -> bool:
    """True when bytes are a text in UTF-8."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def sent(
    messages: Iterable[Message], format: str, read: Callable[[str], bytes | StandIn]
) -> Iterator[Message]:
    """Messages with their attachments as parts of a format; one it does not take is left out."""
    for message in messages:
        if not any(isinstance(block, _ON_PAGES) for block in message.blocks):
            yield message
            continue
        made = (_sent(block, format, read) for block in message.blocks)
        yield Message(message.role, tuple(block for block in made if block is not None))


_ON_PAGES = (MediaBlock, OwnTextBlock, OwnResultBlock)


def _sent(block: Block, format: str, read: Callable[[str], bytes | StandIn]) -> Block | None:
    if isinstance(block, OwnTextBlock | OwnResultBlock):
        return sent_own(block, format, read(block.page))
    if not isinstance(block, MediaBlock):
        return block
    data = read(block.page)
    if isinstance(data, StandIn):  # it went bad since it was rendered
        return TextBlock(data.within(LEAST))
    found = payload(block.page, data, block.mime)
    part = part_of(replace(found, detail=block.detail), format) if found else None
    return PartBlock(part) if part is not None else None
