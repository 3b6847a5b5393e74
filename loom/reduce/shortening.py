"""The shortening of a large result when it comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from loom.reduce.preview import preview
from loom.reduce.structure import structural

Shorten: TypeAlias = Callable[
    [str, int, str], str
]  # (text, characters, page) → what is shown of it


class Shortening(Struct, frozen=True):
    """Shortens a large result by its structure, for an `objective`.

    Over `above` characters it always is (0: only when it has no room); `summary` is what a model of
    the host made of it, "" for none.
    """

    above: int = 0
    objective: Callable[[], str] = str
    summary: str = ""

    def __call__(self, text: str, limit: int, page: str) -> str:
        """At most `limit` characters that stand for a text."""
        if self.summary and len(text) > limit:
            whole = f"{self.summary}\n[the whole rests in {page}]"
            if len(whole) <= limit:
                return whole
        made = structural(text, limit, page, objective=self.objective())
        # Where there is room for much of a plain text, its end is worth more than an outline:
        # `benchmarks needs` found a little more of it one page-in away.
        if made.kind == "text" and len(text) > limit > self.above:
            return preview(text, limit, page)
        return made.text


BY_STRUCTURE = Shortening()
