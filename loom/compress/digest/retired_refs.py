"""Facts of older digests without the names of pages that were retired since.

A digest keeps more facts than it shows, and the next one may show them: what can no longer be
brought back is then found by the name of its entry alone.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from msgspec.structs import replace

from loom_partitions.message import Digest, Entry, Fact


def without_retired(entries: Sequence[Entry], retired: Collection[str]) -> Sequence[Entry]:
    """The entries, their digests' facts less the names of `retired` pages (given in full)."""
    if not retired or not any(isinstance(entry, Digest) for entry in entries):
        return entries
    stems = {name.rpartition("/")[2].partition(".")[0] for name in retired}
    return [
        replace(entry, facts=tuple(_less(fact, stems) for fact in entry.facts))
        if isinstance(entry, Digest)
        else entry
        for entry in entries
    ]


def _less(fact: Fact, stems: set[str]) -> Fact:
    names = fact.refs.split()
    kept = [name for name in names if name.partition("(")[0] not in stems]
    return fact if len(kept) == len(names) else replace(fact, refs=" ".join(kept))
