"""OpenRouter's `reasoning_details`, from fragments.

Shapes: https://openrouter.ai/docs/use-cases/reasoning-tokens. A block's text comes in fragments of
one type and `index`, its signature last, in a fragment of its own; the signature holds for the
whole text, so blocks must go back as they would have come unstreamed. The index alone does not
tell blocks apart: streams number every block 0 (OpenRouterTeam/ai-sdk-provider, pull 520).
"""

from __future__ import annotations

from typing import Any

from loom.providers.formats.stream.growing import Growing
from loom.providers.formats.wire import Wire

_TEXTS = ("text", "summary")


class Details:
    """The blocks of reasoning so far, in the order in which they began."""

    def __init__(self) -> None:
        self._blocks: list[Growing | Any] = []
        self._open: dict[object, Growing] = {}

    def __bool__(self) -> bool:
        return bool(self._blocks)

    def take(self, fragment: object) -> None:
        """Add a fragment to the newest block of its index, or begin a block with it."""
        if not isinstance(fragment, dict):
            self._blocks.append(fragment)
            return
        index = fragment.get("index")
        index = index if isinstance(index, int) else None
        block = self._open.get(index)
        if block is None or not _continues(fragment, block):
            block = self._open[index] = Growing(_TEXTS)
            self._blocks.append(block)
        block.take(fragment)

    def value(self) -> list[Any]:
        """Return the blocks as an unstreamed reply holds them."""
        return [block.value() if isinstance(block, Growing) else block for block in self._blocks]


def _continues(fragment: Wire, block: Growing) -> bool:
    """Tell whether a fragment is of the same type and id, and the block not yet complete.

    Encrypted data always comes whole; a signed text is complete.
    """
    if fragment.get("type") != block.get("type") or "data" in block.names:
        return False
    id, known = fragment.get("id"), block.get("id")
    if id and known and id != known:
        return False
    signed = block.get("signature")
    return not signed or not (
        fragment.get("text") or fragment.get("signature") not in (None, signed)
    )
