"""Where the secrets of a text stand: as it is written, as it is shown, and in what it encodes.

A text is searched as it is written, with the usual escapes (`\\n`, `\\"`) read in place. Where it
holds others, or sequences of a terminal, it is searched as it is shown too (`visible`), first as
one word, then with a gap for each move of the cursor. What stands in it in base64 or hexadecimal
digits is searched the same way, once. All places are those of the text as it came.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from loom.redact.armour import armoured
from loom.redact.encoded import encoded
from loom.redact.excerpts import Excerpt, named, options, small_letters, tokens
from loom.redact.rule import CompiledRule
from loom.redact.visible import VisibleText, hides

Span = tuple[int, int, str]  # where it starts, where it ends, the kind
_ESCAPE = re.compile(r"""\\{1,8}["'nrt]""")
_SAME = {"n": "\n", "r": "\n", "t": "\t"}
LEAST = 6  # characters of the shortest secret with what gives it away


class SecretSearch:
    """Finds the secrets of texts by rules made ready."""

    def __init__(self, rules: Sequence[CompiledRule], allowed: Callable[[str], bool]) -> None:
        self._rules = rules
        self._allowed = allowed

    def __call__(self, text: str) -> list[Span]:
        """The places of the secrets in a text, in order, none within or across another."""
        if len(text) < LEAST or not self._rules:
            return []
        return joined(self._found(text, True))

    def _found(self, text: str, inside: bool) -> Iterator[Span]:
        soft = softened(text)
        yield from self._within(soft, text)
        if hides(soft):
            shown = VisibleText(soft, apart=False)
            yield from self._shown(shown, text)
            if shown.parted:
                yield from self._shown(VisibleText(soft, apart=True), text)
        if inside:
            for start, end, said in encoded(soft):
                kind = next((kind for _, _, kind in self._found(said, False)), "")
                if kind:
                    yield start, end, kind

    def _shown(self, shown: VisibleText, text: str) -> Iterator[Span]:
        for start, end, kind in self._within(shown.bare, shown.bare):
            if start < end:
                yield (*shown.span(start, end), kind)

    def _within(self, text: str, exact: str) -> Iterator[Span]:
        """Secrets by every rule; `exact` says the values, of the same length."""
        for start, end in armoured(text):
            yield start, end, "private-key"
        folded = named(small_letters(text))
        parts = {
            "text": (whole := Excerpt(text, None)),
            "folded": folded,
            "options": options(text),
            "begins": (runs := tokens(text)),
            "inside": runs,
        }
        del whole
        for rule in self._rules:
            part = parts[rule.place]
            # The values are checked as they are written, whatever the letters were made.
            for match in rule.matches(part.text):
                first = part.span(match.start(), match.start())[0]
                start, end = part.span(*rule.span(match))
                if start < end and rule.holds(text, first, start, end):
                    if not self._allowed(exact[start:end]):
                        yield start, end, rule.kind


def softened(text: str) -> str:
    """The text with escaped quotes, line ends and tabs read in place, so that none moves."""
    return _ESCAPE.sub(_read, text) if "\\" in text else text


def _read(found: re.Match[str]) -> str:
    char = found[0][-1]
    return _SAME.get(char, char) * len(found[0])


def joined(spans: Iterable[Span]) -> list[Span]:
    """Spans in order; those that overlap as one, of the kind of the longest."""
    made: list[Span] = []
    for start, end, kind in sorted(spans, key=lambda span: (span[0], -span[1])):
        if made and start < made[-1][1]:
            first, last, known = made[-1]
            longer = end - start > last - first
            made[-1] = (first, max(last, end), kind if longer else known)
        else:
            made.append((start, end, kind))
    return made
