"""Content parts between the formats: read into one shape, written as a provider wants them.

A part that is no media is read as None; nothing is raised. Shapes:
platform.openai.com/docs/api-reference (chat and responses), docs.claude.com/en/api/messages,
ai.google.dev/api/caching#Part; Google's in camel and snake case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loom.providers.media import writing
from loom.providers.media.inspect import UNKNOWN, Media, cleaned, elsewhere
from loom.providers.media.payload import ANYTHING, Attached, away, decoded, here, own_of, split_url

__all__ = ["Attached", "attached", "part_of"]

Part = dict[str, Any]
PDF, PLAIN = "application/pdf", "text/plain"
# A file's id means the same in both of OpenAI's formats.
_SHARED = frozenset({"openai", "responses"})
_ADDRESS = ("https://", "http://")
# Google's Files API: its ids are addresses nobody else may fetch (ai.google.dev, "Files API").
_GOOGLES = "https://generativelanguage.googleapis.com/"


class ToldPayload(NamedTuple):
    """What a part tells of its payload: its base64 (or bytes), its plain `text`, its address, its
    provider's `id`, or the blocks that make it; the first that is there counts."""

    type: str = ""
    name: str = ""
    detail: str = ""
    payload: object = None
    text: str = ""
    url: str = ""
    id: str = ""
    blocks: list[Any] | None = None


def _text(part: object, *names: str) -> str:
    """The first member of these names that is a text with something in it."""
    found = map(part.get, names) if isinstance(part, dict) else ()
    return next((value for value in found if isinstance(value, str) and value), "")


def _member(part: Part, *names: str) -> Part:
    return next((value for value in map(part.get, names) if isinstance(value, dict)), {})


def _image(part: Part) -> ToldPayload:
    """An image of OpenAI: an address, in an object or by itself, or an id."""
    image = part.get("image_url")
    url = image if isinstance(image, str) else _text(image, "url")
    detail = _text(image, "detail") or _text(part, "detail")
    return ToldPayload(ANYTHING, "", detail, url=url, id=_text(part, "file_id"))


def _file(file: Part) -> ToldPayload:
    """A file of OpenAI: its data as a data URL or bare base64, an address, or an id."""
    data, url = _text(file, "file_data"), _text(file, "file_url")
    if data and (split_url(data) or data.startswith(_ADDRESS)):
        data, url = "", data
    told = _text(file, "filename"), _text(file, "detail")
    return ToldPayload("", *told, payload=data or None, url=url, id=_text(file, "file_id"))


def _sound(part: Part) -> ToldPayload:
    sound = _member(part, "input_audio")
    kind = _text(sound, "format")
    return ToldPayload(f"audio/{kind}" if kind else "", payload=_text(sound, "data") or None)


def _anthropic(part: Part) -> ToldPayload:
    source = _member(part, "source")
    type = _text(source, "media_type") or (ANYTHING if part.get("type") == "image" else PDF)
    name = _text(part, "title")
    match source.get("type"):
        case "base64":
            return ToldPayload(type, name, payload=source.get("data") or "")
        case "text":
            return ToldPayload(PLAIN, name, text=_text(source, "data"))
        case "content" if isinstance(blocks := source.get("content"), list):
            return ToldPayload(PLAIN, name, blocks=blocks)
        case "content":
            return ToldPayload(PLAIN, name, text=_text(source, "content"))
        case "url":
            return ToldPayload(type, name, url=_text(source, "url"))
        case "file":
            return ToldPayload(type, name, id=_text(source, "file_id"))
    return ToldPayload()


def _gemini(part: Part) -> ToldPayload:
    detail = _text(_member(part, "media_resolution", "mediaResolution"), "level")
    blob = _member(part, "inline_data", "inlineData")
    held = blob if blob.get("data") else _member(part, "file_data", "fileData")
    told = _text(held, "mime_type", "mimeType"), _text(held, "display_name", "displayName"), detail
    if held is blob:
        return ToldPayload(*told, payload=blob.get("data"))
    return ToldPayload(*told, id=_text(held, "file_uri", "fileUri"))


# By format and the type of a part; Google's parts have none.
READERS: dict[str, dict[str, Callable[[Part], ToldPayload]]] = {
    "openai": {
        "image_url": _image,
        "file": lambda part: _file(_member(part, "file")),
        "input_audio": _sound,
    },
    "responses": {"input_image": _image, "input_file": _file, "input_audio": _sound},
    "anthropic": {"image": _anthropic, "document": _anthropic},
    "gemini": {"": _gemini},
}


def attached(part: dict[str, Any], format: str) -> Attached | None:
    """Read a content part of a format; None when it is no media, whatever else it is. Base64 is
    read with line breaks, in the URL-safe alphabet, and without padding. Where it is none at all,
    the payload is None and the part stays as it came."""
    if not isinstance(part, dict):
        return None
    kind = part.get("type", "")
    read = READERS.get(format, {}).get(kind if isinstance(kind, str) and format != "gemini" else "")
    return _attached(read(part), part, format) if read else None


def _attached(told: ToldPayload, part: Part, format: str) -> Attached | None:
    type, name, detail, payload, text, url, id, blocks = told
    if text:
        return here(text.encode("utf-8", "replace"), type, name)
    split = split_url(url) if url and payload is None else None
    if payload is not None or split:
        type, data = split or (type, decoded(payload))
        if data is not None:
            return here(data, type, name, detail)
        media = Media(cleaned(type) or (told.type if split else "") or UNKNOWN, 0, name=name)
        return away(media, format, part, detail, broken=True)
    if url:
        media = elsewhere(url, name=name)
        # Its address may tell more of the type than its part does.
        if type not in ("", UNKNOWN) and not (type == ANYTHING and media.kind == "image"):
            media = Media(type, 0, name=name, url=url)
    elif id and type and format != "gemini" and part["type"] != "document":
        media = Media(type, 0, name=name, url=id)
    elif id:
        media = elsewhere(id, type if format == "gemini" else "", name)
    elif blocks is not None:
        media = Media(PLAIN, sum(map(_size, blocks)), name=name)
    else:
        return None
    return away(media, format, part, detail)


def _size(block: object) -> int:
    """Bytes of a block in a document: a text's own, or those of a picture."""
    if isinstance(block, dict) and block.get("type") == "image":
        found = attached(block, "anthropic")
        return found.media.size if found else 0
    return len(_text(block, "text").encode("utf-8", "replace"))


def part_of(attached: Attached, format: str) -> dict[str, Any] | None:
    """The part as requests of a format carry it; None when the provider takes no such payload. A
    payload that is elsewhere goes back as it came to the provider it came from, and to others by
    its address, if they fetch addresses: ids of files are their provider's own. One whose base64
    could not be read goes nowhere: it would have the request refused."""
    if attached.data is not None:
        return writing.here(attached, attached.data, format) if attached.data else None
    own = own_of(attached.opaque)
    if own is None or own.broken:
        return None
    if own.format == format:
        return own.part
    url = attached.media.url
    if url.startswith(_ADDRESS) and not url.startswith(_GOOGLES):
        return writing.at_address(attached.media, format, attached.detail)
    if {own.format, format} <= _SHARED and own.part.get("type") in ("file", "input_file"):
        by_id = {"file_id": url}
        if format == "openai":
            return {"type": "file", "file": by_id}
        return {"type": "input_file", **by_id}
    return None
