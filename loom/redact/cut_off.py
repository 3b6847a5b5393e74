"""Secrets that a message repeats and cuts: their beginnings go too."""

from __future__ import annotations

_LEAST = 8  # characters of a beginning that tell it from ordinary words


def without_beginning(text: str, value: str, mark: str) -> str:
    """The text with a mark in place of the longest beginning of a value that stands in it."""
    for size in range(min(len(value), len(text)), _LEAST - 1, -1):
        if value[:size] in text:
            return text.replace(value[:size], mark)
    return text
