"""The redactor: it replaces secrets before anything is hashed, counted or written.

What is stored, restored and sent is the text after redaction; `redact=()` turns redaction off. An
error message may quote a secret only up to some character: that part is replaced too. If redaction
makes two keys of a JSON object equal, they get numbers, so that no member is lost. JSON is read and
written here with lone surrogates and at whatever depth it has."""

from __future__ import annotations

import json as standard
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache, partial
from typing import Any

from msgspec import MsgspecError, json

from loom.errors import LoomError
from loom.lazy import lazy_re
from loom.redact.given_rules import checked_rules
from loom.redact.rules import SECRETS
from loom.redact.secret_rule import Allowed, Rules, SecretRule, compile_rules
from loom.redact.secret_search import SecretSearch, Span
from loom.redact.text_in_bytes import byte_encoding, change_text_in_bytes


def parse_json(text: str) -> Any:
    """Return the value of a JSON text, Ellipsis for any other text."""
    try:
        return json.decode(text)
    except UnicodeEncodeError:  # a lone surrogate, as it is
        try:
            return standard.loads(text)
        except (ValueError, RecursionError):
            return ...
    except (MsgspecError, RecursionError):
        return ...


def json_text(value: Any) -> str:
    """Return a value as JSON. Raises RecursionError for a value nested too deeply."""
    try:
        return json.encode(value).decode()
    except UnicodeEncodeError:
        return standard.dumps(value, ensure_ascii=False)


def has_same_structure(value: Any, other: Any) -> bool:
    """Return True if two JSON values are equal once their texts and keys are ignored."""
    if isinstance(value, dict) and isinstance(other, dict):
        pairs = zip(value.values(), other.values(), strict=False)
        return len(value) == len(other) and all(has_same_structure(*pair) for pair in pairs)
    if isinstance(value, list) and isinstance(other, list):
        return len(value) == len(other) and all(map(has_same_structure, value, other))
    return (isinstance(value, str) and isinstance(other, str)) or value == other


def texts_within(text: str) -> Iterator[str]:
    """Yield the text. If it is JSON, also yield each text and key in it."""
    yield text
    waiting = [parse_json(text)]
    while waiting:
        value = waiting.pop()
        if isinstance(value, str):
            yield value
        elif isinstance(value, dict):
            waiting += [*value, *value.values()]
        elif isinstance(value, list):
            waiting += value


_PART = lazy_re(r'"((?:[^"\\]|\\.)*+)"(\s*+:)?|[{}]')


def with_distinct_keys(text: str) -> str:
    """Return the JSON text with a number added to each redacted key that repeats a key of its
    object: `"[redacted:key]#2"`."""
    if _BEGUN not in text:
        return text
    objects: list[dict[str, int]] = [{}]  # of each that is open: its keys, and how often

    def tell(found: re.Match[str]) -> str:
        if found[0] == "{":
            objects.append({})
        elif found[0] == "}" and len(objects) > 1:
            objects.pop()
        elif found[2] is not None:
            return f'"{_distinct_key(found[1], objects[-1])}"{found[2]}'
        return found[0]

    return _PART.sub(tell, text)


def _distinct_key(key: str, known: dict[str, int]) -> str:
    """Return the key under which a member goes into a redacted object. Two secret keys may both
    become "[redacted:kind]"; the second then gets a number appended. `known` counts the keys of the
    object so far, and is updated."""
    made = key
    while _BEGUN in key and made in known:
        known[key] += 1
        made = f"{key}#{known[key]}"
    known.setdefault(made, 1)
    return made


_LEAST = 8  # characters of a beginning that tell it from ordinary words


def without_secret_beginning(text: str, value: str, mark: str) -> str:
    """Return the text with the longest beginning of the secret `value` that it contains, of at
    least `_LEAST` characters, replaced by `mark`."""
    sizes = range(min(len(value), len(text)) + 1)
    size = bisect_right(sizes, False, key=lambda size: value[:size] not in text) - 1
    return text.replace(value[:size], mark) if size >= _LEAST else text


