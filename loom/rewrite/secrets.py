"""The secrets to be purged: values somebody names, and what today's rules find; both replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

import re2
from msgspec import MsgspecError, json

from loom.lazy import lazy_re
from loom.redact import Redactor, Rules
from loom.redact.wide import in_text
from loom.rewrite.errors import BadPurge
from loom.rewrite.spellings import PART, CutPieces, exact, spelled, starts

KIND = "purged"
MARK = f"[redacted:{KIND}]"
NAME = "redacted-purged"  # where only the letters of a name may stand
SHORTEST = 6  # characters of a value: a shorter one stands in ordinary text
_MEMORY = 1 << 28  # bytes the patterns of all values may take
LEARNT = 16  # characters of what a rule finds that is looked for in every spelling
_MARKED = lazy_re(r"\[redacted:([^\]]*)\]")


class Secrets:
    """Replaces values and what `rules` find; `take` tells how many of each kind it were, and
    `taken` is then how many of each value.

    What rules have found is `learnt`, with its kind: given to another, it is found as values are.

    Raises BadPurge for a value that is too short, or part of the mark that would replace it, and
    where there is nothing to look for.
    """

    def __init__(
        self, values: Iterable[str], rules: Rules | None = None, learnt: Mapping[str, str] = {}
    ) -> None:
        named = {one: KIND for one in values if one}
        for value in named:
            if len(value) < SHORTEST or value in MARK or value in NAME:
                raise BadPurge(_refusal(value))
        if not named and rules is None:
            raise BadPurge("there is nothing to purge: give values, one a line, or --rules")
        both = {**learnt, **named}
        self._values = {one: both[one] for one in sorted(both, key=lambda one: (-len(one), one))}
        self._patterns = [(value, _compiled(spelled(value))) for value in self._values]
        grams = sorted({gram for value in map(_bytes, self._values) for gram in _grams(value)})
        self._grams = _compiled(b"|".join(map(exact, grams))) if grams else None
        self._pieces = CutPieces(self._values, _compiled)
        forms = [*map(spelled, self._values), *map(exact, grams), *self._pieces.forms]
        self._any = _compiled(b"|".join(forms)) if forms else None
        self._redactor = Redactor(rules) if rules is not None else None
        self._counts: dict[str, int] = {}
        self._found: dict[str, int] = {}  # by value
        self.taken: dict[str, int] = {}
        self.learnt: dict[str, str] = {}

    def hold_named(self, data: bytes) -> bool:
        """True for bytes with one of the values, or a part of one; rules are not asked."""
        return self._any is not None and self._named(data) != data

    def take(self) -> dict[str, int]:
        """The counts by kind so far, which start again at nothing."""
        counts, self._counts = self._counts, {}
        self.taken, self._found = self._found, {}
        return counts

    def touch(self, data: bytes) -> bool:
        """False for bytes with none of the secrets, or of their parts; soon said."""
        if self._any is not None and self._any.search(data):
            return True
        if self._redactor is None:
            return False
        text = data.decode("utf-8", "surrogateescape")
        found = self._by_rules(text) != text
        self._redactor.take()
        return found

    def text(self, text: str) -> str:
        """The text without the secrets; what was JSON still is."""
        data = text.encode("utf-8", "surrogatepass")
        if self._any is not None and self._any.search(data):
            clean = self._named(data)
            text = self._still_json(text, clean.decode("utf-8", "surrogatepass"))
        return self._ruled(text)

    def data(self, data: bytes) -> bytes:
        """Bytes without the secrets; what was JSON still is."""
        clean = data
        if self._any is not None and self._any.search(data):
            clean = self._named(data)
            text = data.decode("utf-8", "surrogateescape")
            whole = self._still_json(text, clean.decode("utf-8", "surrogateescape"))
            clean = whole.encode("utf-8", "surrogateescape")
        if self._redactor is not None:
            clean = in_text(clean, "utf-8", "surrogateescape", self._ruled)
        return clean

    def name(self, name: str) -> str:
        """A name of letters, digits and signs without the secrets."""
        clean = self.text(name)
        return clean if clean == name else re.sub(r"\[redacted:[^\]]*\]", NAME, clean)

    def value(self, value: Any) -> Any:
        """A JSON value without the secrets in its texts, keys and numbers."""
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, list):
            return [self.value(one) for one in value]
        if isinstance(value, dict):
            return {self.text(key): self.value(one) for key, one in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            clean = self.text(said := json.encode(value).decode())
            return value if clean == said else clean
        return value

    def _named(self, data: bytes) -> bytes:
        """Replace the values, and what was left of one."""
        return self._pieces.replaced(self._fragments(self._whole(data)), self._piece)

    def _piece(self, value: str) -> bytes:
        """The mark of a value that was cut off, which is counted."""
        self._count(self._values[value], 1, value)
        return _mark_of(self._values[value]).encode()

    def _whole(self, data: bytes) -> bytes:
        """Replace the values wherever they stand, as they are spelled there."""
        for value, pattern in self._patterns:
            if pattern.search(data):
                kind = self._values[value]
                data, found = pattern.subn(partial(_mark, _mark_of(kind)), data)
                self._count(kind, found, value)
        return data

    def _fragments(self, data: bytes) -> bytes:
        """Replace what stands alone of a value: where the rest was cut off, or told apart."""
        at = 0
        while self._grams is not None and (found := self._grams.search(data, at)):
            start, end = self._grown(data, *found.span())
            at = end
            if starts(data[max(start - 16, 0) : start]) and not data[end : end + 1].isalnum():
                mark = self._piece(next(v for v in self._values if data[start:end] in _bytes(v)))
                data, at = data[:start] + mark + data[end:], start + len(mark)
        return data

    def _grown(self, data: bytes, start: int, end: int) -> tuple[int, int]:
        """The whole of a fragment that was found at its first letters or later."""
        values = [one for one in map(_bytes, self._values) if data[start:end] in one]
        while end < len(data) and any(data[start : end + 1] in one for one in values):
            end += 1
        while start and any(data[start - 1 : end] in one for one in values):
            start -= 1
        return start, end

    def _still_json(self, before: str, after: str) -> str:
        """The text, value by value where as a whole it would be JSON no more."""
        if before.lstrip()[:1] not in ("{", "[", '"') or not _is_json(before) or _is_json(after):
            return after
        counts, found = self.take(), self.taken
        made = json.encode(self.value(json.decode(before))).decode()
        self._counts, self._found = counts, found
        return made

    def _ruled(self, text: str) -> str:
        if self._redactor is None:
            return text
        clean = self._by_rules(text)
        for kind, found in self._redactor.take().items():
            self._count(kind, found)
        if clean != text:
            self._learn(text, clean)
        return clean

    def _by_rules(self, text: str) -> str:
        """The text without what rules find; what no UTF-8 holds is no JSON."""
        assert self._redactor is not None
        return self._redactor.arguments(text) if _is_unicode(text) else self._redactor(text)

    def _learn(self, text: str, clean: str) -> None:
        """Remember what the marks of a clean text stand for; nothing where that is not told."""
        *parts, last = _MARKED.split(clean)
        at, found = 0, {}
        for before, kind, after in zip(parts[::2], parts[1::2], [*parts[2::2], last], strict=True):
            start = at + len(before)
            end = text.find(after, start) if after else len(text)
            if text[at:start] != before or end < start:
                return
            found[text[start:end]] = kind
            at = end
        self.learnt |= {
            value: kind
            for value, kind in found.items()
            if len(value) >= LEARNT
            and "\n" not in value
            and not _MARKED.search(value)
            and _is_unicode(value)
        }

    def _count(self, kind: str, found: int, value: str = "") -> None:
        for counts, key in ((self._counts, kind), (self._found, value)):
            if found and key:
                counts[key] = counts.get(key, 0) + found


def _refusal(value: str) -> str:
    """Why a value cannot be purged."""
    if len(value) >= SHORTEST:
        return f"a value is a part of {MARK!r}, the mark that would replace it"
    letters = "1 character" if len(value) == 1 else f"{len(value)} characters"
    return f"a value of {letters} stands in ordinary text too: give one of {SHORTEST} or more"


def _compiled(pattern: bytes) -> Any:
    """A pattern over bytes that is linear in them."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    return re2.compile(pattern, options)


def _grams(value: bytes) -> Iterator[bytes]:
    """Every part of a value that tells it; none of a short one."""
    if len(value) > PART:
        yield from (value[at : at + PART] for at in range(len(value) - PART + 1))


def _mark_of(kind: str) -> str:
    return f"[redacted:{kind}]"


def _mark(mark: str, found: re.Match[bytes]) -> bytes:
    """The mark, in wide characters where the secret was."""
    wide = next((len(run) for run in re.findall(rb"\x00+", found[0])), 0)
    return bytes(wide).join(bytes([letter]) for letter in mark.encode())


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _is_json(text: str) -> bool:
    try:
        json.decode(text)
    except (MsgspecError, UnicodeEncodeError, RecursionError):
        return False
    return True
