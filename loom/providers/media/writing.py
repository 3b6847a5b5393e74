"""Writes content parts of the four formats: which types a provider takes, in which shape.

OpenAI: "Images and vision" (PNG, JPEG, WebP, GIF), "File inputs" (PDF in both formats, texts and
office documents in Responses), "Audio" (WAV and MP3, in Chat Completions). Anthropic: "Images and
vision", "PDF support", "Citations" (plain text). Google: "Image understanding", "Document
processing", "Audio understanding", "Video understanding", "Function calling". As of 2026."""

from __future__ import annotations

from typing import Any

from loom.providers.media.inspect import EXTENSIONS, Media
from loom.providers.media.media_line import file_extension
from loom.providers.media.payload import Attached, data_url, encode_base64

Part = dict[str, Any]
PDF = "application/pdf"
DETAILS = ("low", "high", "original", "auto")
_IMAGES = ("image/png", "image/jpeg", "image/webp", "image/gif")
_OFFICE = tuple(type for type in EXTENSIONS if "officedocument" in type)
_SOUNDS = {"audio/wav": "wav", "audio/mpeg": "mp3"}
_LEVEL = "MEDIA_RESOLUTION_"
# Google's own name where it differs from the registered one; any text goes as plain.
_GOOGLE = {
    "audio/mpeg": "audio/mp3",
    "video/quicktime": "video/mov",
    "video/x-msvideo": "video/avi",
}
_GOOGLE_TAKES = (
    *("image/png", "image/jpeg", "image/webp", "image/heic", "image/heif"),
    *("audio/wav", "audio/mpeg", "audio/aac", "audio/ogg", "audio/flac"),
    *("video/mp4", "video/quicktime", "video/x-msvideo", "video/webm"),
)


TEXT = "text"  # stands for the types of all texts
# By format, the types it takes.
TAKEN = {
    "openai": frozenset({*_IMAGES, *_SOUNDS, PDF}),
    "responses": frozenset({*_IMAGES, *_OFFICE, PDF, TEXT}),
    "anthropic": frozenset({*_IMAGES, PDF, TEXT}),
    "gemini": frozenset({*_GOOGLE_TAKES, PDF, TEXT}),
}


def part_with_bytes(attached: Attached, data: bytes, format: str) -> Part | None:
    """Return a content part in `format` with the bytes of a payload; None if the format does not
    take this type of payload."""
    media = attached.media
    if (TEXT if media.kind == TEXT else media.type) not in TAKEN.get(format, ()):
        return None
    if format == "gemini":
        return _gemini_part(media, data, attached.detail)
    if format == "anthropic":
        return _anthropic_part(media, _anthropic_source(media, data))
    if media.type in _SOUNDS:
        sound = {"data": encode_base64(data), "format": _SOUNDS[media.type]}
        return {"type": "input_audio", "input_audio": sound}
    return _openai_part(media, format, data_url(media.type, data), attached.detail)


def part_with_address(media: Media, format: str, detail: str) -> Part | None:
    """Return a content part in `format` with the address of a payload; None if the provider does
    not fetch such addresses."""
    if format == "anthropic" and media.kind in ("image", "pdf"):
        return _anthropic_part(media, {"type": "url", "url": media.url})
    if format == "responses" or (format == "openai" and media.kind == "image"):
        return _openai_part(media, format, media.url, detail)
    return None


def _openai_part(media: Media, format: str, url: str, detail: str) -> Part:
    """Return an image or file part in an OpenAI format. `url` is an address or a data URL."""
    if media.kind == "image":
        if format == "responses":
            seen = detail if detail in DETAILS else "auto"
            return {"type": "input_image", "image_url": url, "detail": seen}
        closely = {"detail": detail} if detail in DETAILS else {}
        return {"type": "image_url", "image_url": {"url": url, **closely}}
    # With its data OpenAI wants a file's name, and reads the type from it.
    name = media.name or f"file{file_extension(media)}"
    file = {"filename": name, "file_data": url} if url != media.url else {"file_url": url}
    if format == "openai":
        return {"type": "file", "file": file}
    return {"type": "input_file", **file, **({"detail": detail} if detail in DETAILS[:2] else {})}


def _anthropic_part(media: Media, source: Part | None) -> Part | None:
    if source is None or media.kind == "image":
        return source and {"type": "image", "source": source}
    titled = {"title": media.name} if media.name else {}
    return {"type": "document", "source": source, **titled}


def _anthropic_source(media: Media, data: bytes) -> Part | None:
    if media.kind != TEXT:
        return {"type": "base64", "media_type": media.type, "data": encode_base64(data)}
    try:
        return {"type": "text", "media_type": "text/plain", "data": data.decode()}
    except UnicodeDecodeError:  # another encoding: who reads it as UTF-8 would change it
        return None


def _gemini_part(media: Media, data: bytes, detail: str) -> Part:
    # Without a name: Google's library refuses one where its server tools are off.
    type = "text/plain" if media.kind == TEXT else _GOOGLE.get(media.type, media.type)
    seen = {"media_resolution": {"level": detail}} if detail.startswith(_LEVEL) else {}
    return {"inline_data": {"mime_type": type, "data": data}, **seen}
