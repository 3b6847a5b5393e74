"""Texts that describe an image, a sound or a film, told from its pixels and samples by its format.

Sources: PNG specification, 11.3; JPEG, ITU-T T.81, B.2.4; GIF89a, 18 to 26; RIFF (Multimedia
Programming Interface 1.0, LIST INFO), RFC 9649 for WebP, EBU Tech 3285 (bext); TIFF 6.0 and Exif
2.32, 4.6; ID3v2.4 structure, 4; APEv2; ISO 14496-12, 4.2. What is cut off or damaged is read as far
as it can be.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from struct import error, unpack_from

from loom.providers.media.headers import jpeg_segments
from loom.providers.media.runs import printed

Texts = Iterator[tuple[str, str]]
LARGEST = 1 << 20  # bytes of a compressed text: more is not looked at
CHUNKS = 1_000  # of one image that are inflated
DIRECTORIES, ENTRIES = 64, 1_024  # of a TIFF, and of each of them
BEHIND = "bytes behind its end"

_EXIF, _XMP, _ICC = b"Exif\0\0", b"http://ns.adobe.com/x", b"ICC_PROFILE\0"
_APP1, _COMMENT = 0xE1, 0xFE
_ASCII, _COMMENT_TAG = 2, 0x9286
_DIRECTORY_TAGS = frozenset({0x014A, 0x8769, 0x8825, 0xA005})
_WIDE_TAGS = range(0x9C9B, 0x9CA0)  # Windows' title, comment, author, keywords, subject
_TEXT_TAGS = frozenset({0x02BC, 0x83BB, 0x8649})  # XMP, IPTC, Photoshop
_ENCODINGS = ("latin-1", "utf-16", "utf-16-be", "utf-8")  # of a frame of ID3
_SPOKEN = frozenset({b"XMP ", b"_PMX", b"iXML", b"axml", b"bext", b"ISMP"})  # chunks of RIFF


def none(data: bytes) -> Texts:
    """A format without texts."""
    yield from ()


def png(data: bytes) -> Texts:
    """The text chunks of a PNG, each with its keyword, what Exif says, and what stands behind."""
    at, plain, left = 8, [], CHUNKS
    while len(kind := data[at + 4 : at + 8]) == 4:
        body = data[at + 8 : at + 8 + int.from_bytes(data[at : at + 4])]
        at += int.from_bytes(data[at : at + 4]) + 12
        name, _, text = body.partition(b"\0")
        if kind == b"eXIf":
            yield from tiff(body, "PNG eXIf")
        elif kind == b"tEXt":
            plain.append(f"{_decoded(name)}: {_decoded(text)}")
        elif kind in (b"zTXt", b"iTXt"):
            packed = kind == b"zTXt" or text[:1] == b"\1"
            text = text[1:] if kind == b"zTXt" else text[2:].split(b"\0", 2)[-1]
            left -= packed
            if not packed or left >= 0:
                text = _inflated(text) if packed else text
                yield f"PNG {kind.decode()}", f"{_decoded(name)}: {_decoded(text)}"
        elif kind == b"IEND":
            yield from _loose(data[at:])
            break
    yield "PNG tEXt", "\n".join(plain)


def _inflated(body: bytes) -> bytes:
    with suppress(zlib.error):
        return zlib.decompressobj().decompress(body, LARGEST)
    return b""


def jpeg(data: bytes) -> Texts:
    """The comments of a JPEG, what programs wrote into it before its pixels, and what stands
    behind."""
    last = 2
    with suppress(error, IndexError):
        for marker, start, last in jpeg_segments(data):
            body = data[start:last]
            if marker == _APP1 and body.startswith(_EXIF):
                yield from tiff(body[len(_EXIF) :], "EXIF")
            elif marker == _COMMENT or (marker == _APP1 and body.startswith(_XMP)):
                yield "comment" if marker == _COMMENT else "XMP", _decoded(body)
            elif marker & 0xF0 == 0xE0 and not body.startswith(_ICC):
                for text in printed(body):
                    yield f"APP{marker & 0x0F}", text
    if (end := data.find(b"\xff\xd9", last)) >= 0:  # no scan has these two in it
        yield from _loose(data[end + 2 :])


def gif(data: bytes) -> Texts:
    """The comments of a GIF, its plain texts and what programs wrote into it, blocks joined."""
    at = 13 + _colours(data[10:11])
    while kind := data[at : at + 1]:
        if kind == b"!":
            label, at = data[at + 1 : at + 2], at + 2
            body, at = _blocks(data, at)
            if label in (b"\xfe", b"\xff", b"\x01"):
                skipped = 0 if label == b"\xfe" else 11 if label == b"\xff" else 12
                yield "comment", _decoded(body[skipped:])
        elif kind == b",":
            at += 10 + _colours(data[at + 9 : at + 10]) + 1
            _, at = _blocks(data, at)
        else:
            yield from _loose(data[at + 1 :])
            return


def _colours(flags: bytes) -> int:
    """Bytes of a table of colours."""
    return 3 << (flags[0] & 7) + 1 if flags and flags[0] & 0x80 else 0


def _blocks(data: bytes, at: int) -> tuple[bytes, int]:
    """Blocks of up to 255 bytes, joined, and where they end."""
    found = []
    while size := int.from_bytes(data[at : at + 1]):
        found.append(data[at + 1 : at + 1 + size])
        at += size + 1
    return b"".join(found), at + 1


def riff(data: bytes) -> Texts:
    """Chunks of a WebP, a WAV or an AVI that are texts, and what stands behind."""
    end = 8 + int.from_bytes(data[4:8], "little")
    yield from _chunks(data[12:end])
    yield from _loose(data[end:])


def _chunks(data: bytes) -> Texts:
    at = 0
    while len(kind := data[at : at + 4]) == 4:
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        body = data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2
        where = kind.decode("latin-1").strip()
        if kind == b"EXIF":
            yield from tiff(body.removeprefix(_EXIF), "EXIF")
        elif kind in (b"id3 ", b"ID3 "):
            yield from tagged(body)
        elif kind in _SPOKEN:
            yield where, _decoded(body)
        elif kind == b"LIST" and body[:4] == b"INFO":
            yield "INFO", "\n".join(f"{name}: {text}" for name, text in _info(body[4:]))
        elif kind == b"LIST" and body[:4] != b"movi":
            for text in printed(body):
                yield "LIST", text


def _info(data: bytes) -> Iterator[tuple[str, str]]:
    at = 0
    while len(kind := data[at : at + 4]) == 4:
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        yield _decoded(kind), _decoded(data[at + 8 : at + 8 + size])
        at += 8 + size + size % 2


def tiff(data: bytes, where: str = "TIFF") -> Texts:
    """The texts in the directories of a TIFF, which Exif is too."""
    order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
    found: list[str] = []
    with suppress(error):
        waiting, seen = [unpack_from(f"{order}I", data, 4)[0]] if order else [], set[int]()
        while waiting and len(seen) < DIRECTORIES:
            if (first := waiting.pop()) in seen or not first:
                continue
            seen.add(first)
            count = min(unpack_from(f"{order}H", data, first)[0], ENTRIES)
            for entry in range(first + 2, first + 2 + 12 * count, 12):
                tag, kind, number = unpack_from(f"{order}HHI", data, entry)
                place = unpack_from(f"{order}I", data, entry + 8)[0]
                if tag in _DIRECTORY_TAGS:
                    waiting.append(place)
                else:
                    short = kind in (1, 2, 7) and number <= 4
                    start = entry + 8 if short else place
                    found.append(_tag(tag, kind, data[start : start + min(number, LARGEST)]))
            with suppress(error):
                waiting.append(unpack_from(f"{order}I", data, first + 2 + 12 * count)[0])
    if text := "\n".join(filter(None, found)):
        yield where, text
    elif not order:
        yield from ((where, text) for text in printed(data))


def _tag(tag: int, kind: int, value: bytes) -> str:
    if tag in _WIDE_TAGS:
        return value.decode("utf-16-le", "replace").replace("\0", "")
    if tag == _COMMENT_TAG:
        wide = value.startswith(b"UNICODE")
        return "\n".join(printed(value[8:])) if wide else _decoded(value[8:])
    return _decoded(value) if kind == _ASCII or tag in _TEXT_TAGS else ""


def tagged(data: bytes) -> Texts:
    """The tags before and behind a sound: ID3 of both versions, and APE."""
    if data.startswith(b"ID3") and len(data) > 10:
        end = 10 + _synchsafe(data[6:10])
        yield "ID3", "\n".join(_frames(data[10:end], data[3]))
    if data[-128:].startswith(b"TAG"):
        yield "ID3", _decoded(data[-125:-1])
    if (foot := data.rfind(b"APETAGEX", -4_096)) >= 0:
        size = int.from_bytes(data[foot + 12 : foot + 16], "little")
        for text in printed(data[max(foot + 32 - size, 0) : foot]):
            yield "APE", text


def _frames(data: bytes, version: int) -> Iterator[str]:
    """The texts of an ID3 tag's frames; its pictures and other files are passed over."""
    head, named = (6, 3) if version == 2 else (10, 4)
    at = 0
    while (name := data[at : at + named]).isalnum():
        length = data[at + named : at + (6 if version == 2 else 8)]
        size = _synchsafe(length) if version == 4 else int.from_bytes(length)
        body, at = data[at + head : at + head + size], at + head + size
        if name[:1] == b"T" or name in (b"COMM", b"USLT", b"COM", b"ULT", b"IPLS"):
            encoding = _ENCODINGS[body[0]] if body and body[0] < len(_ENCODINGS) else "latin-1"
            said = body[1:] if name[:1] == b"T" or name == b"IPLS" else body[4:]
            yield said.decode(encoding, "replace").strip("\0").replace("\0", ": ")
        elif name[:1] == b"W" or name == b"PRIV":
            yield from printed(body)


