"""Anthropic's prompt cache: where a request carries marks.

A mark lets the provider keep the prefix that ends there, and find one that a request before kept
at most 20 blocks earlier. Four are allowed (docs.anthropic.com, prompt caching). So they stand
where a prefix is stable: behind the instructions that sessions share (tools stand before them),
behind what the last cut left as it was, at the end of the request before, and of this one.

What a mark keeps lasts five minutes, or as long as its `ttl` says. One that lasts longer must stand
before any that lasts shorter, in the order tools, system, messages (docs.anthropic.com, prompt
caching, 1-hour cache duration, 2026). Loom's marks last as long as those of the host's own list.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from msgspec import Struct

from loom.lazy import lazy_re

MOST = 4
KEY = "cache_control"
MARK = {"type": "ephemeral"}
SHORT = "5m"  # where a mark says nothing
_LASTS = lazy_re(r"(\d{1,6})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
# Blocks Loom makes or knows; what a block of another type may carry is its provider's to say.
MARKED = frozenset({"text", "image", "document", "tool_use", "tool_result"})


class MarkLifetime(Struct, frozen=True):
    """How long what marks keep is to last: before the end of a request, and at its end."""

    first: str = SHORT
    last: str = SHORT


def add_cache_marks(
    request: dict[str, Any], places: Iterable[int], lasting: MarkLifetime | None = None
) -> None:
    """Put marks into a request whose messages at `places`, and the last, are its own. `places` are
    numbers of messages. Blocks that may carry no mark are passed over."""
    lasting = lasting or MarkLifetime()
    left = MOST
    # The last text of the system is the session's own; what stands before it sessions share.
    system, tools = request.get("system", []), request.get("tools", [])
    head, at = (system, -2) if len(system) > 1 else (tools, -1)
    if head:
        head[at] = {**head[at], KEY: _mark_with_ttl(lasting.first)}
        left -= 1
    messages = request["messages"]
    blocks = []
    for place in sorted({*places, len(messages) - 1})[-left:]:
        if 0 <= place < len(messages):
            found = (one for one in reversed(messages[place]["content"]) if one["type"] in MARKED)
            blocks += [*found][:1]
    mark_blocks(blocks, lasting)


def mark_blocks(blocks: Sequence[dict[str, Any]], lasting: MarkLifetime) -> None:
    """Mark blocks, in the order of the request, so that what they keep lasts that long."""
    for block in blocks[:-1]:
        block[KEY] = _mark_with_ttl(lasting.first)
    for block in blocks[-1:]:
        block[KEY] = _mark_with_ttl(lasting.last)


def request_mark_lifetime(request: Mapping[str, Any]) -> MarkLifetime:
    """How long marks of a request that is a host's own last in its messages, and of one that marks
    the request as a whole; never longer than one before them."""
    asked = [*mark_ttls(request.get("messages")), *mark_ttls([{KEY: request.get(KEY)}])]
    return mark_lifetime(
        asked, [*mark_ttls(request.get("tools")), *mark_ttls(request.get("system"))]
    )


def mark_lifetime(asked: Sequence[str], before: Sequence[str] = ()) -> MarkLifetime:
    """How long marks last where those of messages were `asked` to, and others stand before them."""
    if not asked:
        return MarkLifetime()
    most = min(before, key=_ttl_seconds, default=max(asked, key=_ttl_seconds))
    first, end = (
        min((one, most), key=_ttl_seconds) for one in (max(asked, key=_ttl_seconds), asked[-1])
    )
    return MarkLifetime(first, end)


def mark_ttls(held: Any) -> Iterator[str]:
    """Yield how long each mark in messages or blocks lasts, in the order they stand."""
    for one in held if isinstance(held, list | tuple) else ():
        if isinstance(one, Mapping):
            yield from mark_ttls(one.get("content"))
            if isinstance(found := one.get(KEY), Mapping):
                yield str(found.get("ttl") or SHORT)


def _ttl_seconds(ttl: str) -> int:
    found = _LASTS.fullmatch(ttl)
    return int(found[1]) * _SECONDS[found[2]] if found else 0


def _mark_with_ttl(ttl: str) -> dict[str, Any]:
    return dict(MARK) if ttl == SHORT else {**MARK, "ttl": ttl}
