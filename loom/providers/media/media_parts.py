"""Media content parts: read from any format into one shape, and written in a provider's shape.

A part that is no media is read as None; nothing is raised. Shapes:
platform.openai.com/docs/api-reference (chat and responses), docs.claude.com/en/api/messages,
ai.google.dev/api/caching#Part; Google's in camel and snake case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

from loom.providers.media import writing
from loom.providers.media.inspect import UNKNOWN, Media, clean_mime_type, describe_remote
from loom.providers.media.payload import (
    ANYTHING,
    Attached,
    decode_base64,
    local_payload,
    provider_part_of,
    remote_payload,
    split_data_url,
)

__all__ = ["Attached", "read_part", "write_part"]

Part = dict[str, Any]
PDF, PLAIN = "application/pdf", "text/plain"
# A file's id means the same in both of OpenAI's formats.
_SHARED = frozenset({"openai", "responses"})
_ADDRESS = ("https://", "http://")
# Google's Files API: its ids are addresses nobody else may fetch (ai.google.dev, "Files API").
_GOOGLES = "https://generativelanguage.googleapis.com/"


class PartPayload(NamedTuple):
    """The description of a payload in its content part: MIME `type`, file `name` and `detail`
    level. Only one of these is set: `payload` (base64 or bytes), `text` (plain text), `url` (its
    address), `id` (the provider's id of a file), or `blocks` (a list of content blocks)."""

    type: str = ""
    name: str = ""
    detail: str = ""
    payload: object = None
    text: str = ""
    url: str = ""
    id: str = ""
    blocks: list[Any] | None = None


def _first_text(part: object, *names: str) -> str:
    """Return the first of a part's members `names` that is a nonempty text; "" if none is."""
    found = map(part.get, names) if isinstance(part, dict) else ()
    return next((value for value in found if isinstance(value, str) and value), "")


def _first_member(part: Part, *names: str) -> Part:
    return next((value for value in map(part.get, names) if isinstance(value, dict)), {})


def _openai_image(part: Part) -> PartPayload:
    """Read an image part of OpenAI: its address, or a file's id."""
    image = part.get("image_url")
    url = image if isinstance(image, str) else _first_text(image, "url")
    detail = _first_text(image, "detail") or _first_text(part, "detail")
    return PartPayload(ANYTHING, "", detail, url=url, id=_first_text(part, "file_id"))


def _openai_file(file: Part) -> PartPayload:
    """Read a file part of OpenAI: a data URL, base64, an address, or a file's id."""
    data, url = _first_text(file, "file_data"), _first_text(file, "file_url")
    if data and (split_data_url(data) or data.startswith(_ADDRESS)):
        data, url = "", data
    told = _first_text(file, "filename"), _first_text(file, "detail")
    return PartPayload("", *told, payload=data or None, url=url, id=_first_text(file, "file_id"))


def _openai_sound(part: Part) -> PartPayload:
    sound = _first_member(part, "input_audio")
    kind = _first_text(sound, "format")
    return PartPayload(f"audio/{kind}" if kind else "", payload=_first_text(sound, "data") or None)


def _anthropic_payload(part: Part) -> PartPayload:
    source = _first_member(part, "source")
    type = _first_text(source, "media_type") or (ANYTHING if part.get("type") == "image" else PDF)
    name = _first_text(part, "title")
    match source.get("type"):
        case "base64":
            return PartPayload(type, name, payload=source.get("data") or "")
        case "text":
            return PartPayload(PLAIN, name, text=_first_text(source, "data"))
        case "content" if isinstance(blocks := source.get("content"), list):
            return PartPayload(PLAIN, name, blocks=blocks)
        case "content":
            return PartPayload(PLAIN, name, text=_first_text(source, "content"))
        case "url":
            return PartPayload(type, name, url=_first_text(source, "url"))
        case "file":
            return PartPayload(type, name, id=_first_text(source, "file_id"))
    return PartPayload()


def _gemini_payload(part: Part) -> PartPayload:
    detail = _first_text(_first_member(part, "media_resolution", "mediaResolution"), "level")
    blob = _first_member(part, "inline_data", "inlineData")
    held = blob if blob.get("data") else _first_member(part, "file_data", "fileData")
    told = (
        _first_text(held, "mime_type", "mimeType"),
        _first_text(held, "display_name", "displayName"),
        detail,
    )
    if held is blob:
        return PartPayload(*told, payload=blob.get("data"))
    return PartPayload(*told, id=_first_text(held, "file_uri", "fileUri"))


# By format and the type of a part; Google's parts have none.
READERS: dict[str, dict[str, Callable[[Part], PartPayload]]] = {
    "openai": {
        "image_url": _openai_image,
        "file": lambda part: _openai_file(_first_member(part, "file")),
        "input_audio": _openai_sound,
    },
    "responses": {
        "input_image": _openai_image,
        "input_file": _openai_file,
        "input_audio": _openai_sound,
    },
    "anthropic": {"image": _anthropic_payload, "document": _anthropic_payload},
    "gemini": {"": _gemini_payload},
}


def read_part(part: dict[str, Any], format: str) -> Attached | None:
    """Return the payload of a content part in `format`; None if the part is no media. For base64
    that cannot be decoded, `data` is None and `opaque` keeps the part."""
    if not isinstance(part, dict):
        return None
    kind = part.get("type", "")
    read = READERS.get(format, {}).get(kind if isinstance(kind, str) and format != "gemini" else "")
    return _attach_payload(read(part), part, format) if read else None


def _attach_payload(told: PartPayload, part: Part, format: str) -> Attached | None:
    """Return the payload that `told` describes; None if it names no payload. `told` was read from
    `part`."""
    type, name, detail, payload, text, url, id, blocks = told
    if text:
        return local_payload(text.encode("utf-8", "replace"), type, name)
    split = split_data_url(url) if url and payload is None else None
    if payload is not None or split:
        type, data = split or (type, decode_base64(payload))
        if data is not None:
            return local_payload(data, type, name, detail)
        media = Media(
            clean_mime_type(type) or (told.type if split else "") or UNKNOWN, 0, name=name
        )
        return remote_payload(media, format, part, detail, broken=True)
    if url:
        media = describe_remote(url, name=name)
        # Its address may tell more of the type than its part does.
        if type not in ("", UNKNOWN) and not (type == ANYTHING and media.kind == "image"):
            media = Media(type, 0, name=name, url=url)
    elif id and type and format != "gemini" and part["type"] != "document":
        media = Media(type, 0, name=name, url=id)
    elif id:
        media = describe_remote(id, type if format == "gemini" else "", name)
    elif blocks is not None:
        media = Media(PLAIN, sum(map(_block_size, blocks)), name=name)
    else:
        return None
    return remote_payload(media, format, part, detail)


def _block_size(block: object) -> int:
    """Return the size in bytes of a block in a document: of its text, or of its image's payload."""
    if isinstance(block, dict) and block.get("type") == "image":
        found = read_part(block, "anthropic")
        return found.media.size if found else 0
    return len(_first_text(block, "text").encode("utf-8", "replace"))


def write_part(attached: Attached, format: str) -> dict[str, Any] | None:
    """Return the content part that sends a payload in `format`; None if the payload cannot be
    sent."""
    if attached.data is not None:
        return writing.part_with_bytes(attached, attached.data, format) if attached.data else None
    own = provider_part_of(attached.opaque)
    if own is None or own.broken:
        return None  # a provider refuses a request with unreadable base64
    if own.format == format:
        return own.part
    url = attached.media.url
    if url.startswith(_ADDRESS) and not url.startswith(_GOOGLES):
        return writing.part_with_address(attached.media, format, attached.detail)
    # A file's id is only good for its own provider.
    if {own.format, format} <= _SHARED and own.part.get("type") in ("file", "input_file"):
        by_id = {"file_id": url}
        if format == "openai":
            return {"type": "file", "file": by_id}
        return {"type": "input_file", **by_id}
    return None
