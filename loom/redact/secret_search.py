r"""Where the secrets of a text are: in the text as written, as displayed, and in what it encodes.

A text is searched as it is written, with the usual escapes (`\n`, `\"`) replaced by as many
characters. If it contains other escapes, or terminal sequences, it is also searched as it is
displayed (`visible_text`). What it encodes in base64 or hexadecimal digits is searched the same
way, but only one level deep. All places returned are those of the text as given."""

from __future__ import annotations

import re
from base64 import b64decode
from binascii import Error, unhexlify
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import accumulate
from operator import itemgetter

from loom.lazy import lazy_re
from loom.redact.armoured_keys import private_key_spans
from loom.redact.rule_places import BREAK, Excerpt, Parts, PlacedRules, SearchedText, lines_around
from loom.redact.secret_columns import column_secrets
from loom.redact.secret_rule import Check, CompiledRule
from loom.redact.visible_text import VisibleText, hiding_places

Span = tuple[int, int, str]  # where it starts, where it ends, the kind
_READ = {'"': '"', "'": "'", "n": "\n", "r": "\n", "t": "\t"}
# All characters of an escape become what it stands for; JSON in JSON has more backslashes.
_SOFT = lazy_re(r"""\\{1,8}(?P<letter>["'nrt])""")
_LIKELY = lazy_re(r"[0-9]|[A-Za-z]{16}")  # the runs that are looked at
_BASE64 = lazy_re(r"(?<![A-Za-z0-9+/_-])[A-Za-z0-9+/_-]{24,}+={0,2}")
_HEX = lazy_re(r"(?<![A-Za-z0-9])(?:(?:[0-9a-f]{2}){14,}+|(?:[0-9A-F]{2}){14,}+)(?![A-Za-z0-9])")
_WRAPPED = 60  # characters of the shortest line of base64 that goes on in the next
_LINE = lazy_re(
    r"(?<!=) ?\r?\n[ \t]{0,24}(?P<more>[A-Za-z0-9+/]+={0,2})(?=[ \t]{0,8}(?:[\r\n\"'\\,;)]|$))"
)
_URL_SAFE = str.maketrans("-_", "+/")
_SPACE = lazy_re(r"\s+")
_TEXT = bytes(range(32, 127)) + b"\t\n\r\f\x1b\x00"


def _read_escape(found: re.Match[str]) -> str:
    """Return the character that an escape stands for, filled up to the escape's length: a quote is
    repeated, other characters get spaces before them."""
    read = _READ[found["letter"]]
    return read * len(found[0]) if read in "\"'" else read.rjust(len(found[0]))


def _with_escapes_read(text: str) -> str:
    r"""Return the text with its usual escapes (`\n`, `\"`) replaced by their characters. Its length
    stays the same."""
    parts, at = list[str](), 0
    while "\\" in text and at < len(text):
        end = min(at + BATCH, len(text))
        while end < len(text) and text[end - 1] == "\\":
            end += 1
        parts.append(_SOFT.sub(_read_escape, text[at:end]))
        at = end
    return "".join(parts) or text


