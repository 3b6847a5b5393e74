"""Texts inside a payload that no one sees."""

from __future__ import annotations

import random
import struct
import zipfile
import zlib
from base64 import a85encode
from collections.abc import Callable
from io import BytesIO
from itertools import count
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.providers.media.hidden_text import first_secret, payload_texts
from loom.redact import Redactor
from tests.kit.cases import all_cases
from tests.providers.serving.pictures import png as picture

SECRET = "sk-ant-" + "a1B2c3D4" * 5
WORDS = f"key {SECRET} of the service".encode()


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    """A picture of one pixel with chunks of text."""
    return picture(1, 1, chunks=chunks)


def jpeg(text: bytes) -> bytes:
    """A picture with a comment."""
    return JPEG[:2] + b"\xff\xfe" + struct.pack(">H", len(text) + 2) + text + JPEG[2:]


def gif(text: bytes) -> bytes:
    """A picture with a comment."""
    return GIF[:19] + b"!\xfe" + blocks(text) + GIF[19:]


def blocks(data: bytes) -> bytes:
    """Bytes of a GIF, in blocks of up to 255."""
    parts = [data[at : at + 255] for at in range(0, len(data), 255)]
    return b"".join(bytes([len(one)]) + one for one in parts) + b"\0"


def exif(text: bytes) -> bytes:
    """The one directory of a TIFF, with an artist."""
    head = b"II*\0" + struct.pack("<IH", 8, 1) + struct.pack("<HHII", 0x013B, 2, len(text), 26)
    return head + struct.pack("<I", 0) + text


