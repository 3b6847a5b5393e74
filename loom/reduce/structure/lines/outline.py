"""Source code, prose and diffs: most of it from the top, the lines that head something, the end.

What is edited next must be known word for word, and oftener stands near the top than anywhere else
(`benchmarks reduction`), so the head of a text takes the most of its room, in one run.

Heads are recognised by form: definitions of the common languages, Markdown headings, the file and
hunk lines of a diff, the sections of configuration files. When there are more than room, outer
heads come before inner ones, and those of one depth are taken from everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import islice

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.preview import preview
from loom.reduce.structure.lines.excerpt import (
    GAPS,
    LINES_MOST,
    RUNS,
    CandidateLine,
    excerpt,
    number_of,
    numbers_itself,
    split,
    spread,
    unnumbered,
)
from loom.reduce.structure.relevance import ERROR, Objective, matching, severity

# Shares of the room for the beginning, in one run, and for the end: of code, and of other texts,
# whose conclusion stands there.
CODE, PROSE = (0.88, 0.05), (0.62, 0.30)
CODED = 60  # lines of code have a head among so many
LONG = 2000  # characters of a line that no choice of lines can show
MATCHES = 200  # lines that match the objective

_DEFINITION = lazy_re(
    r"(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|inline|"
    r"pub(?:\(\w+\))?|unsafe|extern|override|virtual|sealed|data|declare|open|const)\s+){0,5}"
    r"(?:def|class|func|function\*?|fn|struct|enum|interface|trait|impl|mod|module|namespace|type|"
    r"record|object|protocol|extension|macro_rules!|package|CREATE TABLE|create table|message|"
    r"service)\b\s*[\w(\"'`<*\[$]"
)
_METHOD = lazy_re(
    r"(?:(?:public|private|protected|static|final|async|override|get|set|const|virtual|inline)\s+)"
    r"{1,4}[\w<>\[\], *&?.]{1,80}\(|"
    r"(?:(?:unsigned|static|const|struct)\s+)*[A-Za-z_]\w*[ *&]+\w+\([^;]{0,200}\)\s*\{$|"
    r"(?:export )?(?:const|let|var)\s+[\w$]+\s*(?::[^=]{1,60})?=\s*(?:async\s*)?"
    r"(?:\([^)]{0,200}\)|\w+)\s*=>"
)
SEARCHED = 20_000  # lines searched for words of failure: twice what can be shown
HEADS = 20_000  # heads of one depth: more than can be shown, as later ones are worth less
MARKED = "#/*-<TFXHBWIN"  # what a line with a mark such as TODO begins with
SAME = 4_096  # lines known again: a large text of short lines is mostly a few of them
_NOT_METHOD = lazy_re(r"(?:if|for|while|switch|return|else|catch|throw|new|case|do)\b")
_HEADING = lazy_re(r"#{1,6} \S|<h[1-6]\b")
_DIFF = lazy_re(r"diff --git |Index: |commit [0-9a-f]{7,40}\b")
_SECTION = lazy_re(
    r"\[{1,2}[\w.\"' :/-]{1,80}\]{1,2}\s*$|[=]{3,} .{1,100} [=]{3,}$|<[\w:]+[^>]{0,200}>$"
)
_TEST = lazy_re(r"(?:describe|it|test|context|Scenario|Feature)[ .(:]+[\"'`\w]")
_MARK = lazy_re(r"(?:#|//|\*|--|<!--)?\s*(?:TODO|FIXME|XXX|HACK|BUG|WARNING|IMPORTANT|NOTE)\b")


def depth_of(line: str) -> int | None:
    """The depth of the head a line is (0 outermost), or None for a line that heads nothing."""
    bare = line.lstrip()
    if not bare or len(bare) > LONG:
        return None
    return _depth(line) if len(line) <= LONG else _depth.__wrapped__(line)


@lru_cache(SAME)
def _depth(line: str) -> int | None:
    bare = line.lstrip()
    indent = len(line[: len(line) - len(bare)].expandtabs(4)) // 4
    if _HEADING.match(bare):
        return bare.count("#", 0, 6) - 1 if bare[0] == "#" else 1
    if _DIFF.match(bare):
        return 0
    if _DEFINITION.match(bare) or (_METHOD.match(bare) and not _NOT_METHOD.match(bare)):
        return indent
    if _TEST.match(bare):
        return indent + 1
    return indent + 1 if _SECTION.match(bare) else None


def reduce_text(text: str, limit: int, ref: str, objective: Objective) -> str | None:
    """The outline and both ends of a text within `limit`, with line numbers."""
    lines = split(text)
    if len(lines) < 4 or len(text) > LONG * len(lines):
        return preview(text, limit, ref)
    what = f"text of {len(lines):,} lines, {len(text):,} characters"
    first = number_of(lines[0]) or 1
    if numbers_itself(lines):
        lines = [unnumbered(line) for line in lines]
    return outlined(lines, what, limit, ref, objective, RUNS, first)


def outlined(
    lines: Sequence[str],
    what: str,
    limit: int,
    ref: str,
    objective: Objective,
    mode: str = GAPS,
    first: int = 1,
) -> str:
    """The lines of an outline within `limit` under a line that tells `what` the whole is.

    `first` is the number of the first line.
    """
    heads = [
        (at, depth)
        for at, line in enumerate(lines)
        if line and (depth := depth_of(line)) is not None
    ]
    if heads:
        what += f", {len(heads):,} heads"
    found = candidates(lines, heads, objective, limit)
    numbered = (replace(one, number=one.number + first - 1) for one in found)
    return excerpt(numbered if first > 1 else found, what, limit, ref, mode)


def candidates(
    lines: Sequence[str],
    heads: Sequence[tuple[int, int]],
    objective: Objective,
    limit: int,
) -> Iterator[CandidateLine]:
    """The lines that may be shown, some of them for several reasons."""

    def line(at: int, worth: float) -> CandidateLine:
        return CandidateLine(at + 1, lines[at], worth)

    filled = [at for at, text in enumerate(lines) if text and not text.isspace()]
    head, tail = CODE if len(heads) * CODED > len(filled) else PROSE
    left = limit * head
    for at, text in enumerate(islice(lines, LINES_MOST)):
        left -= len(text) + 1
        if left < 0:
            break
        yield line(at, 92 - 0.0001 * at)
    left = limit * tail
    for at in reversed(filled[-LINES_MOST:]):
        left -= len(lines[at]) + 1
        if left < 0:
            break
        yield line(at, 84 - 0.0001 * (len(lines) - at))
    ranks: dict[int, int] = {}
    for at, depth in heads:
        rank = ranks[depth] = ranks.get(depth, -1) + 1
        if rank < HEADS:
            yield line(at, 76 - 6 * min(depth, 5) - spread(rank) - 0.001 * rank)
        # What stands under a head says what it is about, once all the heads are there.
        if at + 1 < len(lines) and lines[at + 1].strip():
            yield line(at + 1, 36 - 3 * min(depth, 5) - spread(rank))
    yield from _matching(lines, objective)
    for at in filled:
        bare = lines[at].lstrip()
        if bare[0] in MARKED and _MARK.match(bare):
            yield line(at, 56.0)
    for rank, at in enumerate(filled[:SEARCHED]):
        # In code the words of failure are everywhere.
        failing = not heads and severity(lines[at][:200]) == ERROR
        yield line(at, 20 + 36 * failing - 0.0001 * rank)


def _matching(lines: Sequence[str], objective: Objective) -> Iterator[CandidateLine]:
    """The lines that share terms with the objective, those that share most first, and the next."""
    for rank, (score, at) in enumerate(matching(lines, objective, MATCHES)):
        worth = 78 + 3 * min(score, 4) - 1.2 * rank
        yield CandidateLine(at + 1, lines[at], max(worth, 30.0))
        if at + 1 < len(lines):
            yield CandidateLine(at + 2, lines[at + 1], max(worth - 14, 12.0))
