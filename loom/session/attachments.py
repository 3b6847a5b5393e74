"""Images and documents: taken in as entries of their own, and sent as each provider takes them.

An attachment is a UserTurn whose text is one line that describes it and names its page. While the
entry stands in full, a request sends the payload beside the line, afterwards only the line. So a
cut pages an image out as it does any long text, and page_in brings back the very bytes. An
attachment that comes with a tool's result becomes an entry after the result's step: every provider
takes it there.

Content parts that Loom does not know are kept, and sent back to their format as they came. Such a
part is stored on a page as the JSON `{"format", "part"}`, and any other format gets that JSON as
text; a result with such a part is stored on one page with all of its parts. So whatever shortens,
cuts or brings back a text does the same to such a part, and only a part that stands whole is sent
as what it is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

from loom.disk import plain_descriptor
from loom.providers.formats import FORMATS
from loom.providers.formats.wire import (
    compact_json,
    is_text_part,
    part_text,
    plain_reply,
    without_cache_marks,
)
from loom.providers.media import SHOWN, is_payload_page
from loom.providers.media.inspect import Media, inspect_payload, mime_type_of
from loom.providers.media.media_line import media_line
from loom.providers.media.media_parts import Attached, read_part, write_part
from loom.providers.media.payload import local_payload, provider_part_of
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
from loom.redact.text_in_bytes import byte_encoding
from loom.text import one_line
from loom_partitions.message import Text

NAME = 200  # characters of a file's name above its text
ELSEWHERE = "attached"  # the stem of a page that says where a payload is
# What a text is in the content of a result, where it is not of type `text`.
TEXT_PART: dict[str, dict[str, str]] = {"responses": {"type": "input_text"}, "gemini": {}}
# Blocks a host may give without saying of which format: the format, and the members each has
# (platform.claude.com, "Search results", "Tool search tool", "Code execution tool"; docs.vllm.ai,
# "Multimodal Inputs"; November 2026). In a list whose format is known any other block counts too.
OWN: dict[str, tuple[str, dict[str, type]]] = {
    "search_result": ("anthropic", {"source": str, "title": str, "content": list}),
    "tool_reference": ("anthropic", {"tool_name": str}),
    "container_upload": ("anthropic", {"file_id": str}),
    "video_url": ("openai", {"video_url": dict}),
}


class OwnPart(Struct, frozen=True):
    """A content part that only the provider's format `format` knows."""

    format: str
    part: dict[str, Any]

    @property
    def text(self) -> str:
        """The part as JSON."""
        return compact_json(self.part)


Piece = str | Attached | OwnPart


def content_pieces(content: object, format: str = "") -> tuple[Piece, ...]:
    """Return the pieces of a message's content, in order: texts, attachments (images, documents),
    and parts that only one provider's format knows.

    `content` is a text, bytes, a file's path, a content part in any provider's format or from MCP,
    or a list of these. Anything else becomes JSON text. `format` is "" if unknown."""
    if isinstance(content, str):
        return (content,)
    if isinstance(content, bytes | bytearray | memoryview):
        return (_text_if_readable(local_payload(bytes(content))),)
    if isinstance(content, PathLike):
        path = Path(content)
        with os.fdopen(plain_descriptor(path), "rb") as file:
            return (_text_if_readable(local_payload(file.read(), name=path.name)),)
    if isinstance(content, list | tuple):
        return tuple(piece for item in content for piece in content_pieces(item, format))
    part = plain_reply(content)
    if not isinstance(part, dict):
        return (json.encode(part, enc_hook=str).decode(),)
    found = _attachment_in_part(part)
    if found is not None:
        return (_text_if_readable(found),)
    own = own_format(part, format)
    return (OwnPart(own, without_cache_marks(part)) if own else part_text(part),)


def result_pieces(content: object, format: str = "") -> tuple[Piece, ...]:
    """Return the pieces of a tool's result with an attachment or a part that only one format knows,
    () for any other result."""
    if isinstance(content, bytes | bytearray | memoryview):
        found = inspect_payload(bytes(content))
        return (local_payload(bytes(content)),) if found.kind in SHOWN else ()
    given = content if isinstance(content, list | tuple) else [content]
    items = [plain_reply(item) if hasattr(item, "model_dump") else item for item in given]
    return (
        content_pieces(items, format)
        if any(_has_attachment(item, format) for item in items)
        else ()
    )


def _has_attachment(item: object, format: str) -> bool:
    """True when an item of a tool's result is an attachment or a part that only one format has."""
    if isinstance(item, bytes | bytearray | memoryview):
        return inspect_payload(bytes(item)).kind in SHOWN
    if not isinstance(item, dict):
        return False
    return _attachment_in_part(item) is not None or bool(own_format(item, format))


def _attachment_in_part(part: Mapping[str, Any]) -> Attached | None:
    """Return the attachment in a content part of any format; None for any other part."""
    data = part.get("data")
    if isinstance(data, str) and isinstance(part.get("mimeType"), str):  # MCP's
        part = {"inlineData": {"data": data, "mimeType": part["mimeType"]}}
    given = dict(part)
    return next((found for one in FORMATS if (found := read_part(given, one)) is not None), None)


