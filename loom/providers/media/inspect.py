"""Payloads inspected: the type by its first bytes, the size in pixels or pages.

First bytes: https://mimesniff.spec.whatwg.org/ (section 6), and the formats' own documents. A type
somebody declared counts only where the bytes tell none, and a file name after that.
"""

from __future__ import annotations

import re

from msgspec import Struct

from loom.lazy import lazy_re
from loom.providers.media.headers import pixels
from loom.providers.media.pages import pages
from loom.providers.media.types import (
    ALIASES,
    BRANDS,
    CONTAINERS,
    EXTENSIONS,
    MAGIC,
    TEXTUAL,
    UNKNOWN,
)

PDF = "application/pdf"
SAMPLE = 4096  # bytes looked at to tell text from anything else
LONGEST = 127  # characters of either half of a type: RFC 6838, 4.2

_TYPE = lazy_re(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_BINARY = lazy_re(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_OBJECT = lazy_re(rb"^\s*\d+ +\d+ +obj\b", re.MULTILINE)
_HEADERS = frozenset({12, 16, 40, 52, 56, 64, 108, 124})  # sizes of a BMP's second header


class Media(Struct, frozen=True, omit_defaults=True):
    """A payload, described.

    `type` is a MIME type without parameters, `size` bytes (0 when unknown), `width` and `height`
    pixels as displayed, `pages` those of a PDF (0 when unknown), `name` a file name that was given.
    `url` says where the payload is when it is not here: an address, or a provider's id of a file.
    """

    type: str
    size: int
    width: int = 0
    height: int = 0
    pages: int = 0
    name: str = ""
    url: str = ""

    @property
    def kind(self) -> str:
        """`image`, `pdf`, `text`, `audio`, `video`, or `file` for anything else."""
        if self.type == PDF:
            return "pdf"
        if self.type in TEXTUAL or self.type.endswith(("+xml", "+json")):
            return "text"
        main = self.type.partition("/")[0]
        return main if main in ("image", "text", "audio", "video") else "file"


def inspect(data: bytes, declared: str = "", name: str = "") -> Media:
    """Describe a payload. Any bytes, never raises; a few megabytes of them are looked at."""
    type = type_of(data, declared, name)
    width, height = pixels(data, type)
    counted = pages(data) if type == PDF else 0
    return Media(type, len(data), width, height, counted, name)


def elsewhere(url: str, declared: str = "", name: str = "") -> Media:
    """Describe a payload that is not here, by what was said of it and the end of its address."""
    path = url.partition("?")[0].partition("#")[0]
    return Media(type_of(b"", declared, name or path.rpartition("/")[2]), 0, name=name, url=url)


def type_of(data: bytes, declared: str = "", name: str = "") -> str:
    """The MIME type by first bytes, then as declared, then by name, then text if it reads so."""
    found = _magic(data)
    said = cleaned(declared)
    if found in CONTAINERS:  # a zip may be a document: what was said of it tells more
        return said or _named(name) or found
    return found or said or _named(name) or ("text/plain" if _is_text(data) else UNKNOWN)


def cleaned(type: str) -> str:
    """A MIME type in small letters, without parameters, under its usual name; "" for none."""
    bare = type[: 4 * LONGEST].partition(";")[0].strip().lower()
    if len(bare) > 2 * LONGEST or not _TYPE.fullmatch(bare) or bare == UNKNOWN:
        return ""
    return ALIASES.get(bare, bare)


def _magic(data: bytes) -> str:
    head = data[:1024]
    for start, magic, type in MAGIC:
        if head.startswith(magic, start):
            return type if type != PDF or _is_pdf(data) else ""
    if head[:4] == b"RIFF":
        return {b"WEBP": "image/webp", b"WAVE": "audio/wav", b"AVI ": "video/x-msvideo"}.get(
            head[8:12], ""
        )
    if head[4:8] == b"ftyp":
        return BRANDS.get(head[8:12], "video/mp4")
    if head[:2] == b"BM" and int.from_bytes(head[14:18], "little") in _HEADERS:
        return "image/bmp"
    return PDF if b"%PDF-" in head and _is_pdf(data) else ""


def _is_pdf(data: bytes) -> bool:
    """True when what has a header is a PDF, and no text that speaks of one.

    Readers take a header anywhere in the first 1,024 bytes: ISO 32000-1, annex H.3.4.1.
    """
    return not _is_text(data) or _OBJECT.search(data) is not None


def _named(name: str) -> str:
    return _BY_EXTENSION.get(name[-16:].lower().rpartition(".")[2], "") if "." in name else ""


def _is_text(data: bytes) -> bool:
    """True when a payload reads as UTF-8 without control characters; nothing reads as none."""
    sample = data[:SAMPLE]
    if not sample or _BINARY.search(sample):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return len(data) > SAMPLE and error.start > SAMPLE - 4  # a character was cut
    return True


_BY_EXTENSION = {
    **{ending.removeprefix("."): type for type, ending in EXTENSIONS.items()},
    "jpeg": "image/jpeg",
    "htm": "text/html",
    "yml": "application/yaml",
    "log": "text/plain",
}
