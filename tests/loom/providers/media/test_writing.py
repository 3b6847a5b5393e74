"""Content parts as the providers' documents spell them."""

from __future__ import annotations

import json
from base64 import b64encode
from typing import Any

from loom.providers.media.inspect import inspect
from loom.providers.media.parts import Attached, part_of
from tests.kit.cases import all_cases

Part = dict[str, Any]
PNG = b"\x89PNG\r\n\x1a\n" + bytes(range(99))
PDF = b"%PDF-1.4\n" + bytes(range(99))
MP3 = b"ID3\4" + bytes(range(64))
PAYLOADS = {"png": PNG, "pdf": PDF, "mp3": MP3, "wav": b"RIFF\0\0\0\0WAVEfmt " + bytes(64)}


def payload(name: str, detail: str = "") -> Attached:
    """A payload by its short name; the PDF has one of its own."""
    data = PAYLOADS[name]
    return Attached(inspect(data, name="report.pdf" * (name == "pdf")), data, detail)


SPELT: list[tuple[str, str, str, Part]] = [
    (
        "png",
        "openai",
        "low",
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,@", "detail": "low"}},
    ),
    (
        "pdf",
        "openai",
        "low",
        {
            "type": "file",
            "file": {"filename": "report.pdf", "file_data": "data:application/pdf;base64,@"},
        },
    ),
    (
        "wav",
        "openai",
        "",
        {"type": "input_audio", "input_audio": {"data": "@", "format": "wav"}},
    ),
    (
        "png",
        "responses",
        "",
        {"type": "input_image", "image_url": "data:image/png;base64,@", "detail": "auto"},
    ),
    (
        "pdf",
        "responses",
        "high",
        {
            "type": "input_file",
            "filename": "report.pdf",
            "file_data": "data:application/pdf;base64,@",
            "detail": "high",
        },
    ),
    (
        "png",
        "anthropic",
        "low",
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "@"}},
    ),
    (
        "pdf",
        "anthropic",
        "",
        {
            "type": "document",
            "source": {"type": "base64", "media_type": "application/pdf", "data": "@"},
            "title": "report.pdf",
        },
    ),
]


@all_cases(("name", "format", "detail", "spelt"), SPELT)
def test_parts_as_they_are_published(name: str, format: str, detail: str, spelt: Part) -> None:
    """Each provider's own spelling, `@` standing for the base64."""
    base64 = b64encode(PAYLOADS[name]).decode()
    part = part_of(payload(name, detail), format)
    assert json.loads(json.dumps(part).replace(base64, "@")) == spelt


def test_google_has_bytes_as_bytes() -> None:
    """The spelling of its library, as everywhere in Loom; a resolution only when it is its own."""
    blob = {"inline_data": {"mime_type": "application/pdf", "data": PDF}}
    assert part_of(payload("pdf", "high"), "gemini") == blob
    level = {"media_resolution": {"level": "MEDIA_RESOLUTION_LOW"}}
    assert part_of(payload("pdf", "MEDIA_RESOLUTION_LOW"), "gemini") == {**blob, **level}
    assert part_of(payload("mp3"), "gemini") == {
        "inline_data": {"mime_type": "audio/mp3", "data": MP3}
    }
