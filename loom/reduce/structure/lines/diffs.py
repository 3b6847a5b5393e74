"""Diffs: the files and how much each changes, hunks, changed lines before unchanged ones."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.lazy import lazy_re
from loom.reduce.lines import counted
from loom.reduce.structure.lines.excerpt import NUMBERS, CandidateLine, excerpt, split, spread
from loom.reduce.structure.lines.outline import depth_of
from loom.reduce.structure.relevance import Objective, narrowed

HEAD = 4
JUDGED = 20_000  # lines that are looked at for definitions
_FILE = lazy_re(r"diff --git |Index: ")
_PLAIN_FILE = lazy_re(r"\+\+\+ ")
_HUNK = lazy_re(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@")
_DULL = lazy_re(r"index [0-9a-f]+\.\.|--- |\+\+\+ |[ +-]?\s*$")
_CHANGED = lazy_re(r"[+-](?!\+\+ |-- )")


def is_diff(lines: Sequence[str]) -> bool:
    """True when a sample of lines has the heads of a diff and lines it changes."""
    heads = sum(bool(_HUNK.match(line)) for line in lines)
    return heads > 0 and any(_FILE.match(line) or _PLAIN_FILE.match(line) for line in lines)


def reduce_diff(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """The files, hunks and telling changes of a diff within `limit`, with line numbers."""
    lines = split(text)
    file = _FILE if any(_FILE.match(line) for line in lines) else _PLAIN_FILE
    starts = [at for at, line in enumerate(lines) if file.match(line)]
    changes = [_changes(lines[a:b]) for a, b in zip(starts, [*starts[1:], len(lines)], strict=True)]
    added, removed = sum(one[0] for one in changes), sum(one[1] for one in changes)
    what = f"diff of {counted(len(starts), 'file')}, +{added:,} −{removed:,}, {len(lines):,} lines"
    what += f", {len(text):,} characters"
    notes = {
        at: f"  [+{plus:,} −{minus:,}]" for at, (plus, minus) in zip(starts, changes, strict=True)
    }
    found = _candidates(lines, notes, narrowed(objective, lines))
    return excerpt(found, what, limit, ref, NUMBERS)


def _changes(lines: Sequence[str]) -> tuple[int, int]:
    """Count the lines added and the lines removed."""
    signs = [line[0] for line in lines if _CHANGED.match(line)]
    return signs.count("+"), signs.count("-")


def _candidates(
    lines: Sequence[str], notes: dict[int, str], objective: Objective
) -> Iterator[CandidateLine]:
    """The lines that may be shown."""
    files = hunks = matched = since = 0
    for at, line in enumerate(lines):
        since += 1
        if at in notes:
            yield CandidateLine(at + 1, line, 90 - 0.1 * files, notes[at])
            files += 1
        elif _HUNK.match(line):
            yield CandidateLine(at + 1, line, 70 - spread(hunks))
            hunks, since = hunks + 1, 0
        elif _DULL.match(line):
            continue
        elif _CHANGED.match(line):
            head = 12 if at < JUDGED and depth_of(line[1:]) is not None else 0
            yield CandidateLine(at + 1, line, 44 + head - min(since, 40) / 4)
            if score := objective.matches(line):
                yield CandidateLine(at + 1, line, max(76 + min(score, 4) - matched, 40))
                matched += 1
        else:
            yield CandidateLine(at + 1, line, 95.0 - at if at < HEAD else 20 - min(since, 40) / 4)
