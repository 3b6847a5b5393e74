"""Texts inside a payload that no one sees."""

from __future__ import annotations

import struct
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

import loom
from loom.providers.media.hidden_text import texts_of
from loom.redact import Redactor

SECRET = "sk-ant-" + "a1B2c3D4" * 5
WORDS = f"key {SECRET} of the service".encode()


def png(*chunks: tuple[bytes, bytes]) -> bytes:
    """A picture of one pixel with chunks of text."""
    head = struct.pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = [(b"IHDR", head), *chunks, (b"IDAT", zlib.compress(b"\0\0")), (b"IEND", b"")]
    made = (
        struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))
        for kind, body in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(made)


def jpeg(text: bytes) -> bytes:
    """A picture with a comment."""
    return JPEG[:2] + b"\xff\xfe" + struct.pack(">H", len(text) + 2) + text + JPEG[2:]


def gif(text: bytes) -> bytes:
    """A picture with a comment, in blocks of up to 255 bytes."""
    blocks = [text[at : at + 255] for at in range(0, len(text), 255)]
    return (
        GIF[:19] + b"!\xfe" + b"".join(bytes([len(one)]) + one for one in blocks) + b"\0" + GIF[19:]
    )


PLAIN = png()
GIF = (
    b"GIF89a\x01\x00\x01\x00\x80\x00\x00\x00\x00\x00\xff\xff\xff!\xf9\x04\x01\x00\x00\x00\x00,"
    b"\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;"
)
JPEG = (
    b"\xff\xd8\xff\xe0\x00\x10JFIF\x00\x01\x01\x00\x00\x01\x00\x01\x00\x00"
    b"\xff\xc0\x00\x0b\x08\x00\x01\x00\x01\x01\x01\x11\x00\xff\xd9"
)
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
    "of a PDF": b"%PDF-1.4\n1 0 obj\n(" + WORDS + b")\nendobj\n%%EOF",
}


@pytest.mark.parametrize("data", [b"", b"\x89PNG\r\n\x1a\n", PLAIN, PLAIN[:-9], b"\xff\xd8\xff"])
def test_payloads_without_texts(data: bytes) -> None:
    """A payload that ends anywhere is its bytes, and no error."""
    assert next(texts_of(data)).encode("latin-1") == data


@pytest.mark.parametrize("kind", HOLDING)
def test_hidden_texts_are_read(kind: str) -> None:
    """A comment is found as it stands, compressed or behind the end."""
    assert any(SECRET in text for text in texts_of(HOLDING[kind]))


@pytest.mark.parametrize("kind", HOLDING)
@pytest.mark.parametrize("way", ["user", "result"])
def test_a_payload_with_a_secret_is_withheld_whole(tmp_path: Path, kind: str, way: str) -> None:
    """Neither the disk nor the request holds it; a line says that it was there."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        if way == "user":
            ctx.user(["look", HOLDING[kind]])
        else:
            ctx.reply(loom.Reply((loom.ToolCall("c", "screenshot", "{}"),)))
            ctx.result("c", HOLDING[kind])
        request = str(ctx.turn().request("anthropic"))
    assert "withheld whole" in request and "base64" not in request
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
}


@pytest.mark.parametrize("kind", MADE)
def test_a_text_that_is_all_a_secret(kind: str) -> None:
    """A key is found whatever the length before it and the sum behind it read as: often a letter
    or a digit, with which it is no whole word."""
    clean = Redactor()
    for number in range(64):
        data = MADE[kind](number, KEY.encode())
        assert any(clean(text) != text for text in texts_of(data)), number


@pytest.mark.parametrize(
    "data", [b"GIF89a!\xfe", b"GIF89a" + b"!\xfe\xff" * 50_000, b"\xff\xd8\xff\xfe"]
)
def test_a_picture_that_ends_in_a_text(data: bytes) -> None:
    """Blocks that no end follows are read once, as far as there are any."""
    assert sum(map(len, texts_of(data))) <= 3 * len(data)


def test_a_plain_picture_is_sent(tmp_path: Path) -> None:
    """What holds no secret rests on its page and is sent."""
    with loom.open(tmp_path, window=16_000, durable=False) as ctx:
        ctx.user(["look", PLAIN])
        assert "base64" in str(ctx.turn().request("anthropic"))
    assert any(path.read_bytes() == PLAIN for path in (tmp_path / "outputs").iterdir())
