"""Texts inside a payload that no one sees: metadata of an image or a sound, strings of a document.

Theory of operation -------------------

These texts are read to find secrets, and for nothing else. A format says where its pixels and
samples stand; their bytes are letters only by chance, and in enough of them any pattern is found,
so they are skipped. In all other bytes the runs of at least `RUN` letters are read, in ASCII and in
UTF-16: one megabyte of noise in five has such a run, so the run of a real text stands out. The
readers take chunks of PNG, RIFF and ISO media (PNG, 11.3; RIFF 1.0; ISO 14496-12, 4.2), segments of
JPEG (T.81, B.2.4), blocks of GIF (GIF89a, 18 to 26), tags of a sound (ID3v2.4, 4; APEv2), strings
and text of a PDF (`pdf`), text members of an archive, and bytes behind the end."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from io import BytesIO
from itertools import islice
from struct import error

from loom.lazy import lazy_re
from loom.providers.media.inspect import inspect_payload, jpeg_segments, mime_type_of
from loom.providers.media.media_line import media_line
from loom.providers.media.pdf import CONTROL, letter_run_texts, pdf_texts
from loom.redact import Redactor
from loom.text import one_line

Texts = Iterator[tuple[str, str]]

LARGEST = 1 << 22  # bytes of a member of an archive; more is not looked at …
MOST = 1 << 24  # … nor of all of them together
MEMBERS = 2_000
WHERE = 60  # characters of the place a secret is in
SAMPLE = 4_096  # bytes a text is told by

_TAGS, _PARAGRAPH = lazy_re(r"<[^<>]*>"), lazy_re(r"</(?:w|a):p>")  # of an office document


def payload_texts(data: bytes) -> Texts:
    """Yield (where, text) for each text hidden in a payload. `where` is a word such as "metadata".
    Never raises."""
    yield from _READERS.get(mime_type_of(data), texts_in_bytes)(data)


def first_secret(data: bytes, redact: Redactor) -> tuple[str, tuple[str, ...]] | None:
    """Return (where, kinds of secret) for the first text of a payload that holds secrets; None if
    no text does."""
    for where, text in payload_texts(data):
        if kinds := redact.kinds(text):
            return where, kinds
    return None


def withheld_line(data: bytes, redact: Redactor, name: str = "") -> str:
    """Return the line to show instead of a payload in which a text holds a secret; "" if no text
    does. Such a payload must not be stored or sent."""
    found = first_secret(data, redact)
    if found is None:
        return ""
    where, kinds = one_line(found[0], WHERE), ", ".join(found[1])
    said = f"[withheld whole: its {where} holds a secret ({kinds})]"
    return f"{media_line(inspect_payload(data, name=name))} {said}"


def _archive_texts(data: bytes) -> Texts:
    """Yield (where, text) for a zip archive: its comment, file names, and text files."""
    left = MOST
    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            yield "comment", archive.comment.decode("utf-8", "replace")
            members = archive.infolist()[:MEMBERS]
            yield "names", "\n".join(member.filename for member in members)
            for member in members:
                if member.flag_bits & 1 or left <= 0:  # encrypted
                    continue
                with archive.open(member) as opened:
                    head = opened.read(SAMPLE)
                    if CONTROL.search(head):
                        continue
                    body = head + opened.read(min(LARGEST, left))
                left -= len(body)
                text = body.decode("utf-8", "replace")
                yield member.filename, text
                if text.startswith("<?xml"):  # words lie apart in runs of their own
                    yield member.filename, _TAGS.sub("", _PARAGRAPH.sub("\n", text))
    except (zipfile.BadZipFile, zlib.error, OSError, ValueError, RuntimeError, LookupError):
        yield from texts_in_bytes(data)
    except (NotImplementedError, EOFError):  # a compression of another kind; cut off
        return


INFLATED = 1 << 20  # bytes of a compressed text: more is not looked at
INFLATIONS = 1_000  # chunks of one image that are inflated
TAIL = 4_096  # bytes at the end of a sound in which its tags are
BEHIND = "bytes behind its end"
# By the beginning of a type: bytes before the first chunk; whether its size stands before its name,
# big end first; bytes of the chunk behind its body, less 8 where the size counts its head; the
# chunks that are pixels and samples, and the last one.
_CHUNKED = {
    "image/png": (8, True, 4, {b"IDAT", b"fdAT", b"iCCP"}, b"IEND"),
    "riff": (12, False, 0, {b"data", b"VP8 ", b"VP8L", b"ALPH", b"ANMF"}, b""),
    "boxes": (0, True, -8, {b"mdat"}, b""),
}
_FRAME = lazy_re(rb"[A-Z][A-Z0-9]{2,3}\0[\s\S]{3,5}")  # begins a text of an ID3 tag
_ZLIB = lazy_re(rb"x[\x01\x5e\x9c\xda]")
_ICC = b"ICC_PROFILE\0"


def texts_in_bytes(data: bytes, where: str = "bytes") -> Texts:
    """Yield (where, text) for the runs of letters in bytes of unknown structure, a run on each
    line. `where` is the argument."""
    for text in letter_run_texts(data):
        yield where, text


def _chunk_texts(kind: str, data: bytes) -> Texts:
    """Yield (where, text) for a file made of chunks. `kind` is a key of `_CHUNKED`."""
    at, first, more, samples, last = _CHUNKED[kind]
    left, end = INFLATIONS, len(data)
    if not first:
        end = 8 + int.from_bytes(data[4:8], "little")
    plain: list[bytes] = []
    while len(head := data[at : min(at + 8, end)]) == 8:
        name, size = (head[4:], head[:4]) if first else (head[:4], head[4:])
        length = int.from_bytes(size, "big" if first else "little")
        if more < 0:  # the size counts the head; 1: it stands behind the name, 0: all the rest
            length = int.from_bytes(data[at + 8 : at + 16]) if length == 1 else length or end
            length = max(length - 8, 0)
        body = data[at + 8 : at + 8 + length]
        at += 8 + length + (max(more, 0) if first else length % 2)
        if name == last:
            break
        if name in (b"zTXt", b"iTXt") and left:
            left -= 1
            for packed in islice(_ZLIB.finditer(body, body.find(b"\0") + 1), 2):
                with suppress(zlib.error):
                    text = body[packed.start() :]
                    plain.append(zlib.decompressobj().decompress(text, INFLATED))
        if name not in samples and not (name == b"LIST" and body[:4] == b"movi"):
            plain.append(body)
    yield from texts_in_bytes(b"\0\0\0".join(plain), "metadata")
    yield from texts_in_bytes(data[at:] if more >= 0 else b"", BEHIND)


def _jpeg_texts(data: bytes) -> Texts:
    """Yield (where, text) for a JPEG's texts: in segments before the pixels, and after its end."""
    plain, last = list[bytes](), 2
    with suppress(error, IndexError):
        for marker, start, last in jpeg_segments(data):
            body = data[start:last]
            if marker == 0xFE or (marker & 0xF0 == 0xE0 and not body.startswith(_ICC)):
                plain.append(body)
    yield from texts_in_bytes(b"\0\0\0".join(plain), "metadata")
    if (end := data.find(b"\xff\xd9", last)) >= 0:  # no scan has these two in it
        yield from texts_in_bytes(data[end + 2 :], BEHIND)


