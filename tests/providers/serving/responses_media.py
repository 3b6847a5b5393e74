"""Images and files in a message of Responses, and in what a function gave."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tests.providers.serving import fields as f
from tests.providers.serving import media
from tests.providers.serving.fields import Path, Wrong
from tests.providers.serving.prompt import Unit

PAGE = 1_000


def _one_of(spec: f.Spec, *names: str) -> f.Spec:
    """The spec, with one of these fields that says where the payload is."""

    def check(value: Any, path: Path) -> None:
        spec(value, path)
        if not any(value.get(name) for name in names):
            raise Wrong("missing", (*path, names[0]))

    return check


PARTS = {
    "input_image": _one_of(
        f.record(
            {"type": f.text},
            {
                "detail": f.nullable(f.choice("low", "high", "auto", "original")),
                "image_url": f.nullable(media.data_url(*media.IMAGES, elsewhere=True)),
                "file_id": f.nullable(f.text),
            },
        ),
        "image_url",
        "file_id",
    ),
    "input_file": _one_of(
        f.record(
            {"type": f.text},
            {
                "detail": f.choice("auto", "low", "high"),
                "file_data": media.data_url(elsewhere=False),
                "filename": f.text,
                "file_id": f.nullable(f.text),
                "file_url": f.text,
            },
        ),
        "file_id",
        "file_data",
        "file_url",
    ),
}


def units(content: Any, place: tuple[int, int]) -> Iterator[Unit]:
    """What of an item is no text, and where in it that stands."""
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if part["type"] in PARTS:
            value = [at, media.digest(part)]
            yield Unit("media", "user", value, (), place=place, seen=_seen(part))


def _seen(part: dict[str, Any]) -> int:
    if part["type"] == "input_image":
        data = media.of_data(part.get("image_url") or "")[1]
        return 70 if part.get("detail") == "low" else media.by_tiles(data)
    kind, data = media.of_data(part.get("file_data", ""))
    return media.tokens(kind or media.PDF, data, media.by_tiles, PAGE)
