r"""Looking into a page: by lines, by pattern, by JSON pointer. Pure functions over text.

A line ends at "\n" and nowhere else; `by_lines` keeps the line ends, so neighbouring slices joined
give the page back. Line numbers count from 1.

`Pattern` searches for a regular expression that a model wrote in bounded time and memory. RE2
matches it: RE2 never backtracks, so the time is linear in the line whatever the pattern is. A text
that keeps RE2 from building its automaton still costs some nanoseconds for every character and
instruction of the program, so these are metered: after `_WORK` of them, the other lines are
searched for the pattern as a literal text. A pattern that is no regular expression is always
searched for literally. `note` says both."""

from __future__ import annotations

import json
import re
from typing import Any

import msgspec
import re2

from loom_paging.errors import BadInput

_LONGEST = 10_000  # characters; with millions RE2 writes to stderr, whatever its options say
_MEMORY = 1 << 20  # bytes of a program and, at most once more each way, of its automaton
_WORK = 5 * 10**8  # characters × instructions of one search: 2 to 4 s at worst, mostly 0.02
_NONE = re.compile(r"invalid (?:perl operator|escape sequence: \\[1-9])")
_ASCII = re.compile(r"\\[wWdDsSbB]")


class Pattern:
    r"""A search pattern: a regular expression where possible, else a literal text. `note` says why
    it is literal; "" for a regular expression.

    A pattern without a capital letter ignores case (`\W` is no capital). Raises BadInput for what
    RE2 lacks: look-around, back-references, atomic groups."""

    def __init__(self, text: str) -> None:
        self.text, self.note, self.work = text, "", 0
        self._fold = not any(char.isupper() for char in re.sub(r"(?s)\\.", "", text))
        self._regexp = self._compile()

    def _compile(self) -> re2._Regexp | None:
        """Return the compiled pattern; None, with the reason in `note`, for a literal text."""
        options = re2.Options()
        options.log_errors = False
        options.never_capture = True
        options.max_mem = _MEMORY
        options.case_sensitive = not self._fold
        why = "it is too long"
        if len(self.text) <= _LONGEST:
            try:
                return re2.compile(self.text, options)
            except UnicodeEncodeError:
                why = "it holds half a character"
            except re2.error as error:
                why = error.args[0].decode(errors="replace")
        if _NONE.match(why):
            raise BadInput(
                f"{why}: there is no look-around, back-reference or atomic group; write the "
                "pattern without, or a backslash before what is meant as it stands"
            )
        self.note = f"the pattern was matched literally, because {why:.100}"
        return None

    def ascii_note(self, text: str) -> str:
        r"""Return a warning when the pattern has a class such as `\w`, which matches only ASCII,
        while the `text` has other characters too; "" otherwise."""
        if self._regexp is None or text.isascii() or not _ASCII.search(self.text):
            return ""
        return r"\w, \d, \s and \b know ASCII alone; \pL is any letter, \pN any digit"

    def find(self, line: str) -> int | None:
        """Return the index in `line` at which the first match begins. None means no match."""
        line = line.removesuffix("\r")
        if self._regexp is not None:
            self.work += len(line) * self._regexp.programsize
            if self.work > _WORK:
                self._regexp = None
                self.note = "the pattern proved too costly; part of the page was matched literally"
        if self._regexp is None:
            at = line.lower().find(self.text.lower()) if self._fold else line.find(self.text)
            return at if at >= 0 else None
        # RE2 reads UTF-8, and a lone surrogate has none.
        match = self._regexp.search(line.encode(errors="replace").decode())
        return match.start() if match else None


LONG_LINE = 2_000  # characters of a line that are searched
_SHOWN = 400  # characters of a long line that are shown
_KEYS = 20  # keys named when a pointer leads nowhere
_LINES = re.compile(r"\s*(?:([0-9]{1,18})\s*(-)?\s*([0-9]{1,18})?|-\s*([0-9]{1,18}))\s*")
_INDEX = re.compile(r"0|[1-9][0-9]{0,17}")


class Slice(msgspec.Struct, frozen=True):
    r"""A part of a page. `text` is what is shown; `first` and `last` are the numbers of the first
    and last line shown.

    `first` and `last` are 0 when nothing is shown, or when a JSON pointer chose the part.
    `total` is the number of lines of the page, `matches` the number of lines with a match.
    `note` says what differs from the request and what else to know about the page; "" for nothing.

        >>> with loom.open("memory://slice") as ctx:
        ...     name = ctx.user("Build it.\nTest it.")
        >>> loom.read("memory://slice").page_in(name, lines="2").text
        'Test it.'"""

    text: str
    first: int
    last: int
    total: int
    matches: int = 0
    note: str = ""


def split_lines(text: str) -> list[str]:
    r"""Return the lines of a text. Each line keeps its "\n", so the joined lines are the text."""
    lines = text.split("\n")
    return [line + "\n" for line in lines[:-1]] + lines[-1:] * bool(lines[-1])


def whole_slice(text: str) -> Slice:
    """Return a Slice that shows the whole text."""
    total = text.count("\n") + (not text.endswith("\n") and bool(text))
    return Slice(text, min(1, total), total, total)


