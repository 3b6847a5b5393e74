"""The demands of each provider on a request, checked on what would be sent.

Written from the providers' documentation alone, and sharing no code with the encoders, so that one
can vouch for the other. A new format is a file with RULES, and a line in RULES here.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from loom_bench.laws import anthropic, gemini, openai, responses
from loom_bench.laws.bound import Bound
from loom_bench.laws.walk import Rules, Walk

__all__ = ["RULES", "Bound", "Laws", "broken"]

RULES: dict[str, Rules] = {
    "openai": openai.RULES,
    "responses": responses.RULES,
    "anthropic": anthropic.RULES,
    "gemini": gemini.RULES,
}


class Laws(Walk):
    """The laws of one format, for the requests of one session in their order.

    A request that begins with the messages of the one before costs what it added; `visited` counts
    the messages looked at. Requests must be left as they are once they were checked.
    """

    def __init__(self, format: str) -> None:
        """Raises KeyError for a format without laws."""
        super().__init__(RULES[format])


def broken(format: str, request: Mapping[str, Any]) -> list[str]:
    """Return the faults of a request, the keyword arguments of the SDK call; nothing when lawful.

    Each finding says where and what. Raises KeyError for a format without laws.
    """
    return Laws(format).check(request)
