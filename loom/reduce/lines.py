"""Texts made into lines: cleaned, cut, measured, and searched for what failed.

Every function looks at a bounded slice or passes over its text once.
"""

from __future__ import annotations

import re

FAILURE = 300  # characters of a failure kept in an observation
LINE = 160  # characters of one failing line

_VISIBLE = re.compile(r"\S")
_CONTROL = re.compile(
    r"\x1b\[[0-9;?]*[@-~]|[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_FAILING = re.compile(
    r"error|\bfail(?:ed|ure|s)?\b|exception|traceback|panic|assert|fatal", re.IGNORECASE
)
_TAG = re.compile(r"</?[a-z_]{1,40}>")
_UNITS = ("KB", "MB", "GB", "TB")


def encodable(text: str) -> str:
    """`text` with every lone surrogate replaced by U+FFFD, so that UTF-8 can hold it."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def size_of(text: str) -> int:
    """Size of `text` in UTF-8 bytes; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def untagged(text: str) -> str:
    """`text` without the bare tags some tools wrap their errors in (`<tool_use_error>`)."""
    return _TAG.sub(" ", text)


def cut(text: str, limit: int) -> str:
    """The head of `text`, at most `limit` characters, ending in "…" when something was cut."""
    return text if len(text) <= limit else text[: max(0, limit - 1)] + "…"[:limit]


def cut_front(text: str, limit: int) -> str:
    """The tail of `text`, at most `limit` characters: what tells one path from another."""
    return text if len(text) <= limit else "…" + text[len(text) - limit + 1 :]


def one_line(text: str, limit: int) -> str:
    """The head of `text` as one line: no control characters, single spaces, at most `limit`."""
    first = _VISIBLE.search(text)
    if first is None:
        return ""
    # Spaces and escape sequences shrink; four times the limit is enough for any real line.
    end = first.start() + limit * 4 + 64
    line = " ".join(_CONTROL.sub(" ", text[first.start() : end]).split())
    more = " …" if end < len(text) and len(line) < limit else ""
    return cut(line + more, limit)


def count_lines(text: str) -> int:
    """Number of lines of `text`; a last line without a newline counts."""
    return text.count("\n") + (bool(text) and not text.endswith("\n"))


def counted(number: int, noun: str) -> str:
    """`1 file`, `15 files`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def human(size: int, gap: str = " ") -> str:
    """A size in bytes for people: `523 bytes`, `1.5 KB`, `3 MB` (units of 1,024)."""
    if size < 1024:
        return f"{size} bytes"
    # A size that would round up to 1,024 of a unit is one of the next.
    power = next((p for p in range(1, len(_UNITS)) if size < 1023.95 * 1024**p), len(_UNITS))
    return f"{size / 1024**power:.1f}".removesuffix(".0") + gap + _UNITS[power - 1]


def failing_lines(text: str, most: int = 8) -> list[str]:
    """The first `most` different lines that look like a failure, cleaned, in order."""
    found: dict[str, None] = {}
    position = 0
    while len(found) < most and (hit := _FAILING.search(text, position)):
        start = max(position, text.rfind("\n", position, hit.start()) + 1)
        end = text.find("\n", hit.end())
        end = len(text) if end < 0 else end
        # On an endless line what stands around the word matters, not where the line began.
        if hit.start() - start > LINE:
            start = hit.start() - LINE // 2
        found.setdefault(one_line(text[start : min(end, start + 4 * LINE)], LINE))
        position = end + 1
    return [line for line in found if line]


def last_lines(text: str, most: int = 3) -> list[str]:
    """The last `most` lines of `text` that are not blank, cleaned."""
    lines = [one_line(line, LINE) for line in text[-4096:].splitlines()]
    return [line for line in lines if line][-most:]


def failure_of(text: str, limit: int = FAILURE) -> str:
    """What failed according to `text`, on one line of at most `limit` characters."""
    return cut(" | ".join(failing_lines(text) or last_lines(text)), limit)
