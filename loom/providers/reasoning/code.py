"""Where the code of an answer is: blocks and spans, after CommonMark 0.31 (§4.4, §4.5, §6.1).

Lines are read once, in order. What a line is by itself (in a fence, indented) is known when it is
read. Whether a run of backticks opens a span is known when a run of the same length has come, or
the paragraph has ended without one; `Runs` keeps what is known, by offset, so nothing is searched
twice. Containers are read leniently: the marks of lists and quotes before a fence are passed over,
and a fence in them ends only at its closing fence.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from loom.lazy import lazy_re

_PLAIN = lazy_re(r" {0,3}[^\W\d_]")  # the beginning of most lines: none of the below
_BLANK = lazy_re(r"[^\S\n]*+(?:\n|$)")
_FENCE = lazy_re(
    r"(?P<lead>(?:[ \t]*+(?:>|(?:[-+*]|\d{1,9}[.)])(?=[ \t])))*+[ \t]*+)"
    r"(?P<run>`{3,}+(?=[^`\n]*+(?:\n|$))|~{3,}+)"
)
_FENCE_END = lazy_re(r"(?P<lead>[ \t>]*+)(?P<run>`{3,}+|~{3,}+)[ \t\r]*+(?:\n|$)")
_ITEM = lazy_re(r" {0,3}(?:[-+*]|\d{1,9}[.)])(?:[ \t]|\n|$)")
_ALONE = lazy_re(  # a heading, a thematic break: blocks of one line
    r" {0,3}(?:\#{1,6}(?:[ \t\r\n]|$)"
    r"|(?:(?:-[ \t]*+){3,}+|(?:\*[ \t]*+){3,}+|(?:_[ \t]*+){3,}+)\r?(?:\n|$))"
)
_UNDERLINE = lazy_re(r" {0,3}(?:=++|-++)[ \t]*+\r?(?:\n|$)")  # makes a paragraph a heading
_QUOTE = lazy_re(r" {0,3}>")
_INDENT = lazy_re(r"[ \t]*+")
_RUN = lazy_re(r"`++")
CODE_INDENT = 4  # columns


class Runs:
    """The offsets of backtick runs of a paragraph, by their length."""

    def __init__(self) -> None:
        self._at: dict[int, list[int]] = {}
        self.noted = 0  # what stands before is in here
        self.ended = False  # the paragraph is, at `noted`

    def clear(self) -> None:
        """Another paragraph begins."""
        self._at.clear()
        self.ended = False

    def note(self, text: str, start: int, end: int, base: int) -> None:
        """Note the runs of `text[start:end]`; its first character has the offset `base`."""
        for run in _RUN.finditer(text, max(start, self.noted - base), end):
            self._at.setdefault(run.end() - run.start(), []).append(base + run.start())
        self.noted = max(self.noted, base + end)

    def after(self, length: int, offset: int) -> int | None:
        """The offset of the first run of that length from `offset` on."""
        found = self._at.get(length, ())
        place = bisect_left(found, offset)
        return found[place] if place < len(found) else None


class Code:
    """Tells which lines of an answer, and which spans of them, are code."""

    def __init__(self) -> None:
        self.runs = Runs()
        self.span = 0  # offset of the end of the code span read last
        self.fence = ""  # the run that opened the fence we are in
        self._paragraph = self._alone = self._listed = False

    def restart(self, offset: int) -> None:
        """A block of reasoning has ended: what follows begins on a line of its own."""
        self._paragraph = self._alone = self._listed = False
        if offset >= self.runs.noted:
            self.runs.clear()

    def hides(self, offset: int) -> bool:
        """True when the beginning of a line stands in code that began before."""
        return bool(self.fence) or offset < self.span

    def opens(self, start: int, end: int) -> bool:
        """Read a run of backticks in the line at hand; False when what follows is to decide."""
        closing = self.runs.after(end - start, end)
        if closing is not None:
            self.span = closing + end - start
        return closing is not None or self.runs.ended

    def ends(self, text: str, start: int, end: int) -> bool:
        """True when the line `text[start:end]` ends the paragraph before it."""
        if self._alone or _PLAIN.match(text, start, end):
            return self._alone
        forms = (_BLANK, _ALONE, _UNDERLINE, _ITEM, _QUOTE)
        if any(form.match(text, start, end) for form in forms):
            return True
        return self._fence(text, start, end) is not None

    def enter(self, text: str, start: int, end: int, base: int, indent: str = "") -> bool:
        """Read the line `text[start:end]`, indented further by `indent`; True when it is code."""
        if self.fence:
            closing = _FENCE_END.match(text, start, end)
            if closing and closing["run"].startswith(self.fence) and self._near(closing["lead"]):
                self.fence = ""
            return True
        over = not self._paragraph or self.ends(text, start, end)
        if base + start >= self.runs.noted:
            self.runs.ended = False
            if over:
                self.runs.clear()
        if not indent and _PLAIN.match(text, start, end):
            self._listed = self._listed and (self._paragraph or text[start] == " ")
            self._paragraph, self._alone = True, False
            self.runs.note(text, start, end, base)
            return False
        if _BLANK.match(text, start, end):
            self._paragraph = self._alone = False
            return True
        fence = self._fence(text, start, end, indent)
        if fence:
            self.fence, self._paragraph, self._alone = fence["run"], False, False
            return True
        columns = _columns(indent + _lead(text, start, end))
        if columns >= CODE_INDENT and not self._paragraph and not self._listed:
            return True
        if _ITEM.match(text, start, end):
            self._listed = True
        elif not columns and not self._paragraph:
            self._listed = False
        alone = _ALONE.match(text, start, end)
        if self._paragraph:
            alone = alone or _UNDERLINE.match(text, start, end)
        self._alone = alone is not None
        self._paragraph = not self._alone
        self.runs.note(text, start, end, base)
        return False

    def _fence(self, text: str, start: int, end: int, indent: str = "") -> re.Match[str] | None:
        """The line's fence; one that is indented as code is counts in lists alone."""
        found = _FENCE.match(text, start, end)
        near = self._listed or _columns(indent + _lead(text, start, end)) < CODE_INDENT
        return found if near else None

    def _near(self, lead: str) -> bool:
        return self._listed or ">" in lead or _columns(lead) < CODE_INDENT


def _lead(text: str, start: int, end: int) -> str:
    found = _INDENT.match(text, start, end)
    return found[0] if found else ""


def _columns(indent: str) -> int:
    return len(indent.expandtabs(CODE_INDENT)) if "\t" in indent else len(indent)
