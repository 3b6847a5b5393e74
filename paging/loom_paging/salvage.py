"""Every whole commit of a damaged journal, and the bytes between them.

A line proves itself by its crc, whatever happened to the lines around it. So each line is read on
its own. A commit behind other bytes, where a line end was lost, is found by how lines begin."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from loom_paging import extent as extents
from loom_paging.errors import CorruptJournal, PagingError
from loom_paging.line import HEAD, Commit, decode, holds_commit
from loom_paging.segments import Sealed, line_crc, lines_of_segment, segment_name, segment_names
from loom_paging.store import Store

FOREIGN = "its lines are of another journal: they are not those it was closed with"


class FoundCommit(msgspec.Struct, frozen=True):
    """A valid commit, and the bytes of its line (`data`). `segment` is the name of its segment,
    `line` its line number there, from 1."""

    commit: Commit
    data: bytes
    segment: str
    line: int


class LostLine(msgspec.Struct, frozen=True):
    """Bytes of a journal that are no commit: how many (`size`), and `why`. `line` counts from 1; 0
    means a whole segment."""

    segment: str
    line: int
    size: int
    why: str


class Salvage(msgspec.Struct, frozen=True):
    """All that can be read of a damaged journal.

    `found` lists its commits, ordered by number; each number comes once. `lost` lists the damaged
    places. `torn` is the size in bytes of a last line that was cut short."""

    segments: tuple[str, ...]
    found: tuple[FoundCommit, ...]
    lost: tuple[LostLine, ...]
    torn: int


def salvage(store: Store) -> Salvage:
    """Return all commits and all lost bytes of a journal. Damage raises nothing. A last line
    without a newline is torn, not lost, unless the journal was closed after that line was written.
    """
    extent = extents.load(store)
    found: dict[int, FoundCommit] = {}
    lost: list[LostLine] = []
    torn = 0
    segments = segment_names(store)
    read: dict[str, list[bytes]] = {}
    for segment in segments:
        try:
            read[segment] = [line for _, line in lines_of_segment(store, segment)]
        except (PagingError, OSError) as error:
            lost.append(LostLine(segment, 0, 0, str(error)))
    for at, (segment, held) in enumerate(read.items()):
        if _is_foreign(extent, segment, held, [*read.values()][at + 1 : at + 2]):
            lost.append(LostLine(segment, 0, sum(map(len, held)), FOREIGN))
            continue
        for number, line in enumerate(held, 1):
            at_end = segment == segments[-1] and number == len(held)
            for part, why in _commits_and_gaps(line):
                whole = line.endswith(b"\n") or not at_end
                if isinstance(part, Commit) and (whole or part.number <= extent.last):
                    first = found.setdefault(part.number, FoundCommit(part, why, segment, number))
                    if first.data != why:  # of two with one number the first is kept
                        other = f"another commit {part.number} stands at {first.segment}"
                        told = f"{other}, line {first.line}"
                        lost.append(LostLine(segment, number, len(why), told))
                elif isinstance(part, Commit) or (at_end and not holds_commit(line)):
                    torn = len(line)
                else:
                    lost.append(LostLine(segment, number, part, why.decode()))
    ordered = tuple(found[number] for number in sorted(found))
    return Salvage(tuple(segments), ordered, tuple(lost), torn)


def _is_foreign(extent: Sealed, segment: str, held: list[bytes], behind: list[list[bytes]]) -> bool:
    """Return True for a segment of another journal: all its lines (`held`) are valid, but they are
    not the lines that `extent` noted. `behind` holds the lines of the next segment, if any."""
    names = [segment_name(number) for number in range(1, len(extent.sizes) + 1)]
    if segment not in names:
        return False
    try:
        commits = {decode(line).number: line for line in held}
        following = min(decode(line).number for lines_ in behind for line in lines_[:1])
    except CorruptJournal:
        return False
    except ValueError:  # nothing behind it
        following = extent.last + 1
    if extent.last in commits:
        return line_crc(commits[extent.last]) != extent.crc
    noted, size = extent.sizes[names.index(segment)], sum(map(len, held))
    return size > noted or (size < noted and max(commits, default=0) + 1 >= following)


def _commits_and_gaps(line: bytes) -> Iterator[tuple[Commit | int, bytes]]:
    """Yield (commit, its line) for each valid commit in a line. If the line has other bytes too,
    finally yield (number of these bytes, why they are no commit)."""
    try:
        yield decode(line), line
        return
    except CorruptJournal as bad:
        why = str(bad).encode()
    heads = [head.start() for head in HEAD.finditer(line)]
    ends = [*heads[1:], len(line)]
    at = bad_bytes = 0
    for start in heads:
        for end in (end for end in ends if end > start >= at):
            part = line[start:end].removesuffix(b"\n") + b"\n"
            try:
                commit = decode(part)
            except CorruptJournal:
                continue
            bad_bytes += start - at
            at = end
            yield commit, part
            break
    bad_bytes += len(line) - at
    if bad_bytes:
        yield bad_bytes, why
