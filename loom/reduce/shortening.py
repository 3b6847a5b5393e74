"""The shortening of a large result when it comes in."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from loom.reduce.preview import preview

Shorten: TypeAlias = Callable[
    [str, int, str], str
]  # (text, characters, page) → what is shown of it


class Shortening(Struct, frozen=True):
    """Shortens a large result: both ends of a text, of JSON what the `objective` names.

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
        return preview(text, limit, page, self.objective())


TO_ITS_ENDS = Shortening()
