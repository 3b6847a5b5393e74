"""The `.eval` archives of inspect: a zip of samples, and of what the log tells of all.

Today's are compressed with Zstandard, which the zip files of Python know from 3.14 on; before, the
package `zstandard` unpacks them where it is installed.
"""

from __future__ import annotations

import os
import sys
import zlib
from copy import copy
from functools import partial
from pathlib import Path
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from loom.disk import plain_descriptor
from loom.errors import BadSession
from loom.replay.importers.rows import LARGEST, JsonRow, decoded, each_row, row_of

MAGIC = b"PK\x03\x04"
_SAMPLES = "samples/"
_HEADERS = ("header.json", "_journal/start.json")  # the second of a run that did not end
_ZSTANDARD = 93  # the number of the method in the zip format
_INSTALL = (
    "it is compressed with Zstandard: install the package `zstandard` beside Loom, "
    "or write it as JSON with `inspect log convert --to json`"
)


def rows(path: Path) -> list[JsonRow]:
    """Return the log of an archive as its JSON form has it, samples in their order.

    Raises BadSession for another archive, and for one larger unpacked than a file may be.
    """
    try:
        with os.fdopen(plain_descriptor(path), "rb") as file, ZipFile(file) as archive:
            members = {info.filename: info for info in archive.infolist()}
            samples = [name for name in members if name.startswith(_SAMPLES)]
            header = next((name for name in _HEADERS if name in members), "")
            if not samples or not header:
                raise BadSession(path, 0, "an archive without samples, so no log of inspect")
            size = sum(members[name].file_size for name in (header, *samples))
            if size > LARGEST:
                raise BadSession(path, 0, f"{size:,} bytes unpacked, more than {LARGEST:,}")
            packed = [_member(path, archive, members[name]) for name in (header, *samples)]
    except OSError as error:
        raise BadSession(path, 0, f"cannot be read: {error.strerror or error}") from error
    except (BadZipFile, NotImplementedError, RuntimeError, EOFError, zlib.error) as error:
        raise BadSession(path, 0, f"a damaged archive: {error}") from error

    def read(data: bytes) -> JsonRow:  # scores may be NaN, which inspect writes as it is
        return row_of(path, 0, decoded(path, data), unsaid=True)

    told = read(packed[0]).value
    notes: list[str] = []
    named = ((name, partial(read, data)) for name, data in zip(samples, packed[1:], strict=True))
    values = [row.value for row in each_row(named, notes)]
    log = told if isinstance(told, dict) else {}
    return [JsonRow(0, {**log, "samples": values}, tuple(notes))]


def _member(path: Path, archive: ZipFile, info: ZipInfo) -> bytes:
    """The bytes of a member; never more than it says it has."""
    if info.compress_type != _ZSTANDARD or sys.version_info >= (3, 14):
        with archive.open(info) as member:
            return member.read(info.file_size)
    try:
        import zstandard
    except ImportError:
        raise BadSession(path, 0, _INSTALL) from None
    packed = copy(info)  # as if it were stored as it is, and without a checksum
    packed.compress_type, packed.file_size = ZIP_STORED, info.compress_size
    del packed.CRC
    try:
        with (
            archive.open(packed) as member,
            zstandard.ZstdDecompressor().stream_reader(member) as reader,
        ):
            data = reader.read(info.file_size)
    except zstandard.ZstdError as error:
        raise BadZipFile(f"{info.filename}: {error}") from error
    if zlib.crc32(data) != info.CRC:
        raise BadZipFile(f"{info.filename}: its checksum differs")
    return data
