"""Content parts of the four formats, written: which types a provider takes, and how it spells them.

OpenAI: "Images and vision" (PNG, JPEG, WebP, GIF), "File inputs" (PDF in both formats, texts and
office documents in Responses), "Audio" (WAV and MP3, in Chat Completions). Anthropic: "Images and
vision", "PDF support", "Citations" (plain text). Google: "Image understanding", "Document
processing", "Audio understanding", "Video understanding", "Function calling". As of 2026.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from loom.providers.media.described import extension
from loom.providers.media.inspect import EXTENSIONS, Media
from loom.providers.media.payload import ANYTHING, Attached, data_url, encoded

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


def _chat_image(attached: Attached, data: bytes) -> Part:
    return _image_url(data_url(attached.media.type, data), attached.detail)


def _image_url(url: str, detail: str) -> Part:
    seen = {"detail": detail} if detail in DETAILS else {}
    return {"type": "image_url", "image_url": {"url": url, **seen}}


def _chat_file(attached: Attached, data: bytes) -> Part:
    media = attached.media
    file = {"filename": _filename(media), "file_data": data_url(media.type, data)}
    return {"type": "file", "file": file}


def _chat_sound(attached: Attached, data: bytes) -> Part:
    sound = {"data": encoded(data), "format": _SOUNDS[attached.media.type]}
    return {"type": "input_audio", "input_audio": sound}


def _responses_image(attached: Attached, data: bytes) -> Part:
    return _input_image(data_url(attached.media.type, data), attached.detail)


def _input_image(url: str, detail: str) -> Part:
    seen = detail if detail in DETAILS else "auto"
    return {"type": "input_image", "image_url": url, "detail": seen}


def _responses_file(attached: Attached, data: bytes) -> Part:
    media = attached.media
    file = {"filename": _filename(media), "file_data": data_url(media.type, data)}
    return {"type": "input_file", **file, **_closeness(attached.detail)}


def _closeness(detail: str) -> Part:
    return {"detail": detail} if detail in ("low", "high") else {}


def _filename(media: Media) -> str:
    """A file's name, which OpenAI wants with its data and reads the type from."""
    return media.name or f"file{extension(media)}"


def _base64_image(attached: Attached, data: bytes) -> Part:
    return {"type": "image", "source": _base64(attached.media.type, data)}


def _base64_document(attached: Attached, data: bytes) -> Part:
    return _titled(_base64(PDF, data), attached.media.name)


def _base64(type: str, data: bytes) -> Part:
    return {"type": "base64", "media_type": type, "data": encoded(data)}


def _text_document(attached: Attached, data: bytes) -> Part | None:
    try:
        text = data.decode()
    except UnicodeDecodeError:  # another encoding: who reads it as UTF-8 would change it
        return None
    source = {"type": "text", "media_type": "text/plain", "data": text}
    return _titled(source, attached.media.name)


def _titled(source: Part, title: str) -> Part:
    return {"type": "document", "source": source, **({"title": title} if title else {})}


def _inline_data(attached: Attached, data: bytes) -> Part:
    # Without a name: Google's library refuses one where its server tools are off.
    media = attached.media
    type = "text/plain" if media.kind == "text" else _GOOGLE.get(media.type, media.type)
    blob = {"mime_type": type, "data": data}
    level = attached.detail if attached.detail.startswith(_LEVEL) else ""
    seen = {"media_resolution": {"level": level}} if level else {}
    return {"inline_data": blob, **seen}


def at_address(media: Media, format: str, detail: str) -> Part | None:
    """A payload by its address, for the providers that fetch it; Google takes its own alone."""
    image = media.kind == "image"
    match format:
        case "openai" if image:
            return _image_url(media.url, detail)
        case "responses" if image:
            return _input_image(media.url, detail)
        case "responses":
            return {"type": "input_file", "file_url": media.url, **_closeness(detail)}
        case "anthropic" if image:
            return {"type": "image", "source": {"type": "url", "url": media.url}}
        case "anthropic" if media.kind == "pdf":
            return _titled({"type": "url", "url": media.url}, media.name)
    return None


Writer = Callable[[Attached, bytes], Part | None]

# By format, the types it takes and what writes them; `text` stands for every text.
TAKEN: dict[str, dict[str, Writer]] = {
    "openai": {
        **dict.fromkeys(_IMAGES, _chat_image),
        **dict.fromkeys(_SOUNDS, _chat_sound),
        PDF: _chat_file,
    },
    "responses": {
        **dict.fromkeys(_IMAGES, _responses_image),
        **dict.fromkeys((PDF, "text", *_OFFICE), _responses_file),
    },
    "anthropic": {
        **dict.fromkeys(_IMAGES, _base64_image),
        PDF: _base64_document,
        "text": _text_document,
    },
    "gemini": dict.fromkeys((*_GOOGLE_TAKES, PDF, "text"), _inline_data),
}
# By format, what the result of a tool may hold.
RESULTS: dict[str, frozenset[str]] = {
    "openai": frozenset(),
    "responses": frozenset({*TAKEN["responses"], ANYTHING}),
    "anthropic": frozenset({*TAKEN["anthropic"], ANYTHING}),
    "gemini": frozenset({"image/png", "image/jpeg", "image/webp", PDF, "text"}),
}
