"""The published rules from an image's pixels to its tokens. Their numbers are in `media_tokens`.

Each rule takes width and height (0 if unknown) and a detail level. The result is never below what
the provider's document says; for unknown pixels it is the most that is possible. Factors with
decimals are computed in integers, as a token too few would make a request too large."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Mapping
from math import floor, sqrt
from typing import NamedTuple

Formula = Callable[[int, int, str], int]  # (width, height, detail level) → tokens


def fixed_formula(levels: Mapping[str, int]) -> Formula:
    """Return a rule that gives `levels[detail]` tokens, or `levels[""]` for a detail level not in
    `levels`."""
    return lambda width, height, detail: levels.get(detail, levels[""])


def largest_formula(*rules: Formula) -> Formula:
    """Return a rule that gives the largest result of all `rules`."""
    return lambda width, height, detail: max(rule(width, height, detail) for rule in rules)


def tile_formula(base: int, tile: int) -> Formula:
    """Return OpenAI's rule of 512-pixel squares: `base` tokens, plus `tile` tokens for each square
    of the scaled image. At low detail only `base`."""

    def tokens(width: int, height: int, detail: str) -> int:
        if detail == "low":
            return base
        if not (width and height):
            return base + 8 * tile  # 2,048×768
        width, height = _scale_down(width, height, 2048)
        shortest = min(width, height)
        if shortest > 768:
            width, height = width * 768 // shortest, height * 768 // shortest
        return base + tile * _units_to_cover(width, 512) * _units_to_cover(height, 512)

    return tokens


class ImageLimits(NamedTuple):
    """The limits of a detail level: most pixels on a side, most patches (0: no limit)."""

    side: int
    patches: int = 0


PATCH, REFUSED = 32, 30_000  # pixels of a patch; patches above which an image is not taken


def patch_formula(hundredths: int, limits: Mapping[str, ImageLimits]) -> Formula:
    """Return OpenAI's rule of 32-pixel patches: `hundredths` / 100 tokens for each patch of the
    scaled image. `limits` maps detail levels to the limits of scaling; "" stands for other levels.
    """

    def tokens(width: int, height: int, detail: str) -> int:
        level = limits.get(detail, limits[""])
        if width and height:
            count = _patch_count(*_scale_down(width, height, level.side), level.patches)
        else:
            count = min(_units_to_cover(level.side, PATCH) ** 2, level.patches or REFUSED)
        return -(-count * hundredths // 100)

    return tokens


def _patch_count(width: int, height: int, budget: int) -> int:
    count = _units_to_cover(width, PATCH) * _units_to_cover(height, PATCH)
    if not budget or count <= budget:
        return count
    shrunk = sqrt(PATCH**2 * budget / (width * height))
    across, down = (side * shrunk / PATCH for side in (width, height))
    # So that whole patches fit on either side. A side under one patch has one, and the other
    # side is what is left of the budget.
    if across < 1 or down < 1:
        return budget
    shrunk *= min(floor(across) / across, floor(down) / down)
    columns, rows = (_units_to_cover(int(side * shrunk + 1e-6), PATCH) for side in (width, height))
    return min(columns * rows, budget)


def grid_formula(side: int, patches: int, patch: int = 28) -> Formula:
    """Return the rule of one token for each patch of `patch` × `patch` pixels, as Anthropic has it.
    The image is scaled down until no side is over `side` and it has at most `patches` patches."""

    def count(edge: int, other: float) -> int:
        return _units_to_cover(edge, patch) * _units_to_cover(max(round(other), 1), patch)

    def tokens(width: int, height: int, detail: str) -> int:
        if not (width and height):
            return patches
        long, short = max(width, height), min(width, height)

        def over(edge: int) -> bool:
            return count(edge, short * edge / long) > patches

        # The number rises with the edge; the first that is too many, and one less.
        edge = min(long, side // patch * patch)
        edge = max(1, bisect_left(range(1, edge + 1), True, key=over))
        return count(edge, short * edge / long)

    return tokens


def crop_formula(crop: int, levels: Mapping[str, int]) -> Formula:
    """Return the rule of Gemini 1 and 2: `crop` tokens for each square that covers the scaled
    image, or `levels[detail]` tokens for a detail level in `levels`."""

    def tokens(width: int, height: int, detail: str) -> int:
        if detail in levels:
            return levels[detail]
        if not (width and height):
            return 24 * crop  # 3,072×385, in units of 256
        width, height = _scale_down(width, height, 3072)
        if max(width, height) <= 384:
            return crop
        unit = min(768, max(256, floor(min(width, height) / 1.5)))
        return crop * _units_to_cover(width, unit) * _units_to_cover(height, unit)

    return tokens


def _scale_down(width: int, height: int, side: int) -> tuple[int, int]:
    """Return (width, height), scaled down in proportion to at most `side` pixels a side."""
    longest = max(width, height)
    if longest <= side:
        return width, height
    return max(1, round(width * side / longest)), max(1, round(height * side / longest))


def _units_to_cover(length: int, unit: int) -> int:
    """Return how many units cover a length: `length / unit`, rounded up."""
    return -(-length // unit)