_TEXT = lazy_re(r'"((?:[^"\\]|\\.)*+)"')  # of JSON
_LEAF = lazy_re(rf"{_TEXT.pattern}|(?P<numbers>\d[\d, \n]*+)")
_BEGUN = "[redacted:"
_AGAIN = 3  # times a text is searched at most: what was replaced may have parted two others
_FOUND_ANYWAY = ("private-key", "password")  # kinds that need no rule


@lru_cache(maxsize=8)
def _shared_search(rules: tuple[SecretRule | Allowed, ...]) -> SecretSearch:
    """Return a search by these rules. The last few searches are cached."""
    return SecretSearch(*compile_rules(rules))


def _secret_search(rules: tuple[SecretRule | Allowed, ...]) -> SecretSearch:
    """Return a search by these rules, from the cache if the rules can be hashed."""
    # Making a search takes 50 ms.
    try:
        return _shared_search(rules)
    except TypeError:  # a check that cannot be hashed
        return SecretSearch(*compile_rules(rules))


class Redactor:
    """Replaces each secret in a text by `[redacted:kind]`. `counts` maps each kind to the number of
    secrets replaced since the last `take`.

    Raises BadInput for rules that cannot be used. A redactor can be pickled if the `check`
    functions of its rules can."""

    def __init__(self, patterns: Rules = SECRETS) -> None:
        self.patterns = checked_rules(patterns)
        self._search = _secret_search(self.patterns)
        kinds = {rule.kind for rule in self.patterns if isinstance(rule, SecretRule)}
        self._mark = re.compile(
            rf"\[redacted:(?:{'|'.join(map(re.escape, sorted({*kinds, *_FOUND_ANYWAY})))})\]"
        )
        self.counts: dict[str, int] = {}

    def __reduce__(self) -> tuple[Any, ...]:
        return Redactor, (self.patterns,), {"counts": self.counts}

    def __call__(self, text: str) -> str:
        """Return the text with every secret replaced by `[redacted:kind]`."""
        return self._replace_secrets(text, self.counts)

    def data(self, data: bytes) -> bytes:
        """Return bytes with every secret in their text (UTF-8 or UTF-16) replaced."""
        encoding, errors, end = byte_encoding(data)
        return change_text_in_bytes(data[:end], encoding, errors, self) + data[end:]

    def arguments(self, text: str) -> str:
        """Return a JSON text with every secret replaced, also secrets written with JSON escapes."""
        return self._replace_in_json(text, self.counts)

    def value(self, value: Any) -> Any:
        """Return a JSON value with every secret in its texts and keys replaced. Raises
        RecursionError for a value nested too deeply."""
        text = json_text(value)
        clean = self.arguments(text)
        return value if clean == text else parse_json(clean)

    def holds_secret(self, text: str) -> bool:
        """Return True if a text contains a secret."""
        found: dict[str, int] = {}
        self._replace_in_json(text, found)
        return bool(found)

    def kinds(self, text: str) -> tuple[str, ...]:
        """Return the kinds of the secrets in a text that is withheld; count them in `counts`."""
        found: dict[str, int] = {}
        self._replace_secrets(text, found)
        for kind, times in found.items():
            self.counts[kind] = self.counts.get(kind, 0) + times
        return tuple(found)

    def message(self, text: str, source: str) -> str:
        """Return an error message with secrets replaced, also the beginnings of secrets in
        `source`, the JSON text that the error is about."""
        clean = self(text)
        for said in texts_within(source):
            for start, end, kind in self._secret_spans(said):
                clean = without_secret_beginning(clean, said[start:end], f"[redacted:{kind}]")
        return clean

    def take(self) -> dict[str, int]:
        """Return `counts` and reset it to {}."""
        counts, self.counts = self.counts, {}
        return counts

    def _secret_spans(self, text: str) -> list[Span]:
        """Return (start, end, kind) of each secret in the text, except in a `[redacted:kind]`."""
        spans = self._search(text)
        if not spans or _BEGUN not in text:
            return spans
        ends = {mark.start(): mark.end() for mark in self._mark.finditer(text)}
        starts = [*ends]

        def marked(start: int, end: int) -> bool:
            before = bisect_right(starts, start)
            return before > 0 and end <= ends[starts[before - 1]]

        return [span for span in spans if not marked(span[0], span[1])]

    def _replace_secrets(self, text: str, counts: dict[str, int]) -> str:
        """Return the text with each secret replaced; add the number of each kind to `counts`.
        Raises LoomError for a value that has no text."""
        try:
            text = str(text)  # of a class of its own, a text that stays would be of it still
        except (ValueError, RecursionError) as error:
            raise LoomError(f"a value of type {type(text).__name__} has no text: {error}") from None
        for _ in range(_AGAIN):
            spans = self._secret_spans(text)
            if not spans:
                break
            text = _with_marks(text, spans)
            _add_counts(spans, counts)
        return text

    def _replace_in_json(self, text: str, counts: dict[str, int]) -> str:
        """Return the JSON text with each secret replaced, still as JSON; add to `counts`."""
        found: dict[str, int] = {}
        clean = self._replace_secrets(text, found)
        if clean != text and (value := parse_json(text)) is not ...:
            clean = with_distinct_keys(clean)
            if not has_same_structure(value, parse_json(clean)):
                found = {}
                clean = with_distinct_keys(self._replace_across_texts(text, found))
        for kind, times in found.items():
            counts[kind] = counts.get(kind, 0) + times
        return clean

    def _replace_across_texts(self, text: str, counts: dict[str, int]) -> str:
        """Return a JSON text with each secret replaced; add the number of each kind to `counts`. A
        secret that reaches across strings gets a `[redacted:kind]` in each of these strings."""
        text = _TEXT.sub(lambda found: f'"{self._replace_secrets(found[1], counts)}"', text)
        for _ in range(_AGAIN):
            spans = [one for one in self._secret_spans(text) if not text.startswith(_BEGUN, one[0])]
            ends = [end for _, end, _ in spans]
            before, text = text, _LEAF.sub(partial(_with_marks_inside, spans, ends), text)
            if text == before:
                break
            _add_counts(spans, counts)
        return text


