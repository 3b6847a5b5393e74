"""Which lines of a message are pasted: output, logs, quotes, diffs, tracebacks, data.

Who pastes a log says "see this", and lays down nothing that stands in it. Told by the form of the
lines alone; a paragraph is pasted where at least half of its lines look so. Fenced blocks are told
elsewhere, by their fences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache

from loom.lazy import lazy_re
from loom.reduce.phrases import BULLET

WIDTH = 400  # characters of a line that are looked at
TYPED = 2  # lines behind it, at the end of a message, that are no part of what was pasted
SHARE = 0.5  # of the lines of a paragraph, without the line that leads it in
OWN = 2_000  # characters of a message that is all its author's own (judgement)
HEIGHT, LONG = 12, 1_200  # lines and characters over which no paragraph was typed
LINE = 500  # characters of a first or a last line that was typed
FENCE = lazy_re(r"\s{0,8}(?:```|~~~)")

_QUOTE = lazy_re(r"\s{0,3}>(?![=>])")
_TRACE = lazy_re(
    r"\s*(?:Traceback \(most recent call last\):|panic: |goroutine \d+ \[|Exception in thread )"
)
_DIFF = lazy_re(r"(?:diff --git |index [0-9a-f]{7,}\.\.|@@ -\d|--- (?:a/|/)|\+\+\+ (?:b/|/))")
_CODE = lazy_re(r"[{};]\s*$|:=|==|//|=>|->|\w\(.*\)|^[+-]\s*(?:def|func|class|return|import)\b")
# What programs write at the head of a line.
_OUTPUT = lazy_re(
    r"\s*(?:"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[\d+/\d+\]"
    r"|\[?(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\]?[ :]"
    r"|level=\w+|time=\"|npm (?:ERR!|WARN)|error(?:\[\w+\]|:)|warning:"
    r"|(?:--- |=== )(?:FAIL|PASS|SKIP|RUN|PAUSE|CONT|NAME)\b|(?:FAIL|PASS|FAILED|PASSED)\s*$"
    r"|(?:ok|FAIL|FAILED|PASSED)\s+\S+[./:]\S"
    r"|(?:[\w.@~-]+/)*[\w.-]+\.\w{1,5}:\d+:(?:\d+:?|"
    r" (?:error|warning|fatal|undefined|\w+Error|[A-Z]\d{3,4})\b)(?:\s|$)"
    r"|File \"[^\"]+\", line \d+|at (?:async |new )?[^\s(]+ ?\([^()\s]*:\d+\)"
    r"|\d{1,6}(?:\||→|\t)|[$%] \S|[\w.-]+@[\w.-]+:\S* ?[$#] "
    r"|[{}\[\]],?\s*$|[\[{]\s*\"|\"[\w$ -]+\": |[│├└┌╭╰┃━─✓✗✘●⎿⏺]"
    r"|Error Trace:|expected\s*:|actual\s*:|[-dlrwxs]{10}[@+.]? |\w*(?:Error|Exception): "
    r")"
)


def pasted(text: str) -> frozenset[int]:
    """The numbers of the lines that are pasted, counted from 1."""
    lines = [line[:WIDTH] for line in text.split("\n")]
    found: set[int] = set()
    parts = list(paragraphs(lines))
    for start, end in parts:
        found |= _of_paragraph(lines, start, end, TYPED * (end == parts[-1][1]))
    return frozenset(at + 1 for at in found | _indented(lines, found) | _traced(lines))


@lru_cache(maxsize=8)  # a text is cut at one limit after another
def own_words(text: str, most: int = OWN) -> tuple[tuple[int, int], ...]:
    """The lines a message's author typed around what was pasted: ranges of first and last lines,
    counted from 1, in their order.

    A question stands before a paste or behind it: its first and last paragraph, where it looks
    typed, else its first and last line.
    """
    lines = text.split("\n")
    if len(text) <= most:
        return ((1, len(lines)),)
    parts = list(paragraphs(lines))
    ends = [(parts[0], parts[0][0]), (parts[-1], parts[-1][1] - 1)] if parts else []
    found = {}
    for (start, end), line in ends:
        part = lines[start:end]
        if len(part) <= HEIGHT and sum(map(len, part)) <= min(LONG, most // 2) and _typed(part):
            found[start + 1, end] = None
        elif len(lines[line]) <= min(LINE, most // 2):
            found[line + 1, line + 1] = None
    return tuple(found)


def _typed(part: Sequence[str]) -> bool:
    """True for a paragraph in the form of what somebody types."""
    if any(FENCE.match(line) for line in part) or pasted("\n".join(part)):
        return False
    return not any(line[:1].isspace() for line in part) or bool(BULLET.match(part[0].lstrip()))


def paragraphs(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Runs of lines without a blank one: first place, and the one behind the last."""
    start = -1
    for at, line in enumerate((*lines, "")):
        if line.strip() and start < 0:
            start = at
        elif not line.strip() and start >= 0:
            yield start, at
            start = -1


def _of_paragraph(lines: Sequence[str], start: int, end: int, typed: int) -> set[int]:
    """The pasted lines of one paragraph: its quotes, or all of it but the words that lead it in.

    So many lines at its end may be `typed`: those that look like nothing a program writes.
    """
    quotes = {at for at in range(start, end) if _QUOTE.match(lines[at])}
    diff = any(_DIFF.match(lines[at]) for at in range(start, end))
    looks = [at for at in range(start, end) if _looks(lines[at], diff)]
    if not looks:
        return quotes
    first = looks[0]
    if len(looks) < max(SHARE * (end - first), 1):
        return quotes
    for _ in range(typed):
        end -= looks[-1] < end - 1 and not lines[end - 1][:1].isspace()
    alone = len(looks) == 1 and end - first == 1 and not _OUTPUT.match(lines[first])
    return quotes if alone else quotes | set(range(first, end))


def _looks(line: str, diff: bool) -> bool:
    """True for a line in the form of output, of a diff, or of a pasted change."""
    if _OUTPUT.match(line) or _DIFF.match(line):
        return True
    item = line.startswith("- ")
    return line[:1] in ("+", "-") and (diff or (not item and bool(_CODE.search(line))))


def _indented(lines: Sequence[str], known: set[int]) -> set[int]:
    """Blocks set in by four places or a tab behind a blank or a pasted line, under no item of a
    list; in a message that is not set in as a whole."""
    deep = [at for at, line in enumerate(lines) if line.strip() and _depth(line) >= 4]
    flat = sum(1 for line in lines if line.strip() and _depth(line) < 4)
    if not deep or flat == 0:
        return set()
    found: set[int] = set()
    listed = False
    for at, line in enumerate(lines):
        if not line.strip():
            continue
        if _depth(line) < 4:
            listed = bool(BULLET.match(line.lstrip()))
        elif not listed and at and _opens(lines, at, known | found):
            found.add(at)
    return found


def _opens(lines: Sequence[str], at: int, known: set[int]) -> bool:
    """True where the line before lets an indented one be pasted."""
    return not lines[at - 1].strip() or at - 1 in known


def _depth(line: str) -> int:
    wide = line.expandtabs(4)
    return len(wide) - len(wide.lstrip())


def _traced(lines: Sequence[str]) -> set[int]:
    """A traceback: from its first line to the one that names the error."""
    found: set[int] = set()
    inside = False
    for at, line in enumerate(lines):
        if _TRACE.match(line):
            inside = True
        elif inside and line.strip() and not line[:1].isspace():
            found.add(at)
            inside = False
        if inside:
            found.add(at)
    return found
