"""How the tokens of an image follow from its pixels: the published rules, without their figures.

Each rule takes width and height (0 for unknown) and a detail level, and never says less than the
document does; for unknown pixels it says the most the rule can come to. Integer arithmetic where a
factor has decimals, as a token too few is a request too large.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Mapping
from math import floor, sqrt
from typing import Protocol

from msgspec import Struct


class Formula(Protocol):
    """A rule: the tokens of an image of so many pixels at a detail level."""

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens; the most the rule can come to when a side is 0."""


class Fixed(Struct, frozen=True):
    """As many for every image, by detail level; `levels[""]` where none of them is named."""

    levels: Mapping[str, int]

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens of any image."""
        return self.levels.get(detail, self.levels[""])


class Tiles(Struct, frozen=True):
    """OpenAI's 512-pixel squares: fit into 2,048², shortest side to 768, `base` + `tile` each."""

    base: int
    tile: int

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens of an image; `base` alone at low detail."""
        if detail == "low":
            return self.base
        if not (width and height):
            return self.base + 8 * self.tile  # 2,048×768
        width, height = _within(width, height, 2048)
        shortest = min(width, height)
        if shortest > 768:
            width, height = width * 768 // shortest, height * 768 // shortest
        return self.base + self.tile * _cover(width, 512) * _cover(height, 512)


class ImageLimits(Struct, frozen=True):
    """The most an image has at a detail level: pixels on a side, and patches (0: any)."""

    side: int
    patches: int = 0


class Patches(Struct, frozen=True):
    """OpenAI's 32-pixel patches: scaled into the limits of a detail level, times a factor.

    `hundredths` is the factor. `limits[""]` holds for levels not named. `refused` is the number of
    patches above which an image is not taken, and so the most where no limit says less.
    """

    hundredths: int
    limits: Mapping[str, ImageLimits]
    refused: int = 30_000
    patch: int = 32

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens of an image."""
        limits = self.limits.get(detail, self.limits[""])
        if width and height:
            patches = self._patches(width, height, limits)
        else:
            square = _cover(limits.side, self.patch) ** 2
            patches = min(square, limits.patches or self.refused)
        return -(-patches * self.hundredths // 100)

    def _patches(self, width: int, height: int, limits: ImageLimits) -> int:
        width, height = _within(width, height, limits.side)
        patches = _cover(width, self.patch) * _cover(height, self.patch)
        if not limits.patches or patches <= limits.patches:
            return patches
        shrunk = sqrt(self.patch**2 * limits.patches / (width * height))
        across, down = (side * shrunk / self.patch for side in (width, height))
        # So that whole patches fit on either side. A side under one patch has one, and the other
        # side is what is left of the budget.
        if across < 1 or down < 1:
            return limits.patches
        shrunk *= min(floor(across) / across, floor(down) / down)
        columns, rows = (_cover(int(side * shrunk + 1e-6), self.patch) for side in (width, height))
        return min(columns * rows, limits.patches)


class Grid(Struct, frozen=True):
    """Anthropic's 28-pixel patches: the largest size of one shape within a side and a number.

    Other makers' patches are counted the same way, of `patch` pixels.
    """

    side: int
    patches: int
    patch: int = 28

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens of an image: its patches."""
        if not (width and height):
            return self.patches
        long, short = max(width, height), min(width, height)

        def over(edge: int) -> bool:
            return self._count(edge, short * edge / long) > self.patches

        # The number rises with the edge; the first that is too many, and one less.
        edge = min(long, self.side // self.patch * self.patch)
        edge = max(1, bisect_left(range(1, edge + 1), True, key=over))
        return self._count(edge, short * edge / long)

    def _count(self, edge: int, other: float) -> int:
        return _cover(edge, self.patch) * _cover(max(round(other), 1), self.patch)


class Crops(Struct, frozen=True):
    """Gemini's crops up to version 2: one when both sides are small, else squares of a unit.

    The unit is the shorter side ÷ 1.5, between 256 and 768 pixels; an image is scaled into 3,072².
    """

    crop: int
    levels: Mapping[str, int]

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens of an image; those of a detail level that has a number of its own."""
        if detail in self.levels:
            return self.levels[detail]
        if not (width and height):
            return 24 * self.crop  # 3,072×385, in units of 256
        width, height = _within(width, height, 3072)
        if max(width, height) <= 384:
            return self.crop
        unit = min(768, max(256, floor(min(width, height) / 1.5)))
        return self.crop * _cover(width, unit) * _cover(height, unit)


class Most(Struct, frozen=True):
    """Whatever is most of several rules: for a model that is not known."""

    rules: tuple[Formula, ...]

    def tokens(self, width: int, height: int, detail: str) -> int:
        """Tokens of an image by the dearest rule."""
        return max(rule.tokens(width, height, detail) for rule in self.rules)


def _within(width: int, height: int, side: int) -> tuple[int, int]:
    """The pixels scaled down until no side is over `side`, in proportion."""
    longest = max(width, height)
    if longest <= side:
        return width, height
    return max(1, round(width * side / longest)), max(1, round(height * side / longest))


def _cover(length: int, unit: int) -> int:
    """How many units cover a length."""
    return -(-length // unit)
