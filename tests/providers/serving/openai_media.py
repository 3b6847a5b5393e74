"""Images, files and sounds in a message of OpenAI's two APIs, and in what a function gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import media
from tests.providers.serving.prompt import Unit

PAGE = 1_000
CHAT = ("image_url", "input_audio", "file")
RESPONSES = ("input_image", "input_file")


def units(content: Any, place: tuple[int, int]) -> Iterator[Unit]:
    """What of a message is no text, and where in it that stands."""
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if part["type"] in CHAT + RESPONSES:
            value = [at, media.digest(part)]
            yield Unit("media", "user", value, (), place=place, seen=_seen(part))


def _seen(part: dict[str, Any]) -> int:
    kind = part["type"]
    if kind == "input_audio":
        data = media.bytes_of(part["input_audio"]["data"]) or b""
        return media.tokens("audio/", data, media.by_tiles, PAGE)
    held = part[kind] if kind in CHAT else {**part, "url": part.get("image_url")}
    if kind.endswith(("image", "image_url")):
        data = media.of_data(held.get("url") or "")[1]
        return 70 if held.get("detail") == "low" else media.by_tiles(data)
    named, data = media.of_data(held.get("file_data", ""))
    return media.tokens(named or media.PDF, data, media.by_tiles, PAGE)