def riff(kind: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    """A RIFF file of chunks."""
    body = kind + b"".join(
        name + struct.pack("<I", len(one)) + one + b"\0" * (len(one) % 2) for name, one in chunks
    )
    return b"RIFF" + struct.pack("<I", len(body)) + body


def pdf(*streams: tuple[bytes, bytes], info: bytes = b"") -> bytes:
    """A PDF of one page with streams: (dictionary, bytes)."""
    parts = [
        b"%PDF-1.5\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n",
        b"2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n",
        b"3 0 obj<</Type/Page/Parent 2 0 R/Contents 10 0 R>>endobj\n4 0 obj<<" + info + b">>endobj",
    ]
    for number, (head, body) in enumerate(streams, 10):
        said = str(number).encode() + b" 0 obj\n<<" + head + b"/Length "
        parts += (said + str(len(body)).encode(), b">>\nstream\n", body, b"\nendstream\nendobj\n")
    return b"".join((*parts, b"trailer<</Root 1 0 R>>\n%%EOF"))


def page(content: bytes) -> bytes:
    """A PDF with the content of a page, compressed."""
    return pdf((b"/Filter/FlateDecode", zlib.compress(content)))


def mp3(*frames: tuple[bytes, bytes]) -> bytes:
    """A sound with an ID3 tag of frames."""
    made = b"".join(name + struct.pack(">IH", len(one), 0) + one for name, one in frames)
    size = bytes(len(made) >> shift & 0x7F for shift in (21, 14, 7, 0))
    return b"ID3\3\0\0" + size + made + b"\xff\xfb\x90\x64"


def archive(**members: bytes) -> bytes:
    """A compressed archive."""
    made = BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
        for name, data in members.items():
            file.writestr(f"word/{name}.xml", data)
    return made.getvalue()


def box(kind: bytes, body: bytes) -> bytes:
    """A box of a film."""
    return struct.pack(">I", len(body) + 8) + kind + body


KERNED = b"[" + b"-12".join(b"(%c)" % one for one in SECRET.encode()) + b"] TJ"
GLYPHS = b"".join((one - 29).to_bytes(2) for one in SECRET.encode()).hex().encode()
MAP = b"begincmap 1 beginbfrange <0003> <0080> <0020> endbfrange endcmap"
SMALL = b"begincmap 95 beginbfchar " + b" ".join(
    b"<%02x> <%04x>" % (one - 31, one) for one in range(32, 127)
)
CODES = b"".join(b"\\%03o" % (one - 31) for one in SECRET.encode())
PLAIN = png()
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xd9"
)
LOOSE = "bytes of no known kind"
HOLDING = {
    "tEXt": png((b"tEXt", b"Comment\0" + WORDS)),
    "zTXt": png((b"zTXt", b"Comment\0\0" + zlib.compress(WORDS))),
    "iTXt": png((b"iTXt", b"Comment\0\1\0\0\0" + zlib.compress(WORDS))),
    "behind many chunks": png(
        *[(b"tEXt", b"a\0b")] * 2_000, (b"zTXt", b"a\0\0" + zlib.compress(WORDS))
    ),
    "behind the end": PLAIN + WORDS,
    "behind the end of a GIF": GIF + WORDS,
    "behind the end of a JPEG": JPEG + WORDS,
    "UTF-16 behind the end": GIF + f"パス{SECRET}です".encode("utf-16-le"),
    "UTF-16 of the other order": PLAIN + b"0" + f"パス{SECRET}です".encode("utf-16-be"),
    "all of a chunk": png((b"tEXt", b"Comment\0" + SECRET.encode())),
    "EXIF of a JPEG": JPEG[:2] + b"\xff\xe1" + struct.pack(">H", 8 + len(exif(WORDS)))
    + b"Exif\0\0" + exif(WORDS) + JPEG[2:],
    "EXIF of a PNG": png((b"eXIf", exif(WORDS))),
    "EXIF of a WebP": riff(b"WEBP", (b"VP8 ", b"\0" * 10), (b"EXIF", exif(WORDS))),
    "XMP of a WebP": riff(b"WEBP", (b"VP8 ", b"\0" * 10), (b"XMP ", b"<x>" + WORDS + b"</x>")),
    "TIFF": exif(WORDS),
    "INFO of a WAV": riff(
        b"WAVE", (b"data", b"\0" * 9), (b"LIST", b"INFOIART" + struct.pack("<I", 60) + WORDS)
    ),
    "ID3 of an MP3": mp3((b"TIT2", b"\0song"), (b"COMM", b"\0eng\0" + WORDS)),
    "ID3 in UTF-16": mp3((b"TXXX", b"\1" + f"key\0{SECRET}".encode("utf-16"))),
    "a film's metadata": box(b"ftyp", b"mp42") + box(b"moov", box(b"udta", WORDS)),
    "a document's words": archive(
        document=b"<?xml version='1.0'?><w:p><w:t>%s</w:t><w:t>%s</w:t></w:p>"
        % (SECRET[:9].encode(), SECRET[9:].encode())
    ),
    "a PDF's strings": pdf(info=b"/Title (" + WORDS + b")"),
    "a PDF's strings in UTF-16": pdf(
        info=b"/Title <" + f"\ufeffkey {SECRET}".encode("utf-16-be").hex().encode() + b">"
    ),
    "a PDF's page": page(b"BT /F1 12 Tf (" + WORDS + b") Tj ET"),
    "a PDF's page, kerned": page(b"BT " + KERNED + b" ET"),
    "a PDF's page in hex": page(b"BT <" + SECRET.encode().hex().encode() + b"> Tj ET"),
    "a PDF's page in two filters": pdf(
        (b"/Filter[/ASCII85Decode/FlateDecode]", a85encode(zlib.compress(KERNED)) + b"~>")
    ),
    "a PDF's page by a font's map": pdf(
        (b"/Filter/FlateDecode", zlib.compress(b"BT <" + GLYPHS + b"> Tj ET")),
        (b"/Filter/FlateDecode", zlib.compress(MAP)),
    ),
    "a PDF's page by a map of single bytes": pdf(
        (b"/Filter/FlateDecode", zlib.compress(b"BT (" + CODES + b") Tj ET")), (b"", SMALL)
    ),
    "a PDF's metadata": pdf((b"/Type/Metadata", b"<x:xmpmeta>" + WORDS + b"</x:xmpmeta>")),
    "a PDF's objects in a stream": pdf(
        (b"/Type/ObjStm/N 1/First 5/Filter/FlateDecode", zlib.compress(b"20 0 (" + WORDS + b")"))
    ),
    LOOSE: b"\x01\x02\0" * 50 + WORDS + b"\x03\0" * 50,
}  # fmt: skip


@given(st.sampled_from(sorted(HOLDING)), st.integers(0, 10_000), st.binary(max_size=40))
def test_spoilt_payloads_are_read(kind: str, at: int, noise: bytes) -> None:
    """A payload that was cut off or damaged anywhere is read as far as it can be."""
    data = HOLDING[kind]
    at %= len(data) + 1
    for spoilt in (data[:at], data[:at] + noise + data[at + len(noise) :]):
        assert all(isinstance(text, str) for _, text in payload_texts(spoilt))


