"""What a payload is taken for: by its first bytes, what was said of it, its name; its line, and the
pixels of images made by hand, whole, cut off, and spoilt."""

from __future__ import annotations

from collections.abc import Callable
from struct import pack

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.media.inspect import (
    NO_PIXELS,
    Media,
    clean_mime_type,
    describe_remote,
    image_size,
    inspect_payload,
)
from loom.providers.media.media_line import LONGEST, media_line
from tests.kit.cases import all_cases
from tests.providers.serving.pictures import png

PDF = b"%PDF-1.4\n1 0 obj\n<</Type/Page>>\nendobj\n"
ZIP = b"PK\x03\x04\x14\0"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STREAM = "application/octet-stream"


@all_cases(
    ("data", "declared", "name", "type", "kind"),
    [
        (b"", "", "", STREAM, "file"),
        (b"\0\1\2\3", STREAM, "", STREAM, "file"),
        (b"\0\1\2\3", "image/png", "", "image/png", "image"),
        (b"\0\1\2\3", "no type", "x.webp", "image/webp", "image"),
        (b"BMW and others", "", "", "text/plain", "text"),
        ("größer".encode("latin-1"), "", "", STREAM, "file"),
        (b"a,b\n1,2\n", "", "t.csv", "text/csv", "text"),
        (b"{}", "Application/JSON; charset=utf-8", "", "application/json", "text"),
        (b"<svg/>", "image/svg+xml", "", "image/svg+xml", "text"),
        (b"\n\n" + PDF, "text/plain", "a.txt", "application/pdf", "pdf"),
        (b"\xff\xd8\xff\xe0", "image/png", "a.gif", "image/jpeg", "image"),
        (b"RIFF\0\0\0\0WAVEfmt ", "", "", "audio/wav", "audio"),
        (b"RIFF\0\0\0\0????", "", "", STREAM, "file"),
        (b"ID3\4", "", "", "audio/mpeg", "audio"),
        (b"\0\0\0\x18ftypheic", "", "", "image/heic", "image"),
        (b"\0\0\0\x18ftypisom", "", "", "video/mp4", "video"),
        (ZIP, "", "", "application/zip", "file"),
        (ZIP, "", "a.docx", DOCX, "file"),
        (ZIP, DOCX, "", DOCX, "file"),
        (b"\x1aE\xdf\xa3", "audio/webm", "", "audio/webm", "audio"),
    ],
)
def test_types(data: bytes, declared: str, name: str, type: str, kind: str) -> None:
    """First bytes count most, then the declared type, then the name; text is told by reading it."""
    media = inspect_payload(data, declared, name)
    assert (media.type, media.kind, media.size, media.name) == (type, kind, len(data), name)


@all_cases(
    ("url", "declared", "name", "type"),
    [
        ("file-abc123", "", "", STREAM),
        ("https://x.test/a/b.PNG?sig=a/b.pdf#c.txt", "", "", "image/png"),
        ("https://x.test/a", "image/webp", "", "image/webp"),
        ("https://x.test/a", "", "r.pdf", "application/pdf"),
    ],
)
def test_what_is_elsewhere(url: str, declared: str, name: str, type: str) -> None:
    """Of a payload that is not here the address, the name and what was said tell the type."""
    assert describe_remote(url, declared, name) == Media(type, 0, name=name, url=url)


MAGIC = [b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff", b"GIF89a", b"BM", b"%PDF-", b"RIFF"]


@given(st.sampled_from(MAGIC), st.binary(max_size=200), st.text(max_size=40), st.text(max_size=40))
def test_any_bytes_are_described(magic: bytes, data: bytes, declared: str, name: str) -> None:
    """No bytes, type or name raises, and the description is the same every time."""
    media = inspect_payload(magic + data, declared, name)
    assert media == inspect_payload(magic + data, declared, name)
    assert media.kind in {"image", "pdf", "text", "audio", "video", "file"}
    assert clean_mime_type(media.type) in {media.type, ""}


SHOT = Media("image/png", 233_144, width=1024, height=768)
REPORT = Media("application/pdf", 1_204_000, pages=12, name="report.pdf")
AWAY = Media("image/*", 0, url="https://x.test/a.png")


@all_cases(
    ("media", "ref", "line"),
    [
        (Media("", 0), "", "[application/octet-stream]"),
        (SHOT, "out/i.png", "[image/png, 1,024×768, 233 KB → out/i.png]"),
        (REPORT, "out/f.pdf", "[application/pdf, 12 pages, 1.2 MB, report.pdf → out/f.pdf]"),
        (AWAY, "", "[image/*, https://x.test/a.png]"),
        (AWAY, "a.png", "[image/* → a.png]"),
        (Media("text/plain", 3, name="a\nb\x1b[31m.txt"), "", "[text/plain, 3 B, a b .txt]"),
    ],
)
def test_described(media: Media, ref: str, line: str) -> None:
    """Type, pixels or pages, size and name, and where it can be read."""
    assert media_line(media, ref) == line


LONG = st.text(max_size=900)
BIG = st.integers(0, 10**40)


@given(st.builds(Media, LONG, st.integers(0, 10**400), BIG, BIG, BIG, LONG, LONG), LONG)
def test_any_description_is_one_line_of_bounded_length(media: Media, ref: str) -> None:
    """Whatever is said of a payload, it stands on one line of at most 160 characters."""
    line = media_line(media, ref)
    assert len(line) <= LONGEST and len(line.splitlines()) == 1
    assert line.startswith("[") and line.endswith("]")


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
        media = inspect_payload(make(width, height), declared="image/tiff")
        assert (media.type, media.width, media.height) == (type, width, height)


@all_cases("filler", [b"", b"\xff\xe0\0\2", b"\0", b"\xff", b"\xff\xd0", b"\xff\0"])
def test_a_jpeg_of_nothing_but_filler_has_no_pixels(filler: bytes) -> None:
    """Megabytes of empty segments, gaps, fill bytes or bare markers: a bounded part is followed."""
    assert image_size(b"\xff\xd8" + filler * (4 << 20), "image/jpeg") == NO_PIXELS


@given(st.sampled_from(IMAGES), st.integers(0, 200), st.binary(max_size=24), st.integers(0, 90))
def test_spoilt_images_are_described_all_the_same(
    image: tuple[str, Callable[[int, int], bytes]], end: int, noise: bytes, at: int
) -> None:
    """Cut off anywhere, or with bytes changed, an image has sides that are none or possible."""
    data = image[1](640, 480)
    for spoilt in (data[:end], data[:at] + noise + data[at + len(noise) :]):
        media = inspect_payload(spoilt)
        assert (media.width > 0) == (media.height > 0)
        assert media.size == len(spoilt)