def _gif_texts(data: bytes) -> Texts:
    """Yield (where, text) for the texts in a GIF: in its extension blocks, and after its end."""
    plain, at = list[bytes](), 13 + _colour_table_bytes(data[10:11])
    while (kind := data[at : at + 1]) in (b"!", b","):
        at += 2 if kind == b"!" else 11 + _colour_table_bytes(data[at + 9 : at + 10])
        parts: list[bytes] = []
        while size := int.from_bytes(data[at : at + 1]):
            parts.append(data[at + 1 : at + 1 + size])
            at += size + 1
        at += 1
        plain += [b"".join(parts)] if kind == b"!" else []
    yield from texts_in_bytes(b"\0\0\0".join(plain), "metadata")
    yield from texts_in_bytes(data[at + 1 :], BEHIND)


def _colour_table_bytes(flags: bytes) -> int:
    """Return a GIF colour table's size in bytes, read from the byte `flags`."""
    return 3 << (flags[0] & 7) + 1 if flags and flags[0] & 0x80 else 0


def _sound_tag_texts(data: bytes) -> Texts:
    """Yield (where, text) for a sound's tags (ID3, APE), at its beginning and its end."""
    size = 0
    for one in data[6:10] if data.startswith(b"ID3") else b"":
        size = size << 7 | one & 0x7F
    for part in _FRAME.split(data[10 : 10 + size]):
        yield from texts_in_bytes(part, "tag")
    yield from texts_in_bytes(data[max(10 + size, len(data) - TAIL) :], "tag")


_BOXED = ["image/heic", "image/heif", "image/avif", "audio/mp4", "video/mp4", "video/quicktime"]
_READERS: dict[str, Callable[[bytes], Texts]] = {
    "image/png": partial(_chunk_texts, "image/png"),
    "image/jpeg": _jpeg_texts,
    "image/gif": _gif_texts,
    "image/bmp": lambda data: iter(()),  # a format without texts
    **dict.fromkeys(("image/webp", "audio/wav", "video/x-msvideo"), partial(_chunk_texts, "riff")),
    **dict.fromkeys(_BOXED, partial(_chunk_texts, "boxes")),
    **dict.fromkeys(("audio/mpeg", "audio/aac"), _sound_tag_texts),
    "application/pdf": pdf_texts,
    "application/zip": _archive_texts,
}
