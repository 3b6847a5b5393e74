"""Images, documents and sounds in a content of Gemini, and in what a function gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import media
from tests.providers.serving.fields import Path, Wrong
from tests.providers.serving.prompt import Unit

PAGE = 258  # "Document processing": of each page
TYPES = (
    *("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif", media.PDF),
    *("audio/wav", "audio/mp3", "audio/aiff", "audio/aac", "audio/ogg", "audio/flac"),
    *("video/mp4", "video/mpeg", "video/mov", "video/avi", "video/x-flv", "video/mpg"),
    *("video/webm", "video/wmv", "video/3gpp"),
)
LOW = "MEDIA_RESOLUTION_LOW"


def _mime(value: Any, path: Path) -> None:
    f.text(value, path)
    if value not in TYPES and not value.startswith("text/"):
        raise Wrong("mime", path, "", value)


def _inline(value: Any, path: Path) -> None:
    """Bytes and their type; ProtoJSON takes either alphabet, padded or not."""
    f.record({"mimeType": _mime, "data": f.text}, {"displayName": f.text})(value, path)
    media.typed(standard(value["data"]), value["mimeType"], (*path, "data"))


def standard(text: str) -> str:
    """Base64 of either alphabet in the standard one, padded."""
    plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return plain + "=" * (-len(plain) % 4)


HELD = {
    "inlineData": _inline,
    "fileData": f.record({"fileUri": f.text}, {"mimeType": _mime, "displayName": f.text}),
}
FIELDS = {
    **HELD,
    "mediaResolution": f.record({"level": f.text}, {"numTokens": f.integer}),
    "videoMetadata": f.mapping,
}
RESULT = f.listof(f.record({}, FIELDS))


def units(parts: Any, role: str, place: tuple[int, int]) -> Iterator[Unit]:
    """Those of the parts that hold media."""
    for at, part in enumerate(parts or ()):
        if any(name in part for name in HELD):
            value = [at, media.digest(part)]
            yield Unit("media", role, value, (), place=place, seen=_seen(part))


def _seen(part: dict[str, Any]) -> int:
    held = part.get("inlineData") or part["fileData"]
    kind = held.get("mimeType") or "image/"
    if kind.startswith("image/") and part.get("mediaResolution", {}).get("level") == LOW:
        return 64
    data = media.bytes_of(standard(held.get("data", ""))) or b""
    return media.tokens(kind, data, media.flat, PAGE)
