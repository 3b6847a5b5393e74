"""Images, files and sounds in a message of OpenAI's two APIs, and in what a function gave."""

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


PICTURE = f.record(
    {"url": media.data_url(*media.IMAGES, elsewhere=True)},
    {"detail": f.choice("auto", "low", "high", "original")},
)
SOUND = f.record({"data": media.encoded, "format": f.choice(*SOUNDS)})
HELD = {"image_url": PICTURE, "input_audio": SOUND, "file": _file}
CHAT = {kind: f.record({"type": f.text, kind: spec}) for kind, spec in HELD.items()}


def _one_of(spec: f.Spec, *names: str) -> f.Spec:
    """The spec, with one of these fields that says where the payload is."""

    def check(value: Any, path: Path) -> None:
        spec(value, path)
        if not any(value.get(name) for name in names):
            raise Wrong("missing", (*path, names[0]))

    return check


TYPE = {"type": f.text}
ID = {"file_id": f.nullable(f.text)}
IMAGE = {
    "detail": f.nullable(f.choice("low", "high", "auto", "original")),
    "image_url": f.nullable(media.data_url(*media.IMAGES, elsewhere=True)),
}
FILE = {
    "detail": f.choice("auto", "low", "high"),
    "file_data": media.data_url(elsewhere=False),
    "filename": f.text,
    "file_url": f.text,
}
RESPONSES = {
    "input_image": _one_of(f.record(TYPE, {**IMAGE, **ID}), "image_url", "file_id"),
    "input_file": _one_of(f.record(TYPE, {**FILE, **ID}), "file_id", "file_data", "file_url"),
}


def units(content: Any, place: tuple[int, int]) -> Iterator[Unit]:
    """What of a message is no text, and where in it that stands."""
    for at, part in enumerate(content if isinstance(content, list) else ()):
        if part["type"] in {**CHAT, **RESPONSES}:
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
