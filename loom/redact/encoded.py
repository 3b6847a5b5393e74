"""Texts within a text: what stands there in base64 or in hexadecimal digits, read once."""

from __future__ import annotations

from base64 import b64decode
from binascii import Error, unhexlify
from collections.abc import Iterator

from loom.lazy import lazy_re
from loom.redact.excerpts import Excerpt

_LIKELY = lazy_re(r"[0-9]|[A-Za-z]{16}")  # the runs that are looked at
_BASE64 = lazy_re(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_HEX = lazy_re(r"(?<![A-Za-z0-9])(?:(?:[0-9a-f]{2}){14,}+|(?:[0-9A-F]{2}){14,}+)(?![A-Za-z0-9])")
_WRAPPED = 60  # characters of the shortest line of base64 that goes on in the next
_LINE = lazy_re(
    r"(?<!=)\r?\n[ \t]{0,24}(?P<more>[A-Za-z0-9+/]+={0,2})(?=[ \t]{0,8}(?:[\r\n\"'\\,;)]|$))"
)
_URL_SAFE = str.maketrans("-_", "+/")
_SPACE = lazy_re(r"\s+")
_TEXT = bytes(range(32, 127)) + b"\t\n\r\f\x1b\x00"


def encoded(text: str, long: Excerpt) -> Iterator[tuple[int, int, str]]:
    """(start, end, what it says) of each part of a text, of its long runs, that says another."""
    done = 0
    for match in _BASE64.finditer(long.text):
        run = match[0]
        if not _begins(run):
            continue
        start, end = long.span(*match.span())
        if start < done or not _LIKELY.search(run):
            continue
        if len(run) >= _WRAPPED:
            end = done = _wrapped(text, end)
            run = _SPACE.sub("", text[start:end])
        said = _plain(run)
        if said:
            yield start, end, said
    for match in _HEX.finditer(long.text):
        said = _readable(unhexlify(match[0]))
        if said:
            yield (*long.span(*match.span()), said)


def _begins(run: str) -> bool:
    """True when the beginning of a run of base64 may be that of a text."""
    return bool(_readable(b64decode(run[:16].translate(_URL_SAFE))))


def _wrapped(text: str, end: int) -> int:
    """Where a run of base64 ends that goes on in the lines behind it."""
    while (line := _LINE.match(text, end)) is not None:
        end = line.end()
        if len(line["more"]) < _WRAPPED:
            break
    return end


def _plain(run: str) -> str:
    """The text a run of base64 says; "" when it says none."""
    run = run.rstrip("=").translate(_URL_SAFE)
    run = run[: len(run) - (len(run) % 4 == 1)]
    try:
        return _readable(b64decode(run + "=" * (-len(run) % 4)))
    except (Error, ValueError):
        return ""


def _readable(data: bytes) -> str:
    """Bytes as the text they are; "" for any that are no text."""
    if not data.translate(None, _TEXT):
        return data.decode("ascii")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""
