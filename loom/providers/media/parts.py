"""Content parts between the formats: read into one shape, written as a provider wants them."""

from __future__ import annotations

from typing import Any

from loom.providers.media.inspect import Media
from loom.providers.media.payload import Attached, own_of
from loom.providers.media.reading import READERS
from loom.providers.media.writing import RESULTS, TAKEN, at_address

__all__ = ["Attached", "attached", "in_result", "part_of"]

# A file's id means the same in both of OpenAI's formats.
_SHARED = frozenset({"openai", "responses"})
_ADDRESS = ("https://", "http://")
# Google's Files API: its ids are addresses nobody else may fetch (ai.google.dev, "Files API").
_GOOGLES = "https://generativelanguage.googleapis.com/"


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
        write = TAKEN.get(format, {}).get(_class(attached.media))
        return write(attached, attached.data) if write and attached.data else None
    own = own_of(attached.opaque)
    if own is None or own.broken:
        return None
    if own.format == format:
        return own.part
    media = attached.media
    if media.url.startswith(_ADDRESS) and not media.url.startswith(_GOOGLES):
        return at_address(media, format, attached.detail)
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
    return _class(media) in RESULTS.get(format, ())


def _class(media: Media) -> str:
    """Return the key of a payload in TAKEN: its type, or `text` for any text."""
    return "text" if media.kind == "text" else media.type


def _by_id(id: str, format: str) -> dict[str, Any]:
    if format == "openai":
        return {"type": "file", "file": {"file_id": id}}
    return {"type": "input_file", "file_id": id}
