"""Which lines of a message are pasted: output, logs, quotes, diffs, tracebacks, data.

A user who pastes a log says "see this": no line of it is a rule. Lines are told by their form
alone; a paragraph is pasted where at least half of its lines look so. Fenced blocks are found
elsewhere, by their fences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from loom.lazy import lazy_re
from loom.reduce.clauses import BULLET

WIDTH = 400  # characters of a line that are looked at
TYPED = 2  # lines behind it, at the end of a message, that are no part of what was pasted
SHARE = 0.5  # of the lines of a paragraph, without the line that leads it in
FENCE = lazy_re(r"\s{0,8}(?:```|~~~)")

_QUOTE = lazy_re(r"\s{0,3}>(?![=>])")
_DIFF = lazy_re(r"(?:diff --git |index [0-9a-f]{7,}\.\.|@@ -\d|--- (?:a/|/)|\+\+\+ (?:b/|/))")
_CODE = lazy_re(r"[{};]\s*$|:=|==|//|=>|->|\w\(.*\)|^[+-]\s*(?:def|func|class|return|import)\b")
# What programs write at the head of a line.
_OUTPUT = lazy_re(
    r"\s*(?:"
    r"Traceback \(most recent call last\):|panic: |goroutine \d+ \[|Exception in thread "
    r"|\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d|\[?\d\d:\d\d:\d\d\b|\[\d+/\d+\]"
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


def pasted_line_numbers(text: str) -> frozenset[int]:
    """Return the numbers, from 1, of the lines in a message that look pasted, such as output."""
    lines = [line[:WIDTH] for line in text.split("\n")]
    parts = list(paragraph_ranges(lines))
    deep = any(not _is_indented(line) for line in lines if line.strip())  # not set in as a whole
    found: set[int] = set()
    for start, end in parts:
        found |= _pasted_in_paragraph(lines, start, end, TYPED * (end == parts[-1][1]), deep)
    return frozenset(at + 1 for at in found)


def paragraph_ranges(lines: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield (start, end) for each run of lines that are not blank. Both are indexes from 0; `end`
    is exclusive."""
    start = -1
    for at, line in enumerate((*lines, "")):
        if line.strip() and start < 0:
            start = at
        elif not line.strip() and start >= 0:
            yield start, at
            start = -1


def _pasted_in_paragraph(
    lines: Sequence[str], start: int, end: int, typed: int, deep: bool
) -> set[int]:
    """Return the indexes of the pasted lines in the paragraph from `start` to `end` (exclusive). Of
    the last `typed` lines only lines that look pasted count. With `deep` True, indented lines
    outside a list also look pasted."""
    quotes = {at for at in range(start, end) if _QUOTE.match(lines[at])}
    diff = any(_DIFF.match(lines[at]) for at in range(start, end))
    deep = deep and not BULLET.match(lines[start].lstrip())
    looks = [
        at
        for at in range(start, end)
        if _looks_pasted(lines[at], diff) or (deep and _is_indented(lines[at]))
    ]
    if not looks or len(looks) < max(SHARE * (end - looks[0]), 1):
        return quotes
    for _ in range(typed):
        end -= looks[-1] < end - 1 and not lines[end - 1][:1].isspace()
    return quotes | set(range(looks[0], end))


def _looks_pasted(line: str, diff: bool) -> bool:
    """Return True for a line that looks like program output or part of a diff. `diff` is True if
    the paragraph has a diff header."""
    if _OUTPUT.match(line) or _DIFF.match(line):
        return True
    item = line.startswith("- ")
    return line[:1] in ("+", "-") and (diff or (not item and bool(_CODE.search(line))))


def _is_indented(line: str) -> bool:
    """Return True for a line that begins with four blanks or a tab."""
    return line.startswith(("    ", "\t"))
