"""The type of a payload by its first bytes, and its size in pixels or pages.

Names of types are those that IANA registers (https://www.iana.org/assignments/media-types), except
for types that have none. First bytes: https://mimesniff.spec.whatwg.org/ (section 6), and the
formats' own documents. A declared type counts only if the bytes do not tell the type; a file name
only if neither does."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from struct import error, unpack_from
from typing import NamedTuple

from msgspec import Struct

from loom.lazy import lazy_re

UNKNOWN = "application/octet-stream"


class MediaKind(NamedTuple):
    """A MIME type. `ending` is the usual ending of its files; `begins` a pattern for the beginning
    of a file. `names` are other names of the type, `endings` other endings."""

    type: str
    ending: str = ""
    begins: bytes = b""
    names: tuple[str, ...] = ()
    endings: tuple[str, ...] = ()


_OFFICE = "application/vnd.openxmlformats-officedocument"
# The first row whose pattern fits counts. Whatever ISO base media file is of no other brand is a
# video; readers take the header of a PDF anywhere in the first 1,024 bytes: ISO 32000-1, H.3.4.1.
KINDS = (
    MediaKind("image/png", ".png", rb"\x89PNG\r\n\x1a\n", ("image/x-png",)),
    MediaKind("image/jpeg", ".jpg", rb"\xff\xd8\xff", ("image/jpg", "image/pjpeg"), (".jpeg",)),
    MediaKind("image/gif", ".gif", rb"GIF8[79]a"),
    MediaKind("image/webp", ".webp", rb"RIFF....WEBP"),
    # The byte is the size of the second header.
    MediaKind("image/bmp", ".bmp", rb"BM.{12}[\x0c\x10\x28\x34\x38\x40\x6c\x7c]\0\0\0",
              ("image/x-ms-bmp", "image/x-bmp")),
    MediaKind("image/tiff", ".tiff", rb"II\*\0|MM\0\*"),
    MediaKind("image/heic", ".heic", rb"....ftyphei[cx]"),
    MediaKind("image/heif", ".heif", rb"....ftypm[is]f1"),
    MediaKind("image/avif", ".avif", rb"....ftypavi[fs]"),
    MediaKind("image/svg+xml", ".svg"),
    MediaKind("audio/mpeg", ".mp3", rb"ID3|\xff[\xf2\xf3\xfb]", ("audio/mp3",)),
    MediaKind("audio/wav", ".wav", rb"RIFF....WAVE",
              ("audio/x-wav", "audio/wave", "audio/vnd.wave")),
    MediaKind("audio/mp4", ".m4a", rb"....ftypM4[AB] ", ("audio/m4a", "audio/x-m4a")),
    MediaKind("audio/aac", ".aac", rb"\xff[\xf1\xf9]", ("audio/x-aac",)),
    MediaKind("audio/flac", ".flac", rb"fLaC", ("audio/x-flac",)),
    MediaKind("audio/ogg", ".ogg", rb"OggS"),
    MediaKind("video/quicktime", ".mov", rb"....ftypqt  ", ("video/mov",)),
    MediaKind("video/mp4", ".mp4", rb"....ftyp"),
    MediaKind("video/webm", ".webm", rb"\x1aE\xdf\xa3"),
    MediaKind("video/x-msvideo", ".avi", rb"RIFF....AVI ", ("video/avi",)),
    MediaKind("text/plain", ".txt", endings=(".log",)),
    MediaKind("text/markdown", ".md", names=("text/x-markdown",)),
    MediaKind("text/html", ".html", endings=(".htm",)),
    MediaKind("text/css", ".css"),
    MediaKind("text/csv", ".csv"),
    MediaKind("text/rtf", ".rtf"),
    MediaKind("application/json", ".json", names=("text/json",)),
    MediaKind("application/x-ndjson", ".jsonl"),
    MediaKind("application/xml", ".xml", names=("text/xml",)),
    MediaKind("application/yaml", ".yaml", b"", ("text/yaml", "application/x-yaml"), (".yml",)),
    MediaKind("application/toml", ".toml"),
    MediaKind("application/javascript", ".js", names=("text/javascript",)),
    MediaKind("application/zip", ".zip", rb"PK\x03\x04"),
    MediaKind("application/gzip", ".gz", rb"\x1f\x8b\x08"),
    MediaKind(f"{_OFFICE}.wordprocessingml.document", ".docx"),
    MediaKind(f"{_OFFICE}.spreadsheetml.sheet", ".xlsx"),
    MediaKind(f"{_OFFICE}.presentationml.presentation", ".pptx"),
    MediaKind("application/pdf", ".pdf", rb".*?%PDF-", ("application/x-pdf",)),
)  # fmt: skip
EXTENSIONS = {kind.type: kind.ending for kind in KINDS}
_BEGINS = tuple((lazy_re(kind.begins, re.DOTALL), kind.type) for kind in KINDS if kind.begins)
_ALIASES = {name: kind.type for kind in KINDS for name in kind.names}
_BY_ENDING = {end[1:]: kind.type for kind in KINDS for end in (kind.ending, *kind.endings)}

# These hold files of other types.
CONTAINERS = frozenset({"application/zip", "application/gzip", "video/webm", "audio/ogg"})
# Text, though it is not called so.
TEXTUAL = frozenset(
    f"application/{name}"
    for name in ("json", "xml", "yaml", "toml", "javascript", "x-sh", "x-ndjson", "sql")
)

PDF = "application/pdf"
SAMPLE = 4096  # bytes looked at to tell text from anything else
LONGEST = 127  # characters of either half of a type: RFC 6838, 4.2

_TYPE = lazy_re(r"[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*")
_BINARY = lazy_re(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_OBJECT = lazy_re(rb"^\s*\d+ +\d+ +obj\b", re.MULTILINE)


class Media(Struct, frozen=True, omit_defaults=True):
    """The description of a payload. `type` is its MIME type without parameters, `size` is in bytes.
    `width` and `height` are an image's pixels, `pages` the number of a PDF's pages; each is 0 if
    unknown. `name` is the file name, "" if none was given. `url` is the address, or a provider's
    file id, of a payload that is not here; "" for any other."""

    type: str
    size: int
    width: int = 0
    height: int = 0
    pages: int = 0
    name: str = ""
    url: str = ""

    @property
    def kind(self) -> str:
        """The kind of payload: `image`, `pdf`, `text`, `audio`, `video`, or else `file`."""
        if self.type == PDF:
            return "pdf"
        if self.type in TEXTUAL or self.type.endswith(("+xml", "+json")):
            return "text"
        main = self.type.partition("/")[0]
        return main if main in ("image", "text", "audio", "video") else "file"


def inspect_payload(data: bytes, declared: str = "", name: str = "") -> Media:
    """Return the description of a payload. `declared` is the MIME type that came with it, `name`
    its file name. Never raises."""
    type = mime_type_of(data, declared, name)
    width, height = image_size(data, type)
    if type != PDF:
        return Media(type, len(data), width, height, name=name)
    from loom.providers.media.pdf import page_count

    return Media(type, len(data), pages=page_count(data), name=name)


def describe_remote(url: str, declared: str = "", name: str = "") -> Media:
    """Return the description of a payload that is at `url`. `declared` is the MIME type that came
    with it, `name` its file name."""
    path = url.partition("?")[0].partition("#")[0]
    return Media(
        mime_type_of(b"", declared, name or path.rpartition("/")[2]), 0, name=name, url=url
    )


def mime_type_of(data: bytes, declared: str = "", name: str = "") -> str:
    """Return the MIME type of a payload, told by its bytes, by `declared` (the type that came with
    it), or by the file name `name`; UNKNOWN if nothing tells."""
    head = data[:1024]
    found = next((type for begins, type in _BEGINS if begins.match(head)), "")
    # What has the header of a PDF is none where it is a text that speaks of one.
    if found == PDF and _is_utf8_text(data) and not _OBJECT.search(data):
        found = ""
    said = clean_mime_type(declared)
    if found in CONTAINERS:  # a zip may be a document: what was said of it tells more
        return said or _type_by_name(name) or found
    return (
        found or said or _type_by_name(name) or ("text/plain" if _is_utf8_text(data) else UNKNOWN)
    )


def clean_mime_type(type: str) -> str:
    """Return a MIME type by its usual name: "Image/JPG; q=1" → "image/jpeg". "" for a text that is
    no MIME type."""
    bare = type[: 4 * LONGEST].partition(";")[0].strip().lower()
    if len(bare) > 2 * LONGEST or not _TYPE.fullmatch(bare) or bare == UNKNOWN:
        return ""
    return _ALIASES.get(bare, bare)


def _type_by_name(name: str) -> str:
    return _BY_ENDING.get(name[-16:].lower().rpartition(".")[2], "") if "." in name else ""


def _is_utf8_text(data: bytes) -> bool:
    """Tell whether a payload is nonempty UTF-8 text without control characters."""
    sample = data[:SAMPLE]
    if not sample or _BINARY.search(sample):
        return False
    try:
        sample.decode()
    except UnicodeDecodeError as error:
        return len(data) > SAMPLE and error.start > SAMPLE - 4  # a character was cut
    return True


Pixels = tuple[int, int]
NO_PIXELS: Pixels = (0, 0)
SEGMENTS = 1_024  # of a JPEG, looked at before its frame; each has up to 64 KB
MOST = 2**31 - 1  # pixels on a side: the most a PNG may have

# Start of frame: all of 0xC0 to 0xCF but DHT, JPG and DAC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Markers without a length: TEM, RST0 to RST7, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_SCAN, _END = 0xDA, 0xD9
_MARKER = lazy_re(rb"[^\xff]")
_CORE = 12  # size of the oldest header of a BMP, whose sides have 16 bits


def image_size(data: bytes, type: str) -> Pixels:
    """Return an image's (width, height) in pixels, as stored in the file; (0, 0) if unknown."""
    read = _READERS.get(type)
    if read is None:
        return NO_PIXELS
    try:
        width, height = read(data)
    except (error, IndexError, ValueError):
        return NO_PIXELS
    return (width, height) if 0 < width <= MOST and 0 < height <= MOST else NO_PIXELS


