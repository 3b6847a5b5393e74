"""The secrets that a purge replaces: values that somebody gives, and texts that the redaction rules
find."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import re2
from msgspec import MsgspecError, json

from loom.errors import BadInput
from loom.lazy import lazy_re
from loom.redact import Redactor, Rules
from loom.redact.text_in_bytes import change_text_in_bytes
from loom.rewrite.spellings import SecretPieces, spelling_pattern

KIND = "purged"
MARK = f"[redacted:{KIND}]"
NAME = "redacted-purged"  # where only the letters of a name may stand
SHORTEST = 6  # characters of a value: a shorter one stands in ordinary text
_MEMORY = 1 << 28  # bytes the patterns of all values may take
LEARNT = 16  # characters of what a rule finds that is looked for in every spelling
_MARKED = lazy_re(r"\[redacted:([^\]]*)\]")


class Secrets:
    """A replacer of secrets in texts and bytes: of `values`, and of what `rules` find (None: no
    rules).

    The attribute `learnt` maps each text that the rules found to its kind. These texts can be given
    as the parameter `learnt` of a second Secrets, which searches for them as for values. `taken`
    maps each value to the number of replacements that the last `take_counts` counted.

    Raises BadInput if a value is too short or is a part of `[redacted:purged]` or
    `redacted-purged`, and if there is neither a value nor a rule."""

    def __init__(
        self, values: Iterable[str], rules: Rules | None = None, learnt: Mapping[str, str] = {}
    ) -> None:
        kinds = {**learnt, **{one: KIND for one in values if one}}
        for value in kinds.keys() - learnt.keys():
            if len(value) < SHORTEST or value in MARK or value in NAME:
                raise BadInput(_refusal_text(value))
        if not kinds and rules is None:
            raise BadInput("there is nothing to purge: give values, one a line, or --rules")
        self._values = {one: kinds[one] for one in sorted(kinds, key=lambda one: (-len(one), one))}
        self._patterns = [
            (value, _compile_linear(spelling_pattern(value))) for value in self._values
        ]
        self._pieces = SecretPieces(self._values, _compile_linear)
        forms = [*map(spelling_pattern, self._values), *self._pieces.forms]
        self._any = _compile_linear(b"|".join(forms)) if forms else None
        self._redactor = Redactor(rules) if rules is not None else None
        self._counts: Counter[tuple[str, str]] = Counter()  # by kind and value
        self.taken: dict[str, int] = {}
        self.learnt: dict[str, str] = {}

    def has_value(self, data: bytes) -> bool:
        """Return True if the bytes contain one of the values, or a part that identifies a value."""
        return self._any is not None and self._replace_values(data) != data

    def take_counts(self) -> dict[str, int]:
        """Return a dict from each kind to the number of secrets replaced since the last call."""
        kinds: Counter[str] = Counter()
        values: Counter[str] = Counter()
        for (kind, value), times in self._counts.items():
            kinds[kind] += times
            values[value] += times
        del values[""]
        self._counts.clear()
        self.taken = dict(values)
        return dict(kinds)

    def may_hold_secret(self, data: bytes) -> bool:
        """Return True if the bytes may contain a secret or a part of one. Nothing is replaced."""
        if self._any is not None and self._any.search(data):
            return True
        if self._redactor is None:
            return False
        text = data.decode("utf-8", "surrogateescape")
        found = self._apply_rules(text) != text
        self._redactor.take()
        return found

    def clean_text(self, text: str) -> str:
        """Return the text with each secret replaced. A JSON text stays valid JSON."""
        clean = self._without_values(text.encode("utf-8", "surrogatepass"), "surrogatepass")
        return self._replace_by_rules(clean.decode("utf-8", "surrogatepass"))

    def clean_bytes(self, data: bytes) -> bytes:
        """Return the bytes with each secret replaced. A JSON text stays valid JSON."""
        clean = self._without_values(data, "surrogateescape")
        if self._redactor is not None:
            clean = change_text_in_bytes(clean, "utf-8", "surrogateescape", self._replace_by_rules)
        return clean

    def clean_name(self, name: str) -> str:
        """Return a file name with each secret replaced by `redacted-purged`."""
        clean = self.clean_text(name)
        return clean if clean == name else _MARKED.sub(NAME, clean)

    def clean_json(self, value: Any) -> Any:
        """Return a JSON value with the secrets in its texts, keys and numbers replaced."""
        if isinstance(value, str):
            return self.clean_text(value)
        if isinstance(value, list):
            return [self.clean_json(one) for one in value]
        if isinstance(value, dict):
            return {self.clean_text(key): self.clean_json(one) for key, one in value.items()}
        if isinstance(value, int | float) and not isinstance(value, bool):
            clean = self.clean_text(said := json.encode(value).decode())
            return value if clean == said else clean
        return value

    def _without_values(self, data: bytes, errors: str) -> bytes:
        """Return the bytes with the values replaced; valid JSON stays valid. `errors` is the error
        handler for bytes that are no UTF-8, as in `bytes.decode`."""
        if self._any is None or not self._any.search(data):
            return data
        clean = self._replace_values(data)
        before, after = data.decode("utf-8", errors), clean.decode("utf-8", errors)
        if before.lstrip()[:1] not in ("{", "[", '"') or not _is_json(before) or _is_json(after):
            return clean
        counts = self._counts.copy()
        made = json.encode(self.clean_json(json.decode(before)))
        self._counts = counts
        return made

    def _replace_values(self, data: bytes) -> bytes:
        """Return the bytes with each value, in every spelling, and each piece of a value
        replaced."""
        for value, pattern in self._patterns:
            if pattern.search(data):
                kind = self._values[value]
                data, found = pattern.subn(partial(_mark_bytes, f"[redacted:{kind}]"), data)
                self._counts[kind, value] += found
        return self._pieces.replace_pieces(data, self._mark_piece)

    def _mark_piece(self, value: str) -> bytes:
        """Count a found piece of `value`. Return the bytes that replace it: `[redacted:KIND]`."""
        kind = self._values[value]
        self._counts[kind, value] += 1
        return f"[redacted:{kind}]".encode()

    def _replace_by_rules(self, text: str) -> str:
        """Return the text with all that the rules find replaced, counted and added to `learnt`."""
        if self._redactor is None:
            return text
        clean = self._apply_rules(text)
        for kind, found in self._redactor.take().items():
            self._counts[kind, ""] += found
        if clean != text:
            self._learn(text, clean)
        return clean

    def _apply_rules(self, text: str) -> str:
        """Return the text with all that the rules find replaced. Valid JSON stays valid."""
        assert self._redactor is not None
        return self._redactor.arguments(text) if _is_unicode(text) else self._redactor(text)

    def _learn(self, text: str, clean: str) -> None:
        """Add the replaced parts of `text` to `learnt`. `clean` is `text` with `[redacted:KIND]` in
        place of each secret."""
        before, *rest = _MARKED.split(clean)
        at, found = len(before), {}
        if not text.startswith(before):
            return
        for kind, after in zip(rest[::2], rest[1::2], strict=True):
            end = text.find(after, at) if after else len(text)
            if end < at:
                return
            found[text[at:end]] = kind
            at = end + len(after)
        for value, kind in found.items():
            plain = "\n" not in value and not _MARKED.search(value) and _is_unicode(value)
            if len(value) >= LEARNT and plain:
                self.learnt[value] = kind


def _refusal_text(value: str) -> str:
    """Return the reason, as a sentence, why a value cannot be purged."""
    if len(value) >= SHORTEST:
        return f"a value is a part of {MARK!r}, the mark that would replace it"
    letters = "1 character" if len(value) == 1 else f"{len(value)} characters"
    return f"a value of {letters} stands in ordinary text too: give one of {SHORTEST} or more"


def _compile_linear(pattern: bytes) -> Any:
    """Return a compiled pattern over bytes whose search takes linear time."""
    options = re2.Options()
    options.encoding = re2.Options.Encoding.LATIN1
    options.max_mem = _MEMORY
    return re2.compile(pattern, options)


def _mark_bytes(mark: str, found: re.Match[bytes]) -> bytes:
    """Return `mark`, the text that replaces a found secret, as bytes in the encoding of the
    secret."""
    wide = next((len(run) for run in re.findall(rb"\x00+", found[0])), 0)
    return bytes(wide).join(bytes([letter]) for letter in mark.encode())


def _is_unicode(text: str) -> bool:
    """Return True if UTF-8 can encode the text."""
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