@all_cases("kind", HOLDING)
@all_cases("way", ["user", "result"])
def test_a_payload_with_a_secret_is_withheld_whole(tmp_path: Path, kind: str, way: str) -> None:
    """Neither the disk nor the request holds it; a line says that it was there."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        if way == "user":
            ctx.user(["look", HOLDING[kind]])
        else:
            ctx.reply(loom.Reply((loom.ToolCall("c", "screenshot", "{}"),)))
            ctx.result("c", HOLDING[kind])
        request = str(ctx.turn().request("anthropic"))
    if (way, kind) != ("result", LOOSE):  # of which the letters alone are replaced
        assert "withheld whole: its " in request and "holds a secret (api-key)" in request
    assert "base64" not in request
    held = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert SECRET.encode() not in held and b"IHDR" not in held
    assert b'"Redacted"' in held


KEY = "AKIA" + "HRLTUCA2IH7P2PUE"
MADE: dict[str, Callable[[int, bytes], bytes]] = {
    "tEXt": lambda number, text: png((b"tEXt", b"note %d\0" % number + text)),
    "iTXt": lambda number, text: png((b"iTXt", b"note %d\0\0\0\0\0" % number + text)),
    "JPEG": lambda number, text: jpeg(b" " * number + text),
    "GIF": lambda number, text: gif(b" " * (number * 9) + text),
    "EXIF": lambda number, text: JPEG[:2] + b"\xff\xe1" + b"\0\x99" + text + b"\xc3" * 131,
    "WebP": lambda number, text: riff(b"WEBP", (b"VP8 ", b"a" * number), (b"XMP ", text)),
    "WAV": lambda number, text: riff(b"WAVE", (b"data", b"a" * number), (b"iXML", text)),
    "MP3": lambda number, text: mp3((b"TIT2", b"\0" + b" " * number + text)),
    "MP3, UTF-16": lambda number, text: mp3(
        (b"TIT2", b"\1" + (" " * number + text.decode()).encode("utf-16"))
    ),
}


@all_cases("kind", MADE)
def test_a_text_that_is_all_a_secret(kind: str) -> None:
    """A key is found whatever the length before it and the sum behind it read as: often a letter
    or a digit, with which it is no whole word."""
    clean = Redactor()
    for number in range(64):
        data = MADE[kind](number, KEY.encode())
        assert first_secret(data, clean), number


NOISE = random.Random(7)
DECOYS: dict[str, Callable[[int], bytes]] = {
    "PNG": lambda size: png(
        (b"tEXt", b"Software\0a camera"), (b"IDAT", zlib.compress(noise(size), 0))
    ),
    "JPEG": lambda size: (
        JPEG[:-2] + b"\xff\xda\0\2" + noise(size).replace(b"\xff", b"a") + JPEG[-2:]
    ),
    "GIF": lambda size: GIF[:-4] + b",\0\0\0\0\1\0\1\0\0\x08" + blocks(noise(size)) + b";",
    "WebP": lambda size: riff(b"WEBP", (b"VP8 ", noise(size))),
    "PDF": lambda size: pdf(
        (b"/Filter/FlateDecode", zlib.compress(noise(size // 2))),
        (b"/Subtype/Image/Filter/DCTDecode", noise(size // 2)),
    ),
    "PDF, encrypted": lambda size: pdf(
        (b"/Filter/FlateDecode", noise(size)),
        info=b"/Encrypt 9 0 R/Title (" + printable(size) + b")",
    ),
    "WAV": lambda size: riff(b"WAVE", (b"data", printable(size))),
    "MP3": lambda size: mp3((b"APIC", noise(size))) + noise(size),
    "ZIP": lambda size: archive(media=noise(size)),
    "MP4": lambda size: box(b"ftyp", b"mp42") + box(b"mdat", printable(size)),
    "gzip": lambda size: b"\x1f\x8b\x08" + noise(size),
}


def noise(size: int) -> bytes:
    """Bytes as compression makes them."""
    return NOISE.randbytes(size)


def printable(size: int) -> bytes:
    """Samples that happen to be letters, as those of a low voice in eight bits are."""
    return bytes(32 + one % 95 for one in NOISE.randbytes(size)).translate(None, b"()\\")


@all_cases("kind", DECOYS)
@all_cases("size", [10_000, 100_000, 1_000_000])
def test_no_secret_is_found_by_chance(kind: str, size: int) -> None:
    """Pixels, samples and what is compressed are not searched: letters by chance are no text. A
    search costs by the text there is: of a megabyte without any, next to nothing is read."""
    clean = Redactor()
    for _ in range(12 if size < 1_000_000 else 3):
        assert first_secret(DECOYS[kind](size), clean) is None
    assert not clean.counts
    assert sum(len(text) for _, text in payload_texts(DECOYS[kind](size))) < 10_000


OPENED = [b"(", b"(\\(", b"BT ", b"ID ", b"<", b"begincmap beginbfrange <", b"[(a)1"]
ENDLESS = [
    *(b"GIF89a!\xfe", b"GIF89a" + b"!\xfe\xff" * 50_000, b"\xff\xd8\xff\xfe"),
    *(page(content * 100_000) for content in OPENED),
]


@all_cases("data", ENDLESS)
def test_what_never_ends(data: bytes) -> None:
    """Blocks that no end follows, what opens over and over: read once, as far as there is any."""
    assert sum(len(text) for _, text in payload_texts(data)) <= max(3 * len(data), 2_000_000)


def test_bytes_of_a_tool_stay_as_they_are(tmp_path: Path) -> None:
    """A file that is compressed rests on its page to the byte, whatever it reads as."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        made = [archive(media=noise(500_000)), noise(500_000), DECOYS["gzip"](500_000)]
        for number, data in zip(count(), made, strict=False):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", "fetch", "{}"),)))
            ctx.result(f"c{number}", data)
    held = {path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert set(made) <= held
