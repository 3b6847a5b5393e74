"""A payload with its description, and the texts that encode payloads: base64 and data URLs."""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from typing import Any
from urllib.parse import unquote_to_bytes

from msgspec import Struct

from loom.lazy import lazy_re
from loom.providers.media.inspect import Media, inspect_payload

_STANDARD = bytes.maketrans(b"-_", b"+/")
_SPACES = b" \t\r\n\f\v"
_DATA = lazy_re(r"data:([^,]{0,512}),", re.IGNORECASE)
ANYTHING = "image/*"  # the type of an image nothing else is said of


class Attached(Struct, frozen=True):
    """A payload that came in a content part; `media` describes it. `data` is its bytes, or None if
    the payload is not here or its base64 could not be read. In both cases `opaque` keeps the
    content part, as the JSON text of {"format", "part"}, with "broken": true for unreadable base64.
    `detail` is the provider's word for how closely the model looks at it."""

    media: Media
    data: bytes | None
    detail: str = ""
    opaque: str = ""


class ProviderPart(Struct, frozen=True):
    """A content part as it came from a host in `format`. `broken` says that its base64 could not be
    read."""

    format: str
    part: dict[str, Any]
    broken: bool


def local_payload(data: bytes, declared: str = "", name: str = "", detail: str = "") -> Attached:
    """Return a payload whose bytes are known. `declared` is the MIME type that came with it, `name`
    its file name, `detail` a provider's detail level."""
    return Attached(inspect_payload(data, declared, name), data, detail)


def remote_payload(
    media: Media, format: str, part: dict[str, Any], detail: str = "", broken: bool = False
) -> Attached:
    """Return an Attached for a payload that is elsewhere, or whose base64 is `broken`. `part` is
    the content part as it came."""
    own = {"format": format, "part": part, **({"broken": True} if broken else {})}
    try:
        text = json.dumps(own, separators=(",", ":"), default=_json_default)
    except (ValueError, TypeError, RecursionError):  # it holds itself: no part of any provider
        text = ""
    return Attached(media, None, detail, text)


def provider_part_of(opaque: str) -> ProviderPart | None:
    """Return the content part in the text `Attached.opaque`; None if the text holds none."""
    try:
        own = json.loads(opaque)
        return ProviderPart(own["format"], own["part"], own.get("broken") is True)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _json_default(value: object) -> str:
    """Return a text for a value that JSON cannot hold: base64 for bytes, else `str(value)`."""
    return encode_base64(bytes(value)) if isinstance(value, bytes | bytearray) else str(value)


def encode_base64(data: bytes) -> str:
    """Return bytes as base64 for any provider: standard alphabet, padded, on one line."""
    return b64encode(data).decode("ascii")


def decode_base64(text: object) -> bytes | None:
    """Return the bytes that a base64 text stands for, in any spelling; None if the text is empty or
    no base64. Bytes are returned unchanged."""
    if isinstance(text, bytes | bytearray):  # Google's library holds raw bytes
        return bytes(text) or None
    if not isinstance(text, str):
        return None
    try:
        plain = text.encode("ascii").translate(_STANDARD, _SPACES).rstrip(b"=")
        return b64decode(plain + b"=" * (-len(plain) % 4), validate=True) or None
    except ValueError:
        return None


def data_url(type: str, data: bytes) -> str:
    """Return a payload as a data URL (RFC 2397). `type` is its MIME type."""
    return f"data:{type};base64,{encode_base64(data)}"


def split_data_url(url: str) -> tuple[str, bytes | None] | None:
    """Return (MIME type, payload) of a data URL; None if the text is no data URL. The type may have
    parameters. The payload is None if it cannot be decoded."""
    match = _DATA.match(url.lstrip())
    if match is None:
        return None
    head, rest = match[1].strip(), url.lstrip()[match.end() :]
    type, found, last = head.rpartition(";")
    if found and last.strip().lower() == "base64":
        if "%" in rest:
            rest = unquote_to_bytes(rest).decode("latin-1")
        return type, decode_base64(rest)
    sendable = rest.encode("utf-8", "replace")  # of lone surrogates nothing can be sent
    return head or "text/plain", unquote_to_bytes(sendable) or None
