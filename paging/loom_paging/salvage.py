"""Every commit of a damaged journal that is whole, and what lies between them.

A line proves itself by its crc, whatever became of the lines around it. So each is read on its own,
and a commit that stands behind other bytes, where a line end was lost, is found by how lines begin.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from loom_paging import extent as extents
from loom_paging.errors import PagingError
from loom_paging.line import HEAD, BadLine, Commit, decode, holds_commit
from loom_paging.segments import lines, segment_names
from loom_paging.store import Store


class FoundCommit(msgspec.Struct, frozen=True):
    """A commit that verified, its line, and where that is: the segment, the line in it from 1."""

    commit: Commit
    data: bytes
    segment: str
    line: int


class LostLine(msgspec.Struct, frozen=True):
    """Bytes of a journal that are no commit; `line` is from 1, 0 for the whole segment."""

    segment: str
    line: int
    size: int
    why: str


class Salvage(msgspec.Struct, frozen=True):
    """All that a journal still says.

    `found` are its commits in the order of their numbers, each number once; `torn` are the bytes of
    a last line that was cut short, which no call that returned has written.
    """

    segments: tuple[str, ...]
    found: tuple[FoundCommit, ...]
    lost: tuple[LostLine, ...]
    torn: int


def salvage(store: Store) -> Salvage:
    """Read all segments of a journal, line by line. Nothing is raised for damage.

    A last line without its end is torn, as opening has it, unless the journal was closed with it.
    """
    known = extents.load(store).last
    found: dict[int, FoundCommit] = {}
    lost: list[LostLine] = []
    torn = 0
    segments = segment_names(store)
    for segment in segments:
        try:
            held = [line for _, line in lines(store, segment)]
        except (PagingError, OSError) as error:
            lost.append(LostLine(segment, 0, 0, str(error)))
            continue
        for number, line in enumerate(held, 1):
            at_end = segment == segments[-1] and number == len(held)
            for part, why in _parts(line):
                whole = line.endswith(b"\n") or not at_end
                if isinstance(part, Commit) and (whole or part.number <= known):
                    _take(found, lost, FoundCommit(part, why, segment, number))
                elif isinstance(part, Commit) or (at_end and not holds_commit(line)):
                    torn = len(line)
                else:
                    lost.append(LostLine(segment, number, part, why.decode()))
    ordered = tuple(found[number] for number in sorted(found))
    return Salvage(tuple(segments), ordered, tuple(lost), torn)


def _take(found: dict[int, FoundCommit], lost: list[LostLine], one: FoundCommit) -> None:
    """Keep a commit; of two with one number the first, and the second is lost if it is another."""
    first = found.setdefault(one.commit.number, one)
    if first is not one and first.data != one.data:
        why = f"another commit {one.commit.number} stands at {first.segment}, line {first.line}"
        lost.append(LostLine(one.segment, one.line, len(one.data), why))


def _parts(line: bytes) -> Iterator[tuple[Commit | int, bytes]]:
    """Yield (commit, its line) for each that is whole in a line, (size, why) for bytes between."""
    try:
        yield decode(line), line
        return
    except BadLine as bad:
        why = str(bad).encode()
    heads = [head.start() for head in HEAD.finditer(line)]
    ends = [*heads[1:], len(line)]
    at = bad_bytes = 0
    for start in heads:
        for end in (end for end in ends if end > start >= at):
            part = line[start:end].removesuffix(b"\n") + b"\n"
            try:
                commit = decode(part)
            except BadLine:
                continue
            bad_bytes += start - at
            at = end
            yield commit, part
            break
    bad_bytes += len(line) - at
    if bad_bytes:
        yield bad_bytes, why
