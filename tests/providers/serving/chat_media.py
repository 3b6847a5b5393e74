"""Images, files and sounds in a user's message of Chat Completions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import media
from tests.providers.serving.fields import Path, Wrong
from tests.providers.serving.prompt import Unit

PAGE = 1_000
SOUNDS = ("wav", "mp3")


def _file(value: Any, path: Path) -> None:
    """A file by its id, or with its name and its bytes."""
    data = media.data_url(media.PDF, elsewhere=False)
    f.record({}, {"file_id": f.text, "filename": f.text, "file_data": data})(value, path)
    if "file_id" not in value and not {"filename", "file_data"} <= set(value):
        raise Wrong("missing", (*path, "file_id"))


PARTS = {
    "image_url": f.record(
        {
            "type": f.text,
            "image_url": f.record(
                {"url": media.data_url(*media.IMAGES, elsewhere=True)},
                {"detail": f.choice("auto", "low", "high", "original")},
            ),
        }
    ),
    "input_audio": f.record(
        {
            "type": f.text,
            "input_audio": f.record({"data": media.encoded, "format": f.choice(*SOUNDS)}),
        }
    ),
    "file": f.record({"type": f.text, "file": _file}),
}


def units(content: Any, place: tuple[int, int]) -> Iterator[Unit]:
    """What of a message is no text, and where in it that stands."""
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if part["type"] != "text":
            value = [at, media.digest(part)]
            yield Unit("media", "user", value, (), place=place, seen=_seen(part))


def _seen(part: dict[str, Any]) -> int:
    if part["type"] == "input_audio":
        data = media.bytes_of(part["input_audio"]["data"]) or b""
        return media.tokens("audio/", data, media.by_tiles, PAGE)
    if part["type"] == "image_url":
        image = part["image_url"]
        data = media.of_data(image["url"])[1]
        return 70 if image.get("detail") == "low" else media.by_tiles(data)
    kind, data = media.of_data(part["file"].get("file_data", ""))
    return media.tokens(kind or media.PDF, data, media.by_tiles, PAGE)
