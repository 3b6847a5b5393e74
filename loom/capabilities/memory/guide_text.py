"""A guide's bytes as the lines that count: no comments, no blank ends, whatever the encoding."""

from __future__ import annotations

import re

from msgspec import Struct

from loom.capabilities.plain_file import decoded
from loom.lazy import lazy_re

OPEN, CLOSE = "<!--", "-->"
_FENCE = lazy_re(r" {0,3}(`{3,}(?=[^`]*$)|~{3,})")
# What is code, as far as it is open, and comments. Runs of more than nine backticks are no code
# spans: so a line of runs that nothing ends is read in linear time.
_PIECES = lazy_re(
    r"^ {0,3}(?P<fence>(?P<of>[`~])(?P=of){2,}+)(?:(?<=~)|(?=[^`\n]*$)).*?"
    r"(?:^ {0,3}(?P=fence)(?P=of)*[ \t]*$|\Z)"
    r"|(?<!`)(?P<span>`{1,9}+)(?!`)[^\n]*?(?<!`)(?P=span)(?!`)"
    r"|(?P<comment><!--.*?-->)",
    re.DOTALL | re.MULTILINE,
)
_MARK, _OPEN = "\ud800", "\ud801"  # in no decoded text


class GuideLine(Struct, frozen=True, array_like=True):
    """A line and its number in the file, from 1."""

    number: int
    text: str


def plain(data: bytes) -> tuple[GuideLine, ...]:
    """The lines of a guide; () for one that says nothing.

    What is no text shows as U+FFFD. HTML comments are dropped, with the line when nothing else
    stands on it; one in a code fence or a code span is text, and so is one that never ends. Spaces
    at the ends of lines go, and blank lines at the ends of the file.
    """
    text = decoded(data).replace("\r\n", "\n").replace("\r", "\n")
    if OPEN in text:
        end = text.rfind(CLOSE)
        later = text[end + 1 :].replace(OPEN, _OPEN)  # nothing ends those: no search for an end
        text = _PIECES.sub(_marked, text[: end + 1] + later).replace(_OPEN, OPEN)
    rows = enumerate(text.split("\n"), 1)
    lines = [GuideLine(at, row.replace(_MARK, "").rstrip())
             for at, row in rows if row.strip(_MARK + " \t") or _MARK not in row]  # fmt: skip
    said = [at for at, line in enumerate(lines) if line.text]
    return tuple(lines[said[0] : said[-1] + 1]) if said else ()


def _marked(piece: re.Match[str]) -> str:
    """A mark in each line of a comment; code as it is."""
    return _MARK + f"\n{_MARK}" * piece[0].count("\n") if piece["comment"] else piece[0]


def without_code(text: str) -> str:
    """A text with blanks in the place of its code, line for line: fences, spans, and lines indented
    behind a blank one."""
    text = _PIECES.sub(lambda piece: re.sub(r"[^\n]", " ", piece[0]), text)
    return re.sub(
        r"(?m)(?<=\n\n)(?:(?: {4}|\t).*\n?)+", lambda found: "\n" * found[0].count("\n"), text
    )


def fence_after(fence: str, line: str) -> str:
    """The code fence that is open after a line: its marks, "" for none."""
    found = _FENCE.match(line)
    if not found:
        return fence
    marks = found[1]
    if not fence:
        return marks
    bare = not line[found.end() :].strip()
    return "" if bare and marks[0] == fence[0] and len(marks) >= len(fence) else fence
