"""Shortened texts that say what they leave out and where the whole is.

JSON stays valid JSON; other text keeps whole lines of its head and tail around one marker line. A
text within its limit is returned as it is, so each function is idempotent on its own output."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, TypeAlias

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.arguments import parse_json
from loom.reduce.clauses import last_clause_end, next_sentence_start
from loom.reduce.json_budget import (
    compact_json,
    count_label,
    head_within,
    in_brackets,
    json_string,
    json_within,
)
from loom.text import clip_text, utf8_size

MARKED = r"… [\d,]+ of [\d,]+ bytes(?: \(lines=\d+-\d+\))? rest in "  # the words of `marker_words`
# Pages that hold more than the text: a line of the one is not that of the other.
_OF_A_STEP = lazy_re(r"(?:^|/)(?:step|reply)_\d")
SMALL = 80  # characters of a list or object that stays among shortened arguments

# Shares of the limit for head and tail, in percent.
PREVIEW = (70, 30)
SNIP = (60, 25)
BOM = "\ufeff"  # before the JSON that some programs write


def preview(text: str, limit: int, ref: str, goal: str = "") -> str:
    """Return `text` shortened to at most `limit` characters, with a note of what is left out. JSON
    becomes smaller JSON, with the members that `goal` mentions. `ref` is the page with the whole
    text."""
    return shorten(text, limit, ref, PREVIEW, goal=goal)


def minimal_arguments(arguments: str, limit: int = 400, ref: str = "") -> str:
    """Return the arguments of a call shortened to a JSON object of at most `limit` characters.
    Arguments that are not a JSON object become `{"_raw": beginning of the text}`, or `{}` if blank.
    `ref` is the page with the whole."""
    value = parse_json(arguments)
    if isinstance(value, dict):
        if len(arguments) <= limit:
            return arguments
        return _shorten_object(value, limit, f"… the whole rests in {ref}" if ref else "")
    if not arguments.strip():
        return "{}"
    return _raw_arguments(arguments, limit, ref)


def preview_spoken(text: str, limit: int, ref: str) -> str:
    """Return spoken text shortened to at most `limit` characters, cut only after a sentence or
    clause. `ref` is the page with the whole text."""
    return shorten(text, limit, ref, PREVIEW, spoken=True)


def marker_words(omitted: int, size: int, ref: str, lines: tuple[int, int] | None = None) -> str:
    """Return the note that replaces text left out: `… 900 of 1,000 bytes (lines=5-80) rest in REF`.
    `omitted` and `size` are in bytes. `lines` are the first and last line left out."""
    where = f"rest in {ref}" if ref else "left out"
    which = f" (lines={lines[0]}-{lines[1]})" if lines else ""
    return f"… {max(0, omitted):,} of {size:,} bytes{which} {where}"


def split_at_marker(shown: str, ref: str) -> tuple[str, str]:
    """Return (text before, text after) the note line in `shown` that names `ref`; ("", shown) for
    no such line."""
    found = re.search(rf"\n{MARKED}{re.escape(ref)}\n", shown)
    return (shown[: found.start()], shown[found.end() :]) if found else ("", shown)


def marker_line(
    first: str, last: str, size: int, ref: str, lines: tuple[int, int] | None = None
) -> str:
    """Return the note that replaces the middle of a text, with a newline on both sides. `first` and
    `last` are the shown beginning and end of the text, `size` its bytes, `ref` the page with the
    whole text, `lines` the first and last line left out."""
    return f"\n{marker_words(size - utf8_size(first) - utf8_size(last), size, ref, lines)}\n"


def head_of_preview(text: str, limit: int) -> str:
    """Return the beginning of `text`, in whole lines, in a preview of `limit` characters."""
    return _head_lines(text, limit * PREVIEW[0] // sum(PREVIEW))


def shorten(
    text: str, limit: int, ref: str, shares: tuple[int, int], spoken: bool = False, goal: str = ""
) -> str:
    """Return `text` in at most `limit` characters: JSON as smaller JSON, with the members that
    `goal` mentions, any other text as its beginning and end. `shares` are the sizes of beginning
    and end, in percent of the limit. `ref` is the page with the whole text. If `spoken` is True,
    the text is cut between clauses."""
    from loom.reduce.named_members import pick_named

    if len(text) <= limit:
        return text
    value = parse_json(text.removeprefix(BOM))
    if value is not None:
        value = pick_named(value, goal)
        return _shorten_json(value, utf8_size(text), limit * sum(shares) // 100, ref)
    return _shorten_text(text, limit, ref, shares, spoken)


def _shorten_json(value: dict[str, Any] | list[Any], size: int, limit: int, ref: str) -> str:
    """Return a value as JSON of at most `limit` characters, with a note as its last member or item.
    `size` is the bytes of the original, `ref` the page with the original."""
    # The marker is inside what it measures: written once at its widest, then made true.
    widest = marker_words(size, size, ref)
    room = len(json_string(widest)) + 8
    if room > limit:
        widest = head_within(widest, limit - 10)
        return _container_within(value, limit, widest)[:limit]
    written = _container_within(value, limit, widest)
    shown = utf8_size(written) - utf8_size(json_string(widest))
    true = marker_words(size - shown, size, ref)
    before, _, after = written.rpartition(json_string(widest))
    return before + json_string(true) + after


def _shorten_text(text: str, limit: int, ref: str, shares: tuple[int, int], spoken: bool) -> str:
    """Return the beginning and end of `text` in whole lines, with a note between them. `shares` are
    the sizes of beginning and end, in percent of `limit`."""
    size = utf8_size(text)
    ends = text.count("\n") + 1
    numbered = bool(ref) and not _OF_A_STEP.search(ref)
    all_lines = (ends, ends) if numbered else None
    widest = len(marker_words(size, size, ref, all_lines)) + 2
    room = limit - widest
    if room <= 0:
        return clip_text(marker_words(size, size, ref), limit)
    room = min(room, limit * sum(shares) // 100)
    first = _head_lines(text, room * shares[0] // sum(shares), spoken)
    last = tail_lines(text, room * shares[1] // sum(shares), spoken)
    lines = _omitted_lines(text, len(first), len(text) - len(last)) if numbered else None
    return first + marker_line(first, last, size, ref, lines) + last


def _omitted_lines(text: str, start: int, end: int) -> tuple[int, int]:
    """Return (first, last): the numbers of the first and last line not shown whole. `start` and
    `end` are the indexes between which `text` is not shown."""
    first = text.count("\n", 0, start) + 1 + (text[start : start + 1] == "\n")
    last = text.count("\n", 0, end) + (text[end - 1 : end] != "\n")
    return first, max(first, last)


def _head_lines(text: str, room: int, spoken: bool = False) -> str:
    """Return the beginning of `text`, at most `room` characters, in whole lines. With `spoken`
    True, a line that is too long is cut after a clause."""
    end = text.rfind("\n", room // 2, room + 1)
    if end < 0 and spoken:
        end = last_clause_end(text, room)
    return text[: end if end >= 0 else room]


def tail_lines(text: str, room: int, spoken: bool = False) -> str:
    """Return the end of `text`, at most `room` characters, in whole lines. With `spoken` True, a
    line that is too long is cut before a sentence."""
    start = len(text) - max(0, room)
    line = text.find("\n", max(0, start - 1), start + room // 2)
    if line < 0 and spoken:
        return text[next_sentence_start(text, start) :]
    return text[line + 1 if line >= 0 else start :]


def _shorten_object(members: dict[str, Any], limit: int, note: str) -> str:
    """Return the arguments of a call as JSON of at most `limit` characters, with `note` as the last
    member."""
    kept = {
        key: count_label(value)
        if isinstance(value, dict | list) and len(compact_json(value) or " " * SMALL) >= SMALL
        else value
        for key, value in members.items()
    }
    return _container_within(kept, limit, note)


def _container_within(value: dict[str, Any] | list[Any], limit: int, marker: str) -> str:
    """Return an object or list as JSON of at most `limit` characters, with `marker` as the last
    member or item; `{}` or `[]` if the limit is too small."""
    written = json_within(value, limit, marker)
    if written is None or len(written) > limit or written[0] == '"':
        return in_brackets(value, "")[:limit]
    return written


def _raw_arguments(arguments: str, limit: int, ref: str) -> str:
    """Return arguments that are not a JSON object as `{"_raw": beginning of their text}`."""
    frame = len('{"_raw":}')
    whole = json_string(arguments) if len(arguments) <= limit else ""
    if whole and len(whole) + frame <= limit:
        return f'{{"_raw":{whole}}}'
    where = f", the whole rests in {ref}" if ref else ""
    note = f"… ({len(arguments):,} chars{where})"
    if len(json_string(note)) + frame > limit:
        note = "…"
    room = limit - frame - (len(json_string(note)) - 2)
    return f'{{"_raw":{json_string(head_within(arguments, room) + note)}}}'


Shorten: TypeAlias = Callable[
    [str, int, str], str
]  # (text, characters, page) → what is shown of it


class Shortening(Struct, frozen=True):
    """A callable that shortens a large result. A text keeps its beginning and end; JSON keeps the
    members that `objective()` mentions.

    A result of more than `above` characters is always shortened. If `above` is 0, a result is
    shortened only if it is larger than the tokens free for it. `summary` is a summary of the result
    by the host's model ("" for none); the summary is shown if it fits."""

    above: int = 0
    objective: Callable[[], str] = str
    summary: str = ""

    def __call__(self, text: str, limit: int, page: str) -> str:
        """Return `text` shortened to at most `limit` characters. `page` is the name of the page
        with the whole text."""
        if self.summary and len(text) > limit:
            whole = f"{self.summary}\n[the whole rests in {page}]"
            if len(whole) <= limit:
                return whole
        return preview(text, limit, page, self.objective())


TO_ITS_ENDS = Shortening()
