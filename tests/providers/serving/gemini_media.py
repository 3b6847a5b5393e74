"""Images, documents and sounds in a content of Gemini, and in what a function gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import media
from tests.providers.serving.prompt import Unit

PAGE = 258  # "Document processing": of each page
LOW = "MEDIA_RESOLUTION_LOW"


def standard(text: str) -> str:
    """Base64 of either alphabet in the standard one, padded."""
    plain = text.rstrip("=").translate(str.maketrans("-_", "+/"))
    return plain + "=" * (-len(plain) % 4)


def units(parts: Any, role: str, place: tuple[int, int]) -> Iterator[Unit]:
    """Those of the parts that hold media."""
    for at, part in enumerate(parts or ()):
        if any(name in part for name in ("inlineData", "fileData")):
            value = [at, media.digest(part)]
            yield Unit("media", role, value, (), place=place, seen=_seen(part))


def _seen(part: dict[str, Any]) -> int:
    held = part.get("inlineData") or part["fileData"]
    kind = held.get("mimeType") or "image/"
    if kind.startswith("image/") and part.get("mediaResolution", {}).get("level") == LOW:
        return 64
    data = media.bytes_of(standard(held.get("data", ""))) or b""
    return media.tokens(kind, data, media.flat, PAGE)