def by_lines(text: str, spec: str) -> Slice:
    """Return a Slice with a range of lines. `spec` is "10-40", "40", "10-" (to the end) or "-20"
    (the last twenty). A range that reaches beyond the page is cut to the page. Raises BadInput for
    any other `spec`, and when the first number is the larger one."""
    lines = split_lines(text)
    total = len(lines)
    first, last = _line_range(spec, total)
    if first > last:
        raise BadInput(f"lines {spec!r} run backwards; write the smaller number first: '10-40'")
    shown = min(max(first, 1), total), min(max(last, 1), total)
    note = "" if shown == (first, last) else f"the page has {total} lines, not {first}-{last}"
    return Slice("".join(lines[max(shown[0] - 1, 0) : shown[1]]), *shown, total, note=note)


def _line_range(spec: str, total: int) -> tuple[int, int]:
    """Return (first line, last line) for a range such as "10-40" of a page with `total` lines; the
    numbers may lie outside the page. Raises BadInput for a text that is no range."""
    match = _LINES.fullmatch(spec)
    if match is None:
        raise BadInput(f"lines {spec!r:.80} is no range; write '10-40', '40', '10-' or '-20'")
    start, dash, stop, tail = match.groups()
    if tail is not None:
        # No page has a line 0, and the last lines of a short page are all of it.
        return max(total - int(tail) + 1, 1), max(total, 1)
    if dash is None and stop is not None:
        raise BadInput(f"lines {spec!r} is no range; write a dash between: '10-40'")
    first = int(start)
    return first, int(stop) if stop else max(first, total) if dash else first


def by_grep(text: str, pattern: str, context: int = 2, limit: int = 50) -> Slice:
    """Search a page for a regular expression. Return a Slice with the matching lines and `context`
    lines around each, all with line numbers.

    Matching lines read `12:text`, context lines `11-text`; `--` stands between groups. At most
    `limit` matches are shown; all are counted. Raises BadInput for an empty pattern, and for
    look-around."""
    if not pattern:
        raise BadInput("the pattern is empty; give a word or a regular expression to look for")
    search, lines = Pattern(pattern), text.split("\n")
    total = len(lines) - (lines[-1] == "")
    # By the index of each line that matches, where in it the hit begins.
    found = ((number, search.find(line[:LONG_LINE])) for number, line in enumerate(lines[:total]))
    hits = {number: at for number, at in found if at is not None}
    wanted = sorted(hits)[: max(limit, 1)]
    around = range(-max(context, 0), max(context, 0) + 1)
    near = {number + more for number in wanted for more in around}
    numbers = sorted(number for number in near if 0 <= number < total)
    shown: list[str] = []
    for before, number in zip([None, *numbers], numbers, strict=False):
        if before is not None and number > before + 1:
            shown.append("--")
        mark = ":" if number in hits else "-"
        shown.append(f"{number + 1}{mark}{_cut_line(lines[number], hits.get(number, 0))}")
    long = any(len(line) > LONG_LINE for line in lines)
    more = len(hits) > len(wanted)
    notes = (
        search.note,
        search.ascii_note(text),
        "" if hits else "no line matches",
        f"the first {len(wanted)} of {len(hits)} matching lines are shown" if more else "",
        f"of longer lines only the first {LONG_LINE} characters were searched" if long else "",
    )
    ends = (numbers[0] + 1, numbers[-1] + 1) if numbers else (0, 0)
    return Slice("\n".join(shown), *ends, total, len(hits), "; ".join(filter(None, notes)))


def _cut_line(line: str, at: int) -> str:
    """Return a line for display: over 2,000 characters it is cut to 400 around index `at`."""
    line = line.removesuffix("\r")
    if len(line) <= LONG_LINE:
        return line
    start = min(max(at - _SHOWN // 2, 0), len(line) - _SHOWN)
    left, right = "…" * bool(start), "…" * (start + _SHOWN < len(line))
    return f"{left}{line[start : start + _SHOWN]}{right} ({len(line)} characters)"


def by_pointer(text: str, pointer: str) -> Slice:
    """Return a Slice with the value at an RFC 6901 JSON pointer, as indented JSON. Raises BadInput
    when the page is not JSON, when the pointer is malformed, or when it leads nowhere."""
    if (pointer and not pointer.startswith("/")) or re.search("~(?![01])", pointer):
        raise BadInput(f"{pointer!r:.80} is no JSON pointer; write '/files/0/key' ('~1' means '/')")
    try:
        value = json.loads(text)
        at = ""
        for part in pointer.split("/")[1:]:
            value = _step_into(value, part.replace("~1", "/").replace("~0", "~"), at)
            at += "/" + part
        shown = json.dumps(value, indent=2, ensure_ascii=False)
    except (ValueError, RecursionError) as error:
        why = f"the page is not JSON ({error})"
        raise BadInput(f"{why}; look at it by lines or by pattern instead") from None
    return Slice(shown, 0, 0, whole_slice(text).total)


def _step_into(value: Any, key: str, at: str) -> Any:
    """Return the member `key` of a JSON object or array. Raises BadInput when there is none; `at`
    is the pointer to `value`, for the message."""
    place = at or "the top"
    if isinstance(value, dict):
        if key in value:
            return value[key]
        names = ", ".join(map(repr, list(value)[:_KEYS])) or "none"
        more = f" and {len(value) - _KEYS} more" if len(value) > _KEYS else ""
        raise BadInput(f"there is no key {key!r} at {place}; the keys there are: {names}{more}")
    if isinstance(value, list):
        if _INDEX.fullmatch(key) and int(key) < len(value):
            return value[int(key)]
        span = f"0 to {len(value) - 1}" if value else "none, it is empty"
        raise BadInput(f"there is no index {key!r} in the array at {place}; there are: {span}")
    kind = type(value).__name__
    raise BadInput(f"{place} holds a plain value ({kind}), which has no {key!r}; point at {at!r}")