def encoded_texts(text: str, runs: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    """Yield (start, end, decoded text) of each base64 or hexadecimal piece of text within `runs`,
    the parts (start, end) to search."""
    done = 0
    for first, last in runs:
        for match in _BASE64.finditer(text, max(first, done), last):
            run, end = match[0], match.end()
            if match.start() < done or not (_LIKELY.search(run) and _may_begin_text(run)):
                continue
            if len(run) >= _WRAPPED:
                end = done = _wrapped_end(text, end)
                run = _SPACE.sub("", text[match.start() : end])
            if said := _base64_text(run):
                yield match.start(), end, said
        for match in _HEX.finditer(text, first, last):
            if said := _printable_text(unhexlify(match[0])):
                yield (*match.span(), said)


def _may_begin_text(run: str) -> bool:
    """Return True if the first 16 characters of `run`, which may be base64, decode to text."""
    return bool(_printable_text(b64decode(run[:16].translate(_URL_SAFE))))


def _wrapped_end(text: str, end: int) -> int:
    """Return the position where base64 on several lines ends. Its first line ends at `end`."""
    while (line := _LINE.match(text, end)) is not None:
        end = line.end()
        if len(line["more"]) < _WRAPPED:
            break
    return end


def _base64_text(run: str) -> str:
    """Return the text that the base64 `run` encodes; "" if it encodes no text."""
    run = run.rstrip("=").translate(_URL_SAFE)
    run = run[: len(run) - (len(run) % 4 == 1)]
    try:
        return _printable_text(b64decode(run + "=" * (-len(run) % 4)))
    except (Error, ValueError):
        return ""


def _printable_text(data: bytes) -> str:
    """Return bytes decoded as printable text; "" if they are none."""
    if not data.translate(None, _TEXT):
        return data.decode("ascii")
    try:
        text = data.decode()
    except UnicodeDecodeError:
        return ""
    return text if text.isprintable() else ""


_REST = lazy_re(r"[^\s\"'`<>,;|(){}\[\]\\]*+")
BATCH, BESIDE = 100_000, 16_384  # characters that are shown at a time, and beside them
LONG = 200  # characters of a value that may go on
LEAST = 6  # characters of the shortest secret with what gives it away
SHORT, KNOWN = 200, 512  # characters of a text, and such texts, of which it is known


class SecretSearch:
    """Finds the secrets in texts by compiled rules. Values that are `allowed` are no secrets."""

    def __init__(self, rules: Sequence[CompiledRule], allowed: Callable[[str], bool]) -> None:
        self._rules = PlacedRules(rules)
        self._empty = not rules
        self._allowed = allowed
        self._clean: set[str] = set()  # short texts without one: names of tools and files recur
        self.searched = 0  # texts so far: counted work, for guards

    def __call__(self, text: str) -> list[Span]:
        """Return (start, end, kind) of each secret in a text, in order and without overlaps."""
        if len(text) < LEAST or self._empty or text in self._clean:
            return []
        self.searched += 1
        spans = merged_spans(self._secret_spans(text, True))
        if not spans and len(text) <= SHORT:
            if len(self._clean) >= KNOWN:
                self._clean.clear()
            self._clean.add(text)
        return spans

    def _secret_spans(self, text: str, inside: bool) -> Iterator[Span]:
        """Yield (start, end, kind) of each secret in a text, in any order; with `inside`, also of
        each base64 or hexadecimal part that encodes a secret."""
        soft = _with_escapes_read(text)
        searched = self._rules.of(soft)
        yield from self._rule_spans(searched)
        runs = searched.runs if inside else []
        del searched  # several times as large as the text
        for batch in _batches(soft, lines_around(soft, [*hiding_places(soft)], 2)):
            yield from self._visible_spans(Excerpt(soft, batch))
        if inside:
            yield from self._encoded_spans([*encoded_texts(soft, runs)])

    def _visible_spans(self, lines: Excerpt) -> Iterator[Span]:
        """Yield (start, end, kind), in the whole text, of each secret that appears when `lines` are
        displayed."""
        shown = VisibleText(lines.text)
        for start, end, kind in self._rule_spans(self._rules.of(shown.bare)):
            yield (*lines.span(*shown.span(start, end)), kind)

    def _encoded_spans(self, parts: Sequence[tuple[int, int, str]]) -> Iterator[Span]:
        """Yield (start, end, kind) of each of `parts` (start, end, decoded text) whose decoded text
        contains a secret."""
        if not parts:
            return
        sizes = accumulate((len(said) + len(BREAK) for _, _, said in parts), initial=0)
        starts = [*sizes]
        kinds: dict[int, str] = {}
        for at, _, kind in self._secret_spans(BREAK.join(said for _, _, said in parts), False):
            kinds.setdefault(bisect_right(starts, at) - 1, kind)
        for number, kind in kinds.items():
            start, end, _ = parts[number]
            yield start, end, kind

    def _rule_spans(self, searched: SearchedText) -> Iterator[Span]:
        """Yield (start, end, kind) of each secret that a rule finds, of each private key, and of
        each secret in a table."""
        text = searched.text
        yield from ((*span, "private-key") for span in private_key_spans(text))
        yield from ((*span, "password") for span in column_secrets(text, searched.places))
        judged: dict[tuple[Check, str, str], bool] = {}  # texts repeat themselves
        rest = (0, 0)  # where the rest of a long value stood that was read last
        for rule, matches in self._rules.found(searched):
            for match in matches:
                # The value is checked as it is written, whatever was made of its letters.
                start, end = rule.span(match)
                value = text[start:end].rstrip("\\")  # of the quote behind it
                if not value or self._allowed(value):
                    continue
                if rule.check is not None:
                    asked = (rule.check, text[match.start() : start], value)
                    if asked not in judged:
                        judged[asked] = rule.check(*asked[1:])
                    if not judged[asked]:
                        continue
                end = start + len(value)
                if len(value) >= LONG:
                    rest = _value_rest(text, end, rest)
                    end = rest[1]
                yield start, end, rule.kind


def _batches(text: str, parts: Parts) -> Iterator[Parts]:
    """Yield the parts (start, end) of a text in small groups, for displaying a part takes many
    times its size in memory. A long part is split into pieces that overlap."""
    batch: Parts = []
    for start, stop in parts:
        while start < stop:
            end = text.find("\n", start + BATCH, stop)
            end = stop if end < 0 else end
            batch.append((start, min(end + BESIDE, stop)))
            if sum(last - first for first, last in batch) > BATCH:
                yield batch
                batch = []
            start = end
    if batch:
        yield batch


def _value_rest(text: str, at: int, known: tuple[int, int]) -> tuple[int, int]:
    """Return (start, end) of the rest of a long value: from position `at` to the next space, quote,
    bracket or line end. `known` is the result of the last call, returned again if `at` lies within
    it."""
    if known[0] <= at <= known[1]:
        return known
    rest = _REST.match(text, at)
    return rest.span() if rest else (at, at)


def merged_spans(spans: Iterable[Span]) -> list[Span]:
    """Return the spans (start, end, kind) in order. Overlapping spans are merged into one span,
    with the kind of the longest."""
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