def _png_size(data: bytes) -> Pixels:
    # What Apple's tools write has a chunk CgBI before the header.
    start = data.find(b"IHDR", 8, 64)
    return NO_PIXELS if start < 0 else unpack_from(">II", data, start + 4)


def _bmp_size(data: bytes) -> Pixels:
    if unpack_from("<I", data, 14)[0] == _CORE:
        return unpack_from("<HH", data, 18)
    width, height = unpack_from("<ii", data, 18)
    return width, abs(height)  # negative: the first row is the topmost


def _webp_size(data: bytes) -> Pixels:
    """Return a WebP image's (width, height), read from its first chunk."""
    chunk = data[12:16]
    if chunk == b"VP8X":
        low = unpack_from("<HBHB", data, 24)
        return 1 + low[0] + (low[1] << 16), 1 + low[2] + (low[3] << 16)
    if chunk == b"VP8L" and data[20] == 0x2F:
        bits = unpack_from("<I", data, 21)[0]
        return 1 + (bits & 0x3FFF), 1 + (bits >> 14 & 0x3FFF)
    if chunk == b"VP8 " and data[23:26] == b"\x9d\x01\x2a":
        width, height = unpack_from("<HH", data, 26)
        return width & 0x3FFF, height & 0x3FFF
    return NO_PIXELS


