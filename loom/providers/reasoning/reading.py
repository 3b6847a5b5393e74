"""The state both modes of a `Separator` share: where the reading is, and its pieces."""

from __future__ import annotations

import re

from loom.providers.reasoning.separated import TaggedPiece, merged


class ReadingState:
    """The text at hand, as offsets of the whole, and the pieces that were made of it."""

    def __init__(self) -> None:
        self.base = 0  # offset of the text at hand
        self.rest = ""  # its end, which may be the beginning of a tag
        self.final = False  # nothing comes any more
        self.kept: list[TaggedPiece] = []
        self.out = 0  # how many of them were given out
        self.odd: list[str] = []
        self.first = ""  # what the first tag outside code was: "open", "close" or "prose"
        self.first_at = -1  # and where

    def emit(self, kind: str, text: str) -> None:
        """Keep a piece."""
        if text:
            self.kept.append(TaggedPiece(kind, text))

    def new(self) -> tuple[TaggedPiece, ...]:
        """The pieces that were not given out yet."""
        new, self.out = self.kept[self.out :], len(self.kept)
        return merged(new)

    def note(self, kind: str, tag: re.Match[str]) -> None:
        """Note what the first tag outside code is."""
        if not self.first:
            self.first, self.first_at = kind, self.base + tag.start()