def _text_if_readable(given: Attached) -> Piece:
    """Return the text of an attachment whose bytes are text, any other attachment unchanged."""
    if given.data is None:
        return given
    # Whatever it was called: what only says to be a document is refused, and hides secrets.
    said = mime_type_of(given.data) == "text/plain" and is_utf8(given.data)
    if given.media.kind != "text" and not said:
        return given
    encoding, _, end = byte_encoding(given.data)
    text = given.data[:end].decode(encoding, "replace")
    name = one_line(given.media.name, NAME)
    return DocumentText(f"[{name}]\n{text}" if name else text)


class DocumentText(str):
    """The text of a file attached to a message, which nobody typed."""

    __slots__ = ()


def page_attachment(page: str, data: bytes, declared: str = "") -> Attached | None:
    """Return the attachment whose bytes `data` are on a page; None for a page of text. `declared`
    is its MIME type."""
    if page.rpartition("/")[2].startswith(f"{ELSEWHERE}_"):
        own = provider_part_of(data.decode("utf-8", "replace"))
        return read_part(own.part, own.format) if own else None
    found = _page_media(page, data, declared)
    return None if found is None else Attached(found, data)


def page_description(page: str, data: bytes) -> str | None:
    """Return the line that describes an image or document on a page; None for a page of text."""
    found = _page_media(page, data)
    return None if found is None else media_line(found, page)


def _page_media(page: str, data: bytes, declared: str = "") -> Media | None:
    """Return type and sizes of the image or document on a page; None for a page of text."""
    if is_payload_page(page):
        found = inspect_payload(data, declared or mime_type_of(data, "", page))
        return found if found.kind != "text" else None
    found = inspect_payload(data, declared)
    return found if found.kind in SHOWN and not is_utf8(data) else None


def is_utf8(data: bytes) -> bool:
    """True when bytes are valid UTF-8; lone surrogates are allowed."""
    try:
        data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError:
        return False
    return True


def with_format_parts(
    messages: Iterable[Message], format: str, read: Callable[[str], bytes | StandIn]
) -> Iterator[Message]:
    """Yield the messages with the attachments that the provider's format `format` allows. `read`
    takes a page's name and returns the page's bytes."""
    for message in messages:
        if not any(isinstance(block, _ON_PAGES) for block in message.blocks):
            yield message
            continue
        made = (_format_block(block, format, read) for block in message.blocks)
        yield Message(message.role, tuple(block for block in made if block is not None))


_ON_PAGES = (MediaBlock, OwnTextBlock, OwnResultBlock)


def _format_block(
    block: Block, format: str, read: Callable[[str], bytes | StandIn]
) -> Block | None:
    """Return a block of a message in the provider's format `format`; None for an attachment that
    the format does not allow."""
    if isinstance(block, OwnTextBlock | OwnResultBlock):
        return own_block_part(block, format, read(block.page))
    if not isinstance(block, MediaBlock):
        return block
    data = read(block.page)
    if isinstance(data, StandIn):  # it went bad since it was rendered
        return TextBlock(data.within(LEAST))
    found = page_attachment(block.page, data, block.mime)
    part = write_part(replace(found, detail=block.detail), format) if found else None
    return PartBlock(part) if part is not None else None


def own_format(part: Mapping[str, Any], format: str) -> str:
    """Return the only format that knows a content part; "" for a text part or if no format is
    known. `format` is the format in which the part came, "" if unknown."""
    if is_text_part(dict(part)):
        return ""
    if format:
        return format if isinstance(part.get("type"), str) or format == "gemini" else ""
    owner, members = OWN.get(str(part.get("type")), ("", {}))
    return owner if all(isinstance(part.get(key), kind) for key, kind in members.items()) else ""


def own_part_json(format: str, part: object) -> str:
    """Return the JSON to store on a page for one or more parts that only one format knows."""
    return compact_json({"format": format, "part": part})


def own_result_json(found: Sequence[object], texts: Sequence[str]) -> str:
    """Return the JSON to store on a page for a tool's result with a part that only one format
    knows; "" for any other result. `found` are the result's pieces, `texts` the pieces as texts."""
    format = next((piece.format for piece in found if isinstance(piece, OwnPart)), "")
    if not format:
        return ""
    told = [
        piece.part if isinstance(piece, OwnPart) else _text_part(format, text)
        for piece, text in zip(found, texts, strict=True)
        if text.strip()
    ]
    return own_part_json(format, told)


def mark_as_own(text: Text, value: str) -> Text:
    """Return `text` marked with the only format that knows its page's JSON `value`. Requests in
    that format send the parts on the page. A preview is returned unchanged."""
    found = provider_part_of(value) if text.body is None else None
    return replace(text, own=found.format) if found else text


def own_block_part(
    block: OwnTextBlock | OwnResultBlock, format: str, data: bytes | StandIn
) -> Block:
    """Return a block with the parts in `data`, the bytes of the page of `block`, if `format` knows
    these parts; else `block` itself."""
    own = None if isinstance(data, StandIn) else provider_part_of(data.decode("utf-8", "replace"))
    if own is None or own.format != format:
        return block
    if isinstance(block, OwnTextBlock):
        return PartBlock(own.part)
    behind = [_text_part(format, block.behind)] if block.behind else []
    return replace(block, parts=(*own.part, *behind))


def _text_part(format: str, text: str) -> dict[str, Any]:
    """Return a text as a content part of a tool's result in a provider's format."""
    return {**TEXT_PART.get(format, {"type": "text"}), "text": text}
