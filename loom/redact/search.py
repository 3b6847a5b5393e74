"""Where the secrets of a text stand: as it is written, as it is shown, and in what it encodes.

A text is searched as it is written, with the usual escapes (`\\n`, `\\"`) read in place. Where it
holds others, or sequences of a terminal, it is searched as it is shown too (`visible`), first as
one word, then with a gap for each move of the cursor. What stands in it in base64 or hexadecimal
digits is searched the same way, once. All places are those of the text as it came.

What a search makes of a text is many times as large as the text. So a long one is searched in
parts, each with what stands beside it, divided at places where no run of letters of a token goes
on, nor one of base64 in the next line. A secret is found by the part it begins in, and that is
searched to where the secret ends.

Texts within a text: what stands there in base64 or in hexadecimal digits, read once.
"""

from __future__ import annotations

from base64 import b64decode
from binascii import Error, unhexlify
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter

from loom.lazy import lazy_re
from loom.redact.armour import armoured, framed
from loom.redact.excerpts import BREAK, Excerpt, near, small_letters
from loom.redact.placed import PlacedRules, Searched
from loom.redact.rule import Check, CompiledRule
from loom.redact.soft import softened
from loom.redact.tables import columns
from loom.redact.visible import VisibleText, hiding

PART = 1_000_000  # characters that are searched at a time …
BESIDE = 16_384  # … and on each side of them: no rule reads as far
_EDGE = 256  # characters before the end of a part, up to which what ends there may go on
_RUN = "A-Za-z0-9+/=_-"
_SEAM = lazy_re(rf"(?<=\n)(?![{_RUN}]{{60}})")
_BETWEEN = lazy_re(rf"(?<=[^\s] )(?=[^\s])|(?<=[^\s{_RUN}])(?=[^\s{_RUN}])")

Span = tuple[int, int, str]  # where it starts, where it ends, the kind
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


_REST = lazy_re(r"[^\s\"'`<>,;|(){}\[\]\\]*+")
LONG = 200  # characters of a value that may go on
LEAST = 6  # characters of the shortest secret with what gives it away


class SecretSearch:
    """Finds the secrets of texts by rules made ready."""

    def __init__(self, rules: Sequence[CompiledRule], allowed: Callable[[str], bool]) -> None:
        self._rules = PlacedRules(rules)
        self._empty = not rules
        self._allowed = allowed

    def __call__(self, text: str) -> list[Span]:
        """The places of the secrets in a text, in order, none within or across another."""
        if len(text) < LEAST or self._empty:
            return []
        return joined(self._found(text, True))

    def _found(self, text: str, inside: bool) -> Iterator[Span]:
        soft = softened(text)
        if len(soft) <= 2 * PART:
            yield from self._searched(soft, inside)
            return
        # What may be longer than any part: a key, the rows of a table.
        yield from ((*span, "private-key") for span in framed(soft))
        yield from ((*span, "password") for span in columns(soft, small_letters(soft), None))
        yield from in_parts(soft, lambda part: joined(self._searched(part, inside)))

    def _searched(self, soft: str, inside: bool) -> Iterator[Span]:
        parts = self._rules.of(soft)
        yield from self._within(soft, parts)
        hidden = hiding(soft)
        if hidden:
            lines = near(soft, hidden)
            shown = VisibleText(lines.text, apart=False)
            yield from self._shown(shown, lines)
            if shown.parted:
                yield from self._shown(VisibleText(lines.text, apart=True, runs=shown.runs), lines)
        if inside:
            yield from self._encoded([*encoded(soft, parts.runs)])

    def _encoded(self, parts: Sequence[tuple[int, int, str]]) -> Iterator[Span]:
        """The parts whose text, as it was decoded, holds a secret: searched as one text."""
        if not parts:
            return
        sizes = accumulate((len(said) + len(BREAK) for _, _, said in parts), initial=0)
        starts = [*sizes]
        kinds: dict[int, str] = {}
        for at, _, kind in self._found(BREAK.join(said for _, _, said in parts), False):
            kinds.setdefault(bisect_right(starts, at) - 1, kind)
        for number, kind in kinds.items():
            start, end, _ = parts[number]
            yield start, end, kind

    def _shown(self, shown: VisibleText, lines: Excerpt) -> Iterator[Span]:
        for start, end, kind in self._within(shown.bare, self._rules.of(shown.bare)):
            yield (*lines.span(*shown.span(start, end)), kind)

    def _within(self, text: str, parts: Searched) -> Iterator[Span]:
        """Secrets by every rule."""
        for start, end in armoured(text):
            yield start, end, "private-key"
        for start, end in columns(text, parts.folded.text, parts.places):
            yield start, end, "password"
        judged: dict[tuple[Check, str, str], bool] = {}  # texts repeat themselves
        rest = (0, 0)  # where the rest of a long value stood that was read last
        for rule, part, matches in self._rules.found(parts):
            for match in matches:
                # The value is checked as it is written, whatever was made of its letters.
                first = part.span(match.start(), match.start())[0]
                start, end = part.span(*rule.span(match))
                value = text[start:end].rstrip("\\")  # of the quote behind it
                if not value or not _is_held(rule.check, text[first:start], value, judged):
                    continue
                if self._allowed(value):
                    continue
                end = start + len(value)
                if len(value) >= LONG:
                    rest = _rest(text, end, rest)
                    end = rest[1]
                yield start, end, rule.kind


def _is_held(
    check: Check | None, lead: str, value: str, judged: dict[tuple[Check, str, str], bool]
) -> bool:
    """True when the check takes a value for a secret, asked once for each."""
    if check is None:
        return True
    asked = (check, lead, value)
    if asked not in judged:
        judged[asked] = check(lead, value)
    return judged[asked]


def _rest(text: str, at: int, known: tuple[int, int]) -> tuple[int, int]:
    """Where what goes on at a place stands: up to a space, a quote, a line's end; read once."""
    if known[0] <= at <= known[1]:
        return known
    rest = _REST.match(text, at)
    return rest.span() if rest else (at, at)


def joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; those that overlap as one, of the kind of the longest."""
    made: list[Span] = []
    longest_first = sorted(spans, key=itemgetter(1), reverse=True)
    for start, end, kind in sorted(longest_first, key=itemgetter(0)):
        if made and start < made[-1][1]:
            first, last, known = made[-1]
            longer = end - start > last - first
            made[-1] = (first, max(last, end), kind if longer else known)
        else:
            made.append((start, end, kind))
    return made


def in_parts(
    text: str, search: Callable[[str], Iterable[Span]], size: int = PART
) -> Iterator[Span]:
    """The spans a search finds in a text, which is searched in parts of such a size."""
    first = 0
    while first < len(text):
        last = _seam(text, first + size)
        begin = _seam(text, first - BESIDE) if first > BESIDE else 0
        beside = BESIDE
        while True:
            end = _seam(text, last + beside)
            found = [
                (begin + start, begin + stop, kind) for start, stop, kind in search(text[begin:end])
            ]
            found = [span for span in found if first <= span[0] < last]
            if end == len(text) or all(span[1] < end - _EDGE for span in found):
                break
            beside *= 4
        yield from found
        first = last


def _seam(text: str, at: int) -> int:
    """The next place at which a text may be divided."""
    if at >= len(text):
        return len(text)
    seam = _SEAM.search(text, at, at + BESIDE) or _BETWEEN.search(text, at)
    return seam.start() if seam else len(text)
