"""Content parts between the formats: read into one shape, written as a provider wants them.

A part that is no media is read as None; nothing is raised. Shapes:
platform.openai.com/docs/api-reference (chat and responses), docs.claude.com/en/api/messages,
ai.google.dev/api/caching#Part; Google's in camel and snake case.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loom.providers.media import writing
from loom.providers.media.inspect import UNKNOWN, Media, cleaned, elsewhere
from loom.providers.media.payload import ANYTHING, Attached, away, decoded, here, own_of, split_url

__all__ = ["Attached", "attached", "in_result", "part_of"]

Part = dict[str, Any]
PDF, PLAIN = "application/pdf", "text/plain"
# A file's id means the same in both of OpenAI's formats.
_SHARED = frozenset({"openai", "responses"})
_ADDRESS = ("https://", "http://")
# Google's Files API: its ids are addresses nobody else may fetch (ai.google.dev, "Files API").
_GOOGLES = "https://generativelanguage.googleapis.com/"


def _text(part: object, *names: str) -> str:
    """The first member of these names that is a text with something in it."""
    if isinstance(part, dict):
        for name in names:
            value = part.get(name)
            if isinstance(value, str) and value:
                return value
    return ""


def _member(part: Part, *names: str) -> Part:
    for name in names:
        value = part.get(name)
        if isinstance(value, dict):
            return value
    return {}


def _named(url: str, type: str, name: str) -> Media:
    """A payload elsewhere: its address may tell more of the type than its part does."""
    media = elsewhere(url, name=name)
    vague = (type == ANYTHING and media.kind == "image") or type == UNKNOWN
    return media if vague else Media(type, 0, name=name, url=url)


def _inline(
    part: Part, format: str, payload: object, type: str, name: str = "", detail: str = ""
) -> Attached:
    data = decoded(payload)
    if data is None:
        media = Media(cleaned(type) or UNKNOWN, 0, name=name)
        return away(media, format, part, detail, broken=True)
    return here(data, type, name, detail)


def _url(
    part: Part, format: str, url: str, type: str, name: str = "", detail: str = ""
) -> Attached:
    """Read an address: a data URL is here, anything else is elsewhere."""
    split = split_url(url)
    if split is None:
        return away(_named(url, type, name), format, part, detail)
    if split[1] is None:
        media = Media(cleaned(split[0]) or type, 0, name=name)
        return away(media, format, part, detail, broken=True)
    return here(split[1], split[0], name, detail)


def _file(part: Part, file: Part, format: str) -> Attached | None:
    """A file of OpenAI: its data as a data URL or bare base64, an address, or an id."""
    name, detail = _text(file, "filename"), _text(file, "detail")
    data = _text(file, "file_data")
    if data and (split_url(data) or data.startswith(("https://", "http://"))):
        return _url(part, format, data, UNKNOWN, name, detail)
    if data:
        return _inline(part, format, data, "", name, detail)
    url = _text(file, "file_url")
    if url:
        return _url(part, format, url, UNKNOWN, name, detail)
    id = _text(file, "file_id")
    return away(elsewhere(id, name=name), format, part, detail) if id else None


def _sound(part: Part, format: str) -> Attached | None:
    sound = _member(part, "input_audio")
    kind = _text(sound, "format")
    if not _text(sound, "data"):
        return None
    return _inline(part, format, sound["data"], f"audio/{kind}" if kind else "")


def _image(part: Part, format: str) -> Attached | None:
    """An image of OpenAI: an address, in an object or by itself, or an id."""
    image = part.get("image_url")
    url = image if isinstance(image, str) else _text(image, "url")
    detail = _text(image, "detail") or _text(part, "detail")
    if url:
        return _url(part, format, url, ANYTHING, "", detail)
    id = _text(part, "file_id")
    return away(Media(ANYTHING, 0, url=id), format, part, detail) if id else None


def _anthropic_part(part: Part) -> Attached | None:
    source = _member(part, "source")
    image = part.get("type") == "image"
    type = _text(source, "media_type") or (ANYTHING if image else PDF)
    name = _text(part, "title")
    match source.get("type"):
        case "base64":
            return _inline(part, "anthropic", source.get("data"), type, name)
        case "url" if _text(source, "url"):
            return _url(part, "anthropic", source["url"], type, name)
        case "file" if _text(source, "file_id"):
            id = source["file_id"]
            media = Media(type, 0, name=name, url=id) if image else elsewhere(id, name=name)
            return away(media, "anthropic", part)
        case "text" if _text(source, "data"):
            return here(_bytes(source["data"]), PLAIN, name)
        case "content" if _text(source, "content"):
            return here(_bytes(source["content"]), PLAIN, name)
        case "content" if isinstance(source.get("content"), list):
            size = sum(_size(block) for block in source["content"])
            return away(Media(PLAIN, size, name=name), "anthropic", part)
    return None


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


def _size(block: object) -> int:
    """Bytes of a block in a document: a text's own, or those of a picture."""
    if isinstance(block, dict) and block.get("type") == "image":
        found = _anthropic_part(block)
        return found.media.size if found else 0
    return len(_bytes(_text(block, "text")))


