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
    """Return the note of how far a journal reached; NONE_SEALED when there is no note, or a damaged
    one."""
    try:
        seal, data = (held := store.get(NAME))[:_SEAL], held[_SEAL:]
        return msgspec.json.decode(data, type=Sealed) if seal == _seal_of(data) else NONE_SEALED
    except (MissingPage, OutsideStore, OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return NONE_SEALED


def save(store: Store, extent: Sealed) -> None:
    """Write the note of how far a journal reaches; raises the store's errors. A store that does not
    sync (`durable=False`) gets no note, since a power cut may take acknowledged lines from it."""
    if getattr(store, "durable", True):
        store.sketch(NAME, note_bytes(extent))


def note_bytes(extent: Sealed) -> bytes:
    """Return the note as a store holds it."""
    data = msgspec.json.encode(msgspec.structs.replace(extent, firsts=()))
    return _seal_of(data) + data


def check(store: ReadableStore, extent: Sealed) -> None:
    """Raise CorruptJournal unless the journal in the store has all that the note `extent` says it
    had: segments at least as long, and the same last commit. More commits may follow."""
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
    """Return True when the first segments of a store's journal are the ones in `sealed`, and at
    least one more segment follows. False for a `sealed` without segments."""
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
