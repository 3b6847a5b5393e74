"""The secrets to be purged: values somebody names, and what today's rules find; both replaced."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import re2
from msgspec import MsgspecError, json

from loom.errors import LoomError
from loom.purging.spellings import exact, spelled
from loom.redact import Redactor, Rules

KIND = "purged"
MARK = f"[redacted:{KIND}]"
NAME = "redacted-purged"  # where only the letters of a name may stand
SHORTEST = 6  # characters of a value: a shorter one stands in ordinary text
_MEMORY = 1 << 28  # bytes the patterns of all values may take
_PART = 12  # bytes of a value that are told where the rest was cut off
_CUT_AFTER = re.compile(rb"""\s*(?:\xe2\x80\xa6|\.\.\.|\\+u2026|\\+n|["'`\r\n]|\Z)""")
_CUT_BEFORE = re.compile(rb"""(?:\xe2\x80\xa6|\.\.\.|\\+u2026|\\+n|["'`\r\n]|\A)\s*\Z""")


class BadPurge(LoomError):
    """A purge that cannot be done; nothing was changed."""


class Secrets:
    """Replaces values and what `rules` find; `take` tells how many of each kind it were.

    Raises BadPurge for a value that is too short, or part of the mark that would replace it, and
    where there is nothing to look for.
    """

    def __init__(self, values: Iterable[str], rules: Rules | None = None) -> None:
        self._values = sorted({one for one in values if one}, key=lambda one: -len(one))
        for value in self._values:
            if len(value) < SHORTEST or value in MARK or value in NAME:
                raise BadPurge(
                    f"a value of {len(value)} characters stands in ordinary text too: give one of"
                    f" {SHORTEST} or more, which is no part of {MARK!r}"
                )
        if not self._values and rules is None:
            raise BadPurge("there is nothing to purge: give values, one a line, or --rules")
        self._bytes = [value.encode("utf-8", "surrogatepass") for value in self._values]
        self._patterns = [_compiled(spelled(value)) for value in self._values]
        parts = (part for value in self._bytes for part in _parts(value))
        forms = [*map(spelled, self._values), *map(exact, parts)]
        self._any = _compiled(b"|".join(forms)) if forms else None
        self._redactor = Redactor(rules) if rules is not None else None
        self._counts: dict[str, int] = {}

    def take(self) -> dict[str, int]:
        """The counts by kind so far, which start again at nothing."""
        counts, self._counts = self._counts, {}
        return counts

    def touch(self, data: bytes) -> bool:
        """False for bytes with none of the secrets, or of their parts; soon said."""
        if self._any is not None and self._any.search(data):
            return True
        return self._redactor is not None and self._redactor.holds_secret(
            data.decode("utf-8", "surrogateescape")
        )

    def text(self, text: str) -> str:
        """The text without the secrets; what was JSON still is."""
        data = text.encode("utf-8", "surrogatepass")
        if self._any is not None and self._any.search(data):
            clean = self._cut_parts(self._whole(data))
            text = self._still_json(text, clean.decode("utf-8", "surrogatepass"))
        return self._ruled(text)

    def data(self, data: bytes) -> bytes:
        """Bytes without the secrets; what was JSON still is."""
        clean = data
        if self._any is not None and self._any.search(data):
            clean = self._cut_parts(self._whole(data))
            text = data.decode("utf-8", "surrogateescape")
            whole = self._still_json(text, clean.decode("utf-8", "surrogateescape"))
            clean = whole.encode("utf-8", "surrogateescape")
        if self._redactor is not None:
            clean = self._ruled(clean.decode("utf-8", "surrogateescape")).encode(
                "utf-8", "surrogateescape"
            )
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

    def _whole(self, data: bytes) -> bytes:
        """Replace the values wherever they stand, as they are spelled there."""
        for pattern in self._patterns:
            data, found = pattern.subn(_mark, data)
            self._count(KIND, found)
        return data

    def _cut_parts(self, data: bytes) -> bytes:
        """Replace a beginning or an end of a value where the rest of it was cut off."""
        for value in self._bytes:
            for part in _parts(value)[:1]:
                data = self._beginnings(data, value, len(part))
                data = self._ends(data, value, len(part))
        return data

    def _beginnings(self, data: bytes, value: bytes, least: int) -> bytes:
        at = data.find(value[:least])
        while at >= 0:
            end = at + _common(data[at : at + len(value)], value)
            if _CUT_AFTER.match(data, end):
                data = data[:at] + MARK.encode() + data[end:]
                self._count(KIND, 1)
            at = data.find(value[:least], at + 1)
        return data

    def _ends(self, data: bytes, value: bytes, least: int) -> bytes:
        at = data.find(value[-least:])
        while at >= 0:
            end = at + least
            start = end - _common(data[max(end - len(value), 0) : end][::-1], value[::-1])
            if _CUT_BEFORE.search(data[max(start - 16, 0) : start], 0) or not start:
                data = data[:start] + MARK.encode() + data[end:]
                self._count(KIND, 1)
                end = start + len(MARK)
            at = data.find(value[-least:], end)
        return data

    def _still_json(self, before: str, after: str) -> str:
        """What was JSON and is none any more is done value by value."""
        if before.lstrip()[:1] not in ("{", "[", '"') or not _is_json(before) or _is_json(after):
            return after
        counts = self.take()
        made = json.encode(self.value(json.decode(before))).decode()
        self._counts = counts
        return made

    def _ruled(self, text: str) -> str:
        if self._redactor is None:
            return text
        clean = self._redactor.arguments(text)
        for kind, found in self._redactor.take().items():
            self._count(kind, found)
        return clean

    def _count(self, kind: str, found: int) -> None:
        if found:
            self._counts[kind] = self._counts.get(kind, 0) + found


def _compiled(pattern: bytes) -> Any:
    """A pattern over bytes that is linear in them."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    return re2.compile(pattern, options)


def _parts(value: bytes) -> tuple[bytes, ...]:
    """The least beginning and end of a value that tell it; none of a short one."""
    least = max(_PART, len(value) // 2)
    return (value[:least], value[-least:]) if len(value) > least else ()


def _mark(found: re.Match[bytes]) -> bytes:
    """The mark, in wide characters where the secret was."""
    wide = next((len(run) for run in re.findall(rb"\x00+", found[0])), 0)
    return bytes(wide).join(bytes([letter]) for letter in MARK.encode())


def _common(one: Sequence[int], two: Sequence[int]) -> int:
    """How many bytes at the front are the same."""
    return next((at for at, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), len(one))


def _is_json(text: str) -> bool:
    try:
        json.decode(text)
    except (MsgspecError, UnicodeEncodeError, RecursionError):
        return False
    return True
