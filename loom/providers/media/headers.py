"""Pixels of an image, read from its header: PNG, JPEG, GIF, WebP, BMP.

Sources: PNG, https://www.w3.org/TR/png-3/ (IHDR); JPEG, ITU-T T.81 annex B (SOFn), as stored: no
rule of cost or limit tells width from height; GIF89a, section 18; WebP, RFC 9649 sections 2.5 to
2.7; BMP, the BITMAPCOREHEADER and BITMAPINFOHEADER of the Windows API. Whatever the bytes are,
nothing is raised.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from struct import error, unpack_from

from loom.lazy import lazy_re

Pixels = tuple[int, int]
UNKNOWN: Pixels = (0, 0)
SEGMENTS = 1_024  # of a JPEG, looked at before its frame; each has up to 64 KB
MOST = 2**31 - 1  # pixels on a side: the most a PNG may have

# Start of frame: all of 0xC0 to 0xCF but DHT, JPG and DAC.
_FRAMES = frozenset(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
# Markers without a length: TEM, RST0 to RST7, SOI.
_BARE = frozenset({0x01, *range(0xD0, 0xD9)})
_SCAN, _END = 0xDA, 0xD9
_MARKER = lazy_re(rb"[^\xff]")
_CORE = 12  # size of the oldest header of a BMP, whose sides have 16 bits


def pixels(data: bytes, type: str) -> Pixels:
    """Width and height of an image of a MIME type, as stored; (0, 0) when unknown."""
    read = _READERS.get(type)
    if read is None:
        return UNKNOWN
    try:
        width, height = read(data)
    except (error, IndexError, ValueError):
        return UNKNOWN
    return (width, height) if 0 < width <= MOST and 0 < height <= MOST else UNKNOWN


def _png(data: bytes) -> Pixels:
    # What Apple's tools write has a chunk CgBI before the header.
    start = data.find(b"IHDR", 8, 64)
    return UNKNOWN if start < 0 else unpack_from(">II", data, start + 4)


def _bmp(data: bytes) -> Pixels:
    if unpack_from("<I", data, 14)[0] == _CORE:
        return unpack_from("<HH", data, 18)
    width, height = unpack_from("<ii", data, 18)
    return width, abs(height)  # negative: the first row is the topmost


def _webp(data: bytes) -> Pixels:
    """The canvas of the first chunk: lossy, lossless, or extended."""
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
    return UNKNOWN


def _jpeg(data: bytes) -> Pixels:
    for marker, start, end in jpeg_segments(data):
        if marker in _FRAMES:
            height, width, parts = unpack_from(">HHB", data, start + 1)
            # Three bytes of each component; else it is noise.
            return (width, height) if end - start == 6 + 3 * parts else UNKNOWN
    return UNKNOWN


def jpeg_segments(data: bytes) -> Iterator[tuple[int, int, int]]:
    """(marker, start, end) of the segments before the first scan; `start` is past the length."""
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
    "image/png": _png, "image/jpeg": _jpeg, "image/webp": _webp, "image/bmp": _bmp,
    "image/gif": lambda data: unpack_from("<HH", data, 6),
}  # fmt: skip
