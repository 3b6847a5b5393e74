"""Which lines of a message are pasted: output, logs, quotes, diffs, tracebacks, data.

Who pastes a log says "see this", and lays down nothing that stands in it. Told by the form of the
lines alone; a paragraph is pasted where at least half of its lines look so. Fenced blocks are told
elsewhere, by their fences.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.lazy import lazy_re
from loom.reduce.phrases import BULLET

WIDTH = 400  # characters of a line that are looked at
TYPED = 2  # lines behind it, at the end of a message, that are no part of what was pasted
SHARE = 0.5  # of the lines of a paragraph, without the line that leads it in

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
