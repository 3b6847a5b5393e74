"""Payloads inspected: the type by its first bytes, the size in pixels or pages.

Names of types as IANA registers them (https://www.iana.org/assignments/media-types), but for types
that have none. First bytes: https://mimesniff.spec.whatwg.org/ (section 6), and the formats' own
documents. A type somebody declared counts only where the bytes tell none, and a file name after
that.
"""

from __future__ import annotations

import re

from msgspec import Struct

from loom.lazy import lazy_re
from loom.providers.media.headers import pixels

UNKNOWN = "application/octet-stream"

# Where, what, and the type. The longer of two that begin alike comes first.
MAGIC: tuple[tuple[int, bytes, str], ...] = (
    (0, b"\x89PNG\r\n\x1a\n", "image/png"),
    (0, b"\xff\xd8\xff", "image/jpeg"),
    (0, b"GIF87a", "image/gif"),
    (0, b"GIF89a", "image/gif"),
    (0, b"II*\0", "image/tiff"),
    (0, b"MM\0*", "image/tiff"),
    (0, b"%PDF-", "application/pdf"),
    (0, b"PK\x03\x04", "application/zip"),
    (0, b"\x1f\x8b\x08", "application/gzip"),
    (0, b"ID3", "audio/mpeg"),
    (0, b"\xff\xfb", "audio/mpeg"),
    (0, b"\xff\xf3", "audio/mpeg"),
    (0, b"\xff\xf2", "audio/mpeg"),
    (0, b"\xff\xf1", "audio/aac"),
    (0, b"\xff\xf9", "audio/aac"),
    (0, b"fLaC", "audio/flac"),
    (0, b"OggS", "audio/ogg"),
    (0, b"\x1aE\xdf\xa3", "video/webm"),
)

# Of an ISO base media file; any other is a video.
BRANDS = {
    b"heic": "image/heic",
    b"heix": "image/heic",
    b"mif1": "image/heif",
    b"msf1": "image/heif",
    b"avif": "image/avif",
    b"avis": "image/avif",
    b"M4A ": "audio/mp4",
    b"M4B ": "audio/mp4",
    b"qt  ": "video/quicktime",
}

# These hold files of other types.
CONTAINERS = frozenset({"application/zip", "application/gzip", "video/webm", "audio/ogg"})

ALIASES = {
    "image/jpg": "image/jpeg",
    "image/pjpeg": "image/jpeg",
    "image/x-png": "image/png",
    "image/x-ms-bmp": "image/bmp",
    "image/x-bmp": "image/bmp",
    "application/x-pdf": "application/pdf",
    "audio/mp3": "audio/mpeg",
    "audio/x-wav": "audio/wav",
    "audio/wave": "audio/wav",
    "audio/vnd.wave": "audio/wav",
    "audio/m4a": "audio/mp4",
    "audio/x-m4a": "audio/mp4",
    "audio/x-flac": "audio/flac",
    "audio/x-aac": "audio/aac",
    "video/mov": "video/quicktime",
    "video/avi": "video/x-msvideo",
    "text/json": "application/json",
    "text/xml": "application/xml",
    "text/yaml": "application/yaml",
    "application/x-yaml": "application/yaml",
    "text/javascript": "application/javascript",
    "text/x-markdown": "text/markdown",
}

# Text, though it is not called so.
TEXTUAL = frozenset(
    {
        "application/json",
        "application/xml",
        "application/yaml",
        "application/toml",
        "application/javascript",
        "application/x-sh",
        "application/x-ndjson",
        "application/sql",
    }
)

_OFFICE = "application/vnd.openxmlformats-officedocument"
EXTENSIONS = {
    "image/png": ".png",
    "image/jpeg": ".jpg",
    "image/gif": ".gif",
    "image/webp": ".webp",
    "image/bmp": ".bmp",
    "image/tiff": ".tiff",
    "image/heic": ".heic",
    "image/heif": ".heif",
    "image/avif": ".avif",
    "image/svg+xml": ".svg",
    "application/pdf": ".pdf",
    "text/plain": ".txt",
    "text/markdown": ".md",
    "text/html": ".html",
    "text/css": ".css",
    "text/csv": ".csv",
    "text/rtf": ".rtf",
    "application/json": ".json",
    "application/x-ndjson": ".jsonl",
    "application/xml": ".xml",
    "application/yaml": ".yaml",
    "application/toml": ".toml",
    "application/javascript": ".js",
    "application/zip": ".zip",
    "application/gzip": ".gz",
    f"{_OFFICE}.wordprocessingml.document": ".docx",
    f"{_OFFICE}.spreadsheetml.sheet": ".xlsx",
    f"{_OFFICE}.presentationml.presentation": ".pptx",
    "audio/mpeg": ".mp3",
    "audio/wav": ".wav",
    "audio/mp4": ".m4a",
    "audio/aac": ".aac",
    "audio/flac": ".flac",
    "audio/ogg": ".ogg",
    "video/mp4": ".mp4",
    "video/webm": ".webm",
    "video/quicktime": ".mov",
    "video/x-msvideo": ".avi",
}


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
    if type != PDF:
        return Media(type, len(data), width, height, name=name)
    from loom.providers.media.pages import pages

    return Media(type, len(data), pages=pages(data), name=name)


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
