"""Private keys in their armour: PEM and OpenSSH, PGP, PuTTY; of any length, with any text around.

A key is found by its first or last line ("-----BEGIN … PRIVATE KEY-----"). Its body is the base64
that follows, whatever each line begins with: a diff's sign, a number, a file's name. If the last
line is missing, whatever looks like a body is taken; so is the end of a key whose first line is
missing."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from loom.lazy import lazy_re
from loom.redact.likely_secrets import strange_share

_NAME = "(?:[A-Z0-9 ]{0,24}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----"
_BEGIN = lazy_re(f"-----BEGIN {_NAME}|---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----")
_ANY = lazy_re("-----BEGIN ")
_END = lazy_re(f"-----END {_NAME}|---- END SSH2 ENCRYPTED PRIVATE KEY ----")
_LINES = lazy_re(r"Private-Lines: ?\d+")
_RUN = lazy_re(r"[A-Za-z0-9+/]{16,}+={0,2}")
_GAP = 160  # characters between two runs of one key: a line's end, and how the next begins
_HEADED = 400  # before the first: headers of an encrypted key, or of PGP
_TAIL = 120  # from the last run to the line that ends the key
_LEAST = 24  # characters of a body
_ODD = 0.2  # share of strange neighbours that base64 has at least, and no path or name


def private_key_spans(text: str) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each private key in the text, found by its first line ("-----BEGIN …
    PRIVATE KEY-----") or its last line."""
    if not any(map(text.__contains__, ("PRIVATE KEY", "Private-Lines", "Static key"))):
        return
    done = 0
    begins = [begin.start() for begin in _ANY.finditer(text)]
    for begin in _BEGIN.finditer(text):
        if begin.start() >= done:
            after = bisect_left(begins, begin.end())
            end = _key_end(text, begin.end(), begins[after] if after < len(begins) else len(text))
            if end:
                yield begin.start(), end
                done = end
    ends = 0
    for last in _END.finditer(text):
        if last.start() >= done or not _is_within_key(text, begins, last.start()):
            start = _body_start(text, last.start(), ends)
            if start < last.start():
                yield start, last.end()
        ends = last.end()
    for lines in _LINES.finditer(text):
        stop = _key_end(text, lines.end(), len(text))
        if stop:
            yield lines.end(), stop


def _is_within_key(text: str, begins: list[int], at: int) -> bool:
    """Return True if position `at` is between a key's first line and its last line. `begins` are
    the positions of all first lines."""
    before = bisect_left(begins, at)
    return before > 0 and text.find("-----END ", begins[before - 1], at) < 0


def _key_end(text: str, at: int, limit: int) -> int:
    """Return the position, at most `limit`, where a key ends whose first line ends at position
    `at`. Return 0 if no key's content follows."""
    stop = at
    gap = _HEADED
    while (run := _RUN.search(text, stop, min(stop + gap + 4_096, limit))) is not None:
        between = text[stop : run.start()]
        if len(between) > gap or "-----END" in between:
            break
        if strange_share(run[0]) < _ODD:
            break
        stop, gap = run.end(), _GAP
    end = _END.search(text, stop, min(stop + (_TAIL if stop > at else _HEADED), limit))
    if end is not None:
        inner = text[at : end.start()]
        return end.end() if stop > at or _is_short_body(inner) else 0
    return stop if stop - at >= _LEAST else 0


def _is_short_body(inner: str) -> bool:
    """Return True if `inner`, the text between a key's first and last line, may be a key that
    somebody shortened by hand."""
    return len(inner.strip("\n")) > 2 and not re.search(r"[\"'`()*.%{}<>\\]", inner)


def _body_start(text: str, at: int, least: int) -> int:
    """Return the position, at least `least`, where the content of a key begins whose last line
    begins at position `at`. Return `at` if no content precedes it."""
    start = at
    while start > least:
        line = max(text.rfind("\n", least, start - 1) + 1, least) if start > 1 else least
        held = text[line:start].rstrip()
        run = re.search(r"[A-Za-z0-9+/]{4,}={0,2}$", held[-200:])
        if run is None or (len(run[0]) < 40 and start != at and start - line < len(run[0])):
            break
        if len(run[0]) < 40 and text[start:at].strip():
            break
        if strange_share(run[0]) < _ODD or line == start:
            break
        start = line + len(held) - len(run[0]) if line == least else line
        if line == least:
            break
    return start
