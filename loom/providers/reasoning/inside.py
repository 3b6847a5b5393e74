"""Inside reasoning: no lines, no code, only tags that count until they balance.

A fence hides nothing here, since models stop inside one they never ended. A tag right between
quotes or backticks is a mention.
"""

from __future__ import annotations

import re

from loom.providers.reasoning.reading import ReadingState
from loom.providers.reasoning.separated import MIXED, NESTED
from loom.providers.reasoning.spellings import TAG, begun, spelling

QUOTES = {'"': '"', "'": "'", "`": "`", "“": "”", "‘": "’", "«": "»", "„": "“", "「": "」"}


class Inside:
    """The reasoning at hand; `depth` 0 is outside of any."""

    def __init__(self, reading: ReadingState) -> None:
        self.depth = 0
        self.doubled = 0  # opening tags that directly follow the first
        self._reading = reading
        self._opened = ""  # the spelling it was opened in, when that is known
        self._fresh = False  # nothing but blanks came since
        self._before = ""  # the character before the text at hand
        self._since: list[str] | None = None  # what came since the last closing tag within
        self._mark = 0  # how many pieces there were then

    def open(self, name: str) -> None:
        """An opening tag in that spelling was read; "" for one in the prompt."""
        self.depth, self.doubled, self._opened, self._fresh = 1, 0, name, True
        self._before, self._since = "", None

    def read(self, text: str, start: int) -> int:
        """Read up to the next tag; returns where that ends."""
        tag = TAG.search(text, start)
        if tag is None:
            sure = len(text) if self._reading.final else begun(text, start)
            self.think(text[start:sure])
            self._reading.rest = text[sure:]
            return len(text)
        at, end = tag.span()
        quote = QUOTES.get(text[at - 1] if at > start else self._before)
        self.think(text[start:at])
        if quote and end == len(text) and not self._reading.final:
            self._reading.rest = text[at:]
        elif quote and text[end : end + 1] == quote:
            self.think(tag[0])
        elif tag["open"]:
            self._nest(tag)
        else:
            self._unnest(tag)
        return end

    def think(self, text: str) -> None:
        """Take a text as reasoning, whatever is in it."""
        if text:
            self._fresh = self._fresh and text.isspace()
            self._before = text[-1]
            self._reading.emit("reasoning", text)
            if self._since is not None:
                self._since.append(text)

    def take_back(self) -> str | None:
        """At the end of a text: what follows the last closing tag within is no reasoning.

        Returns it, and takes its pieces back; None when there was no such tag.
        """
        if self._since is None:
            return None
        text, reading = "".join(self._since), self._reading
        closing = reading.kept[self._mark - 1].text
        del reading.kept[self._mark - 1 :]
        reading.emit("tag", closing)
        reading.out = min(reading.out, self._mark)
        self.depth, self.doubled, self._since = 0, 0, None
        return text

    def _nest(self, tag: re.Match[str]) -> None:
        self._reading.odd.append(NESTED)
        if self._fresh and self.depth == 1:
            self.doubled += 1
            self._opened = self._opened or spelling(tag)
            self._reading.emit("tag", tag[0])
        else:
            self.depth += 1
            self.think(tag[0])

    def _unnest(self, tag: re.Match[str]) -> None:
        self.depth -= 1
        if self.depth:
            self.think(tag[0])
            self._since, self._mark = [], len(self._reading.kept)
            return
        if self._opened not in ("", spelling(tag)):
            self._reading.odd.append(MIXED)
        self._reading.emit("tag", tag[0])