def _gemini_part(part: Part) -> Attached | None:
    detail = _text(_member(part, "media_resolution", "mediaResolution"), "level")
    blob = _member(part, "inline_data", "inlineData")
    name = _text(blob, "display_name", "displayName")
    type = _text(blob, "mime_type", "mimeType")
    if blob.get("data"):
        return _inline(part, "gemini", blob["data"], type, name, detail)
    file = _member(part, "file_data", "fileData")
    url = _text(file, "file_uri", "fileUri")
    if not url:
        return None
    name = _text(file, "display_name", "displayName")
    type = _text(file, "mime_type", "mimeType")
    return away(elsewhere(url, type, name), "gemini", part, detail)


# By format and the type of a part; Google's parts have none.
READERS: dict[str, dict[str, Callable[[Part], Attached | None]]] = {
    "openai": {
        "image_url": lambda part: _image(part, "openai"),
        "file": lambda part: _file(part, _member(part, "file"), "openai"),
        "input_audio": lambda part: _sound(part, "openai"),
    },
    "responses": {
        "input_image": lambda part: _image(part, "responses"),
        "input_file": lambda part: _file(part, part, "responses"),
        "input_audio": lambda part: _sound(part, "responses"),
    },
    "anthropic": {"image": _anthropic_part, "document": _anthropic_part},
    "gemini": {"": _gemini_part},
}


def attached(part: dict[str, Any], format: str) -> Attached | None:
    """Read a content part of a format; None when it is no media, whatever else it is.

    Base64 is read with line breaks, in the URL-safe alphabet, and without padding. Where it is none
    at all, the payload is None and the part stays as it came.
    """
    if not isinstance(part, dict):
        return None
    kind = part.get("type", "")
    read = READERS.get(format, {}).get(kind if isinstance(kind, str) and format != "gemini" else "")
    return read(part) if read else None


def part_of(attached: Attached, format: str) -> dict[str, Any] | None:
    """The part as requests of a format carry it; None when the provider takes no such payload.

    A payload that is elsewhere goes back as it came to the provider it came from, and to others by
    its address, if they fetch addresses: ids of files are their provider's own. One whose base64
    could not be read goes nowhere: it would have the request refused.
    """
    if attached.data is not None:
        return writing.here(attached, attached.data, format) if attached.data else None
    own = own_of(attached.opaque)
    if own is None or own.broken:
        return None
    if own.format == format:
        return own.part
    media = attached.media
    if media.url.startswith(_ADDRESS) and not media.url.startswith(_GOOGLES):
        return writing.at_address(media, format, attached.detail)
    if {own.format, format} <= _SHARED and own.part.get("type") in ("file", "input_file"):
        return _by_id(media.url, format)
    return None


def in_result(format: str, media: Media, model: str = "") -> bool:
    """True when the result of a tool may hold a payload, in the spelling `part_of` gives it.

    Anthropic: pictures and documents in `tool_result`. Responses: the list that is the output of a
    call takes `input_image` and `input_file`. Gemini: `functionResponse.parts`, since version 3;
    earlier models answer 400. Chat Completions: texts alone, so it has to follow in a user message.
    A payload that is elsewhere counts by its type.
    """
    if format == "gemini" and model.rpartition("/")[2].startswith(("gemini-1", "gemini-2")):
        return False
    return writing.type_in(media) in writing.RESULTS.get(format, ())


def _by_id(id: str, format: str) -> dict[str, Any]:
    if format == "openai":
        return {"type": "file", "file": {"file_id": id}}
    return {"type": "input_file", "file_id": id}
