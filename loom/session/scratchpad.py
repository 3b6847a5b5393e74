"""A note added to the scratchpad: work and disk follow the note, not what stood there before.

What is shown keeps its first lines, a marker, and its newest ones; the whole is never read again.
What is not shown goes to pages in batches, each byte to one page.
"""

from __future__ import annotations

from loom.reduce.preview import around, first_lines, last_lines, parted
from loom.session.ingest import Ingest
from loom.session.texts import INLINE
from loom.text import printable, size_of
from loom_partitions.message import Text
from loom_partitions.records import Noted
from loom_partitions.scratchpad import NAME, joined, pages_of
from loom_partitions.working import Working

BATCH = 4_096  # bytes of notes that are put on a page together


def added(working: Working, pad: Text, text: str, ingest: Ingest, room: int) -> Noted:
    """The record of a note, redacted already, on a scratchpad shown in `room` tokens."""
    before = pad.body or ""
    said = printable(text)
    whole = joined(before, said)
    tokens = ingest.sizes.count(whole) if len(whole) <= room * 40 else room + 1
    paged = bool(pages_of(pad, working.pad_pages))
    held = working.pad_rest if paged else before  # what the words are joined to
    size = pad.size - size_of(held) + size_of(joined(held, text))
    if tokens <= room and said == text and not paged:
        return Noted(Text(tokens, size, text), added=True)
    page = _page(working, paged, before, text, ingest)
    if tokens <= room:
        return Noted(Text(tokens, size, said, page), added=True)
    return _shortened(before, said, size, page, ingest, room)


def _page(working: Working, paged: bool, before: str, text: str, ingest: Ingest) -> str:
    """The page that takes what none holds yet, "" while that is less than a batch."""
    rest = joined(working.pad_rest if paged else before, text)
    if paged and size_of(text) <= INLINE and size_of(rest) <= BATCH and printable(text) == text:
        return ""
    return ingest.rest("scratch", ".txt", rest.encode("utf-8", "surrogatepass"))


def _shortened(before: str, said: str, size: int, page: str, ingest: Ingest, room: int) -> Noted:
    """The record that leaves out what stands between the first lines shown and the newest."""
    first, last = parted(before, NAME)
    limit = 4 * room
    for _ in range(12):
        first = first or first_lines(before, limit)
        end = last_lines(joined(last, said), max(limit - len(first) - 60, limit // 4))
        gap = around(first, end, size, NAME)
        tokens = ingest.sizes.count(first + gap + end)
        if tokens <= room or limit <= 40:
            break
        limit, first = int(limit * 0.9 * room / tokens), first[: limit * 6 // 10]
    words = said if not page else said[max(0, len(said) - len(end)) :]
    text = Text(tokens, size, words, page)
    return Noted(text, True, gap, len(first), len(end))