def _add_counts(spans: Iterable[Span], counts: dict[str, int]) -> None:
    """Add one to `counts` for the kind of each span."""
    for _, _, kind in spans:
        counts[kind] = counts.get(kind, 0) + 1


def _with_marks(text: str, spans: Sequence[Span]) -> str:
    """Return the text with each span (start, end, kind) replaced by `[redacted:kind]`."""
    parts: list[str] = []
    at = 0
    for start, end, kind in spans:
        parts += (text[at:start], f"[redacted:{kind}]")
        at = end
    return "".join((*parts, text[at:]))


def _with_marks_inside(spans: Sequence[Span], ends: Sequence[int], found: re.Match[str]) -> str:
    """Return the text of a match of `_LEAF` (a JSON string, or a list of numbers) with the part of
    each span inside the match replaced. A list of numbers with a span becomes the string
    `"[redacted:kind]"`. `ends` are all spans' ends."""
    first, last = found.span("numbers" if found["numbers"] else 1)
    inside: list[Span] = []
    for number in range(bisect_right(ends, first), len(spans)):
        start, end, kind = spans[number]
        if start >= last:
            break
        inside.append((max(first, start) - first, min(last, end) - first, kind))
    if not inside:
        return found[0]
    return (
        f'"{_with_marks(found[1], inside)}"'
        if not found["numbers"]
        else f'"[redacted:{inside[0][2]}]"'
    )
