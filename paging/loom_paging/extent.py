"""How far a journal reached when its writer closed it, so that an end that is missing shows.

The crcs and numbers of a journal tell of all that is lost from its middle. What is lost from its
end (a segment that was cut short, or another file in its place) looks like an older journal. So who
closes a journal leaves a note of it beside it, after all it speaks of was durable. Journals only
grow: one that is shorter than its note, or has another line where the note has one, is damaged.

The note itself is a view: it may be lost, old or torn, and then tells nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import msgspec

from loom_paging.errors import CorruptJournal, MissingPage, OutsideStore
from loom_paging.line import decode
from loom_paging.segments import CommitPlaces, crc_of, segment_name
from loom_paging.store import ReadableStore, Store

NAME = "checkpoints/extent"
_SEAL = 16  # hexadecimal digits of the hash in front


class Extent(msgspec.Struct, frozen=True):
    """The last commit, the bytes of every segment, the bytes and the crc of the last line."""

    last: int = 0
    sizes: tuple[int, ...] = ()
    tail: int = 0
    crc: str = ""


NOTHING = Extent()


def load(store: ReadableStore) -> Extent:
    """The note beside a journal; one that tells nothing where there is none that verifies."""
    try:
        seal, data = (held := store.get(NAME))[:_SEAL], held[_SEAL:]
        if seal != _sealed(data):
            return NOTHING
        return msgspec.json.decode(data, type=Extent)
    except (MissingPage, OutsideStore, OSError, msgspec.MsgspecError, UnicodeDecodeError):
        return NOTHING


def save(store: Store, segments: Sequence[str], places: CommitPlaces) -> None:
    """Leave a note of how far a journal reaches, its last line read from disk; raises what the
    store raises. In a store that syncs nothing there is none: a power cut may take lines that were
    acknowledged, as its user agreed to."""
    if not getattr(store, "durable", True):
        return
    sizes, tail, crc = tuple(places.size(at) for at in range(len(segments))), 0, ""
    if places.last:
        place = places.of(places.last)
        tail = place.length
        crc = crc_of(store.read(segments[place.segment], place.offset, tail))
    store.sketch(NAME, sealed(Extent(places.last, sizes, tail, crc)))


def sealed(extent: Extent) -> bytes:
    """The note as it lies in a store."""
    data = msgspec.json.encode(extent)
    return _sealed(data) + data


def check(store: ReadableStore, extent: Extent) -> None:
    """Raise CorruptJournal where the journal in the store is not the one that was noted, or one
    that goes on from it."""
    for number, size in enumerate(extent.sizes, 1):
        segment, last = segment_name(number), number == len(extent.sizes)
        held = _size(store, segment)
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
            if crc_of(line) == extent.crc and decode(line).number == extent.last:
                return
            why = f"another line stands where commit {extent.last} stood"
        except CorruptJournal as bad:
            why = f"commit {extent.last} was there, whole, and {bad}"
        raise CorruptJournal(segment_name(number), 0, f"{why} ({NAME} tells)")


def _size(store: ReadableStore, name: str) -> int:
    try:
        return store.size(name)
    except (MissingPage, OutsideStore):
        return 0


def _sealed(data: bytes) -> bytes:
    return sha256(data).hexdigest()[:_SEAL].encode()
