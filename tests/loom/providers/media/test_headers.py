"""Pixels from the headers of images made by hand, whole, cut off, and spoilt."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.inspect import NO_PIXELS, inspect, pixels
from tests.kit.cases import all_cases
from tests.providers.serving.pictures import png


def jpeg(width: int, height: int, frame: int = 0xC0, before: bytes = b"") -> bytes:
    """A JPEG up to its scan: APP0, segments `before`, a table, the frame, and the scan's marker."""
    app0 = b"\xff\xe0" + pack(">H", 16) + b"JFIF\0\1\1\0\0\1\0\1\0\0"
    table = b"\xff\xc4" + pack(">H", 5) + b"\0\0\0"
    start = pack(">BBHBHHB", 0xFF, frame, 11, 8, height, width, 1) + b"\1\x11\0"
    return b"\xff\xd8" + app0 + before + table + start + b"\xff\xda\0\2" + b"\xff\xd9"


def gif(width: int, height: int) -> bytes:
    """A GIF without frames."""
    return b"GIF89a" + pack("<HHBBB", width, height, 0, 0, 0) + b";"


def webp(kind: bytes, width: int, height: int) -> bytes:
    """The first chunk of a WebP: lossy, lossless, or extended."""
    if kind == b"VP8X":
        sides = (pack("<I", side - 1)[:3] for side in (width, height))
        body = b"\x10\0\0\0" + b"".join(sides)
    elif kind == b"VP8L":
        body = b"\x2f" + pack("<I", width - 1 | height - 1 << 14 | 1 << 28)
    else:
        body = b"\x30\1\0\x9d\x01\x2a" + pack("<HH", width | 1 << 14, height | 2 << 14)
    chunk = kind + pack("<I", len(body)) + body
    return b"RIFF" + pack("<I", len(chunk) + 4) + b"WEBP" + chunk


def bmp(width: int, height: int, header: int = 40) -> bytes:
    """The two headers of a BMP."""
    if header == 12:
        second = pack("<IHHHH", header, width, height, 1, 24)
    else:
        second = pack("<IiiHH", header, width, height, 1, 24).ljust(header, b"\0")
    return b"BM" + pack("<IHHI", 14 + len(second), 0, 0, 14 + len(second)) + second


IMAGES: list[tuple[str, Callable[[int, int], bytes]]] = [
    ("image/png", png),
    ("image/png", lambda w, h: png(w, h, before=pack(">I", 4) + b"CgBI" + b"\0" * 8)),
    *(
        ("image/jpeg", lambda w, h, frame=frame: jpeg(w, h, frame))
        for frame in (0xC0, 0xC1, 0xC2, 0xC3, 0xC5, 0xC6, 0xC7, 0xC9, 0xCA, 0xCB, 0xCD, 0xCE, 0xCF)
    ),
    ("image/jpeg", lambda w, h: jpeg(w, h, before=b"\xff\xff\xff\xfe\0\4hi")),
    ("image/gif", gif),
    *(
        ("image/webp", lambda w, h, kind=kind: webp(kind, w, h))
        for kind in (b"VP8 ", b"VP8L", b"VP8X")
    ),
    ("image/bmp", bmp),
    ("image/bmp", lambda w, h: bmp(w, h, header=12)),
    ("image/bmp", lambda w, h: bmp(w, -h, header=124)),
]


@all_cases(("type", "make"), IMAGES)
def test_pixels_of_every_kind(type: str, make: Callable[[int, int], bytes]) -> None:
    """Type and sides are read from the bytes, sides as stored."""
    for width, height in ((1, 1), (1024, 768), (300, 7)):
        media = inspect(make(width, height), declared="image/tiff")
        assert (media.type, media.width, media.height) == (type, width, height)


@all_cases("filler", [b"", b"\xff\xe0\0\2", b"\0", b"\xff", b"\xff\xd0", b"\xff\0"])
def test_a_jpeg_of_nothing_but_filler_has_no_pixels(filler: bytes) -> None:
    """Megabytes of empty segments, gaps, fill bytes or bare markers: a bounded part is followed."""
    assert pixels(b"\xff\xd8" + filler * (4 << 20), "image/jpeg") == NO_PIXELS


@given(st.sampled_from(IMAGES), st.integers(0, 200), st.binary(max_size=24), st.integers(0, 90))
def test_spoilt_images_are_described_all_the_same(
    image: tuple[str, Callable[[int, int], bytes]], end: int, noise: bytes, at: int
) -> None:
    """Cut off anywhere, or with bytes changed, an image has sides that are none or possible."""
    data = image[1](640, 480)
    for spoilt in (data[:end], data[:at] + noise + data[at + len(noise) :]):
        media = inspect(spoilt)
        assert (media.width > 0) == (media.height > 0)
        assert media.size == len(spoilt)