def _synchsafe(size: bytes) -> int:
    """A number of seven bits a byte."""
    value = 0
    for one in size:
        value = value << 7 | one & 0x7F
    return value


def boxes(data: bytes) -> Texts:
    """Boxes of a film or an image but those of its samples, and Exif and XMP wherever they lie."""
    at = 0
    while len(kind := data[at + 4 : at + 8]) == 4:
        size = int.from_bytes(data[at : at + 4])
        size = int.from_bytes(data[at + 8 : at + 16]) if size == 1 else size or len(data)
        if kind != b"mdat":
            for text in printed(data[at : at + size]):
                yield kind.decode("latin-1"), text
        at += max(size, 8)
    if (exif := data.find(_EXIF)) >= 0:
        yield from tiff(data[exif + len(_EXIF) :][:LARGEST], "EXIF")
    if (xmp := data.find(b"<x:xmpmeta")) >= 0:
        end = data.find(b"</x:xmpmeta>", xmp, xmp + LARGEST)
        yield "XMP", _decoded(data[xmp:end]) if end >= 0 else ""


def _loose(data: bytes) -> Texts:
    for text in printed(data):
        yield BEHIND, text


def _decoded(text: bytes) -> str:
    """A text in UTF-8, and where it is none in Latin-1, as older programs wrote it."""
    try:
        return text.decode().strip("\0")
    except UnicodeDecodeError:
        return text.decode("latin-1").strip("\0")
