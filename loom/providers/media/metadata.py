"""Texts that describe an image, a sound or a film, told from its pixels and samples by its format.

Sources: PNG specification, 11.3; JPEG, ITU-T T.81, B.2.4; GIF89a, 18 to 26; RIFF (Multimedia
Programming Interface 1.0, LIST INFO), RFC 9649 for WebP, EBU Tech 3285 (bext); TIFF 6.0 and Exif
2.32, 4.6; ID3v2.4 structure, 4; APEv2; ISO 14496-12, 4.2. What is cut off or damaged is read as far
as it can be. A format says where its texts stand; what is no plain text there is read as the runs
of letters in it, in ASCII and in UTF-16, whatever encoding it names.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from contextlib import suppress
from struct import error, unpack_from

from loom.lazy import lazy_re
from loom.providers.media.headers import jpeg_segments
from loom.redact.wide import RUN, WIDTHS, runs

Texts = Iterator[tuple[str, str]]
LARGEST = 1 << 20  # bytes of a compressed text: more is not looked at
CHUNKS = 1_000  # of one image that are inflated
DIRECTORIES, ENTRIES = 64, 1_024  # of a TIFF, and of each of them
SHORT = 8  # letters that are a text where a format has one
BEHIND = "bytes behind its end"

CONTROL = lazy_re(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_EXIF, _XMP, _ICC = b"Exif\0\0", b"http://ns.adobe.com/x", b"ICC_PROFILE\0"
_APP1, _COMMENT = 0xE1, 0xFE
_DIRECTORY_TAGS = frozenset({0x014A, 0x8769, 0x8825, 0xA005})
# Tags whose values are texts, though their type is bytes: XMP, IPTC, Photoshop, the comment of
# Exif, and Windows' title, comment, author, keywords and subject.
_TEXT_TAGS = frozenset({0x02BC, 0x83BB, 0x8649, 0x9286, *range(0x9C9B, 0x9CA0)})
_ASCII = 2
_HEADS = {b"\xfe": 0, b"\xff": 11, b"\x01": 12}  # bytes before the text, in blocks of a GIF
_SPOKEN = frozenset({b"XMP ", b"_PMX", b"iXML", b"axml", b"bext", b"ISMP"})  # chunks of RIFF


def printed(data: bytes, least: int = RUN) -> Iterator[str]:
    """The runs of at least so many letters, as one text for each width they stand in."""
    for width in WIDTHS:
        found = [data[start:end] for start, end in runs(data, least, width)]
        if found:
            yield b"\n".join(found).replace(b"\0", b"").decode("ascii")


def loose(data: bytes, where: str = "bytes") -> Texts:
    """The runs of letters in bytes of no known format."""
    for text in printed(data):
        yield where, text


def _told(where: str, body: bytes) -> Texts:
    """What a format has as a text: all of it, or the runs in it where it is none."""
    plain = body.strip(b"\0\3")  # a frame of ID3 says its encoding first
    if not CONTROL.search(plain):
        yield where, plain.decode("utf-8", "replace")
        return
    for text in printed(body, SHORT):
        yield where, text


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
        packed = kind == b"zTXt" or (kind == b"iTXt" and text[:1] == b"\1")
        if kind == b"iTXt":
            text = text[2:].split(b"\0", 2)[-1]
        if packed:
            left -= 1
            text = _inflated(text[kind == b"zTXt" :]) if left >= 0 else b""
        if kind == b"eXIf":
            yield from tiff(body, "PNG eXIf")
        elif packed:
            yield "PNG text", (name + b": " + text).decode("utf-8", "replace")
        elif kind in (b"tEXt", b"iTXt"):
            plain.append(name + b": " + text)
        elif kind == b"IEND":
            yield from loose(data[at:], BEHIND)
            break
    yield "PNG text", b"\n".join(plain).decode("utf-8", "replace")


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
                yield from _told("comment" if marker == _COMMENT else "XMP", body)
            elif marker & 0xF0 == 0xE0 and not body.startswith(_ICC):
                yield from loose(body, f"APP{marker & 0x0F}")
    if (end := data.find(b"\xff\xd9", last)) >= 0:  # no scan has these two in it
        yield from loose(data[end + 2 :], BEHIND)


def gif(data: bytes) -> Texts:
    """The comments of a GIF, its plain texts and what programs wrote into it, blocks joined."""
    at = 13 + _colours(data[10:11])
    while kind := data[at : at + 1]:
        if kind == b"!":
            label = data[at + 1 : at + 2]
            body, at = _blocks(data, at + 2)
            if label in _HEADS:
                yield from _told("comment", body[_HEADS[label] :])
        elif kind == b",":
            _, at = _blocks(data, at + 11 + _colours(data[at + 9 : at + 10]))
        else:
            yield from loose(data[at + 1 :], BEHIND)
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
    for kind, body in _chunks(data[12:end]):
        where = kind.decode("latin-1").strip()
        if kind == b"EXIF":
            yield from tiff(body.removeprefix(_EXIF), "EXIF")
        elif kind in (b"id3 ", b"ID3 "):
            yield from tagged(body)
        elif kind in _SPOKEN:
            yield from _told(where, body)
        elif kind == b"LIST" and body[:4] == b"INFO":
            for _, text in _chunks(body[4:]):
                yield from _told("INFO", text)
        elif kind == b"LIST" and body[:4] != b"movi":
            yield from loose(body, where)
    yield from loose(data[end:], BEHIND)


def _chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = 0
    while len(kind := data[at : at + 4]) == 4:
        size = int.from_bytes(data[at + 4 : at + 8], "little")
        yield kind, data[at + 8 : at + 8 + size]
        at += 8 + size + size % 2


def tiff(data: bytes, where: str = "TIFF") -> Texts:
    """The texts in the directories of a TIFF, which Exif is too."""
    order = {b"II": "<", b"MM": ">"}.get(data[:2], "")
    if not order:
        yield from loose(data, where)
        return
    with suppress(error):
        waiting, seen = [unpack_from(f"{order}I", data, 4)[0]], set[int]()
        while waiting and len(seen) < DIRECTORIES:
            if (first := waiting.pop()) in seen or not first:
                continue
            seen.add(first)
            count = min(unpack_from(f"{order}H", data, first)[0], ENTRIES)
            for entry in range(first + 2, first + 2 + 12 * count, 12):
                tag, kind, number, place = unpack_from(f"{order}HHII", data, entry)
                if tag in _DIRECTORY_TAGS:
                    waiting.append(place)
                elif number > 4 and (kind == _ASCII or tag in _TEXT_TAGS):
                    yield from _told(where, data[place : place + min(number, LARGEST)])
            with suppress(error):
                waiting.append(unpack_from(f"{order}I", data, first + 2 + 12 * count)[0])


def tagged(data: bytes) -> Texts:
    """The tags before and behind a sound: ID3 of both versions, and APE."""
    if data.startswith(b"ID3") and len(data) > 10:
        yield from _frames(data[10 : 10 + _synchsafe(data[6:10])], data[3])
    if data[-128:].startswith(b"TAG"):
        yield from _told("ID3", data[-125:-1])
    if (foot := data.rfind(b"APETAGEX", -4_096)) >= 0:
        size = int.from_bytes(data[foot + 12 : foot + 16], "little")
        yield from loose(data[max(foot + 32 - size, 0) : foot], "APE")


def _frames(data: bytes, version: int) -> Texts:
    """The texts of an ID3 tag's frames; its pictures and other files are passed over."""
    head, named = (6, 3) if version == 2 else (10, 4)
    at = 0
    while (name := data[at : at + named]).isalnum():
        length = data[at + named : at + (6 if version == 2 else 8)]
        size = _synchsafe(length) if version == 4 else int.from_bytes(length)
        body, at = data[at + head : at + head + size], at + head + size
        if name[:1] in (b"T", b"W") or name[:3] in (b"COM", b"USL", b"ULT", b"IPL", b"PRI"):
            yield from _told("ID3", body)


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
            yield from loose(data[at : at + size], kind.decode("latin-1"))
        at += max(size, 8)
    if (exif := data.find(_EXIF)) >= 0:
        yield from tiff(data[exif + len(_EXIF) :][:LARGEST], "EXIF")
    if (xmp := data.find(b"<x:xmpmeta")) >= 0:
        end = data.find(b"</x:xmpmeta>", xmp, xmp + LARGEST)
        yield from _told("XMP", data[xmp : max(end, xmp)])