def _jpeg_size(data: bytes) -> Pixels:
    for marker, start, end in jpeg_segments(data):
        if marker in _FRAMES:
            height, width, parts = unpack_from(">HHB", data, start + 1)
            # Three bytes of each component; else it is noise.
            return (width, height) if end - start == 6 + 3 * parts else NO_PIXELS
    return NO_PIXELS


def jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """Yield (marker, start, end) for each segment of a JPEG before its pixels; `data[start:end]` is
    its content."""
    place = 2
    for _ in range(SEGMENTS):
        if data[place] != 0xFF:  # a gap, which decoders skip
            place = data.find(b"\xff", place)
            if place < 0:
                return
        found = _MARKER.search(data, place)  # past fill bytes
        if found is None:
            return
        marker, place = found[0][0], found.end()
        if marker in (_SCAN, _END):
            return
        if marker == 0x00 or marker in _BARE:
            continue
        length = unpack_from(">H", data, place)[0]
        yield marker, place + 2, place + length
        place += max(length, 2)


_READERS: dict[str, Callable[[bytes], Pixels]] = {
    "image/png": _png_size, "image/jpeg": _jpeg_size, "image/webp": _webp_size,
    "image/bmp": _bmp_size,
    "image/gif": lambda data: unpack_from("<HH", data, 6),
}  # fmt: skip
