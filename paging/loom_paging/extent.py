"""How far a journal reached when its writer closed it, so that a missing end shows.

The crcs and numbers of a journal show all that is lost from its middle. A loss from its end (a
segment that was cut short, or another file in its place) looks like an older journal. So a writer
that closes a journal leaves a note beside it, once all lines it covers are durable. Journals only
grow: one that is shorter than its note, or has another line where the note has one, is damaged.

The note itself is a view: it may be lost, old or torn, and is then ignored."""

from __future__ import annotations

from hashlib import sha256

import msgspec

from loom_paging.errors import CorruptJournal, MissingPage, OutsideStore
from loom_paging.line import decode
from loom_paging.segments import (
    NONE_SEALED,
    Sealed,
    line_crc,
    missing_segment,
    segment_name,
    segment_names,
)
from loom_paging.store import ReadableStore, Store

NAME = "checkpoints/extent"
_SEAL = 16  # hexadecimal digits of the hash in front


def load(store: ReadableStore) -> Sealed:
    """Return the note of how far a journal reached when it was closed, NONE_SEALED when the note is
    missing or damaged."""
    try:
        seal, data = (held := store.get(NAME))[:_SEAL], held[_SEAL:]
        return msgspec.json.decode(data, type=Sealed) if seal == _seal_of(data) else NONE_SEALED
    except (MissingPage, OutsideStore, OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return NONE_SEALED


def save(store: Store, extent: Sealed) -> None:
    """Write the note of how far a journal reaches, unless the store was opened with
    `durable=False`. Raises the store's errors."""
    # Without syncs a power cut may take lines that the note would list.
    if getattr(store, "durable", True):
        store.sketch(NAME, note_bytes(extent))


def note_bytes(extent: Sealed) -> bytes:
    """Return the bytes of the note's file: 16 hex digits of a sha256, then the note as JSON."""
    data = msgspec.json.encode(msgspec.structs.replace(extent, firsts=()))
    return _seal_of(data) + data


def check(store: ReadableStore, extent: Sealed) -> None:
    """Compare the journal in the store with the note `extent`. Raise CorruptJournal when a segment
    is shorter than noted, when a segment before the last noted segment is longer, or when the last
    noted commit has changed."""
    for number, size in enumerate(extent.sizes, 1):
        segment, last = segment_name(number), number == len(extent.sizes)
        held = _size_or_zero(store, segment)
        if held < size or (held > size and not last):
            why = f"it has {held:,} bytes, and had {size:,} when it was noted"
            after = f" after commit {extent.last}" if extent.last else " or copied"
            raise CorruptJournal(segment, 0, why + after)
    if extent.tail:
        # The last segment may be empty: the last line is that of the last one that is not.
        number = max(number for number, size in enumerate(extent.sizes, 1) if size)
        at = extent.sizes[number - 1] - extent.tail
        line = store.read(segment_name(number), at, extent.tail)
        try:
            if line_crc(line) == extent.crc and decode(line).number == extent.last:
                return
            why = f"another line stands where commit {extent.last} stood"
        except CorruptJournal as bad:
            why = f"commit {extent.last} was there, whole, and {bad}"
        raise CorruptJournal(segment_name(number), 0, f"{why} ({NAME} tells)")


def journal_begins_with(store: Store, sealed: Sealed) -> bool:
    """Return True when the journal of a store begins with the segments that `sealed` describes (at
    least one) and has another segment after them."""
    names, count = segment_names(store), len(sealed.sizes)
    if not count or len(names) <= count or missing_segment(names):
        return False
    try:
        check(store, sealed)
    except CorruptJournal:
        return False
    return store.size(names[count - 1]) == sealed.sizes[-1]


def _size_or_zero(store: ReadableStore, name: str) -> int:
    try:
        return store.size(name)
    except (MissingPage, OutsideStore):
        return 0


def _seal_of(data: bytes) -> bytes:
    return sha256(data).hexdigest()[:_SEAL].encode()
