"""A mark a quantity can fall below: told when it does, not while it stays there."""

from __future__ import annotations

CLEAR = 1.25  # times the mark a quantity must reach again before another fall is told


class Threshold:
    """One mark with hysteresis. A quantity that wavers around it is told once."""

    def __init__(self, clear: float = CLEAR) -> None:
        if clear < 1:
            raise ValueError(f"clear is {clear!r}: a mark is cleared at 1 times itself or above")
        self._clear = clear
        self._below = False

    def fell(self, ratio: float) -> bool:
        """True when `ratio` (quantity ÷ threshold) has just fallen below 1 after being clear."""
        if self._below:
            self._below = ratio < self._clear
            return False
        self._below = ratio < 1
        return self._below
