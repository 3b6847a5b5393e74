"""Anthropic's prompt cache: where a request carries cache marks.

A mark lets the provider keep the prefix of the request that ends at the mark, and find a prefix
that an earlier request kept at most 20 blocks before. A request may carry four marks
(docs.anthropic.com, prompt caching). So Loom sets marks where a prefix is stable: behind the
instructions that sessions share (tools stand before them), behind the messages that the last cut
left unchanged, at the end of the previous request, and at the end of this one.

The provider keeps a prefix for five minutes, or for the `ttl` of its mark. A mark with a longer ttl
must stand before every mark with a shorter one, in the order tools, system, messages
(docs.anthropic.com, prompt caching, 1-hour cache duration, 2026). Loom's marks take the ttl of the
marks in the host's own list."""

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
    """The ttls of a request's cache marks, such as "5m" or "1h". `last` is for the mark at the end
    of the request, `first` for all others."""

    first: str = SHORT
    last: str = SHORT


def add_cache_marks(
    request: dict[str, Any], places: Iterable[int], lasting: MarkLifetime | None = None
) -> None:
    """Add at most four cache marks to a request, in place: after the instructions that sessions
    share, on the last message, and on messages whose indexes are in `places`. The messages that get
    a mark must be the caller's own copies."""
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
    """Add a cache mark to each block, in place. The last block gets the ttl `lasting.last`, all
    others get `lasting.first`."""
    for block in blocks[:-1]:
        block[KEY] = _mark_with_ttl(lasting.first)
    for block in blocks[-1:]:
        block[KEY] = _mark_with_ttl(lasting.last)


def request_mark_lifetime(request: Mapping[str, Any]) -> MarkLifetime:
    """Return the ttls for the marks that Loom adds to a host's request. They follow the host's own
    marks."""
    asked = [*mark_ttls(request.get("messages")), *mark_ttls([{KEY: request.get(KEY)}])]
    return mark_lifetime(
        asked, [*mark_ttls(request.get("tools")), *mark_ttls(request.get("system"))]
    )


def mark_lifetime(asked: Sequence[str], before: Sequence[str] = ()) -> MarkLifetime:
    """Return the ttls for Loom's marks in the messages of a request. `asked` are the ttls of the
    host's marks in the messages, `before` the ttls of the host's marks in tools and system. A
    returned ttl is never longer than the shortest of `before`."""
    if not asked:
        return MarkLifetime()
    most = min(before, key=_ttl_seconds, default=max(asked, key=_ttl_seconds))
    first, end = (
        min((one, most), key=_ttl_seconds) for one in (max(asked, key=_ttl_seconds), asked[-1])
    )
    return MarkLifetime(first, end)


def mark_ttls(value: Any) -> Iterator[str]:
    """Yield the ttl of each cache mark in a list of messages or blocks, in order, such as "1h". A
    mark without a ttl yields "5m"."""
    for one in value if isinstance(value, list | tuple) else ():
        if isinstance(one, Mapping):
            yield from mark_ttls(one.get("content"))
            if isinstance(found := one.get(KEY), Mapping):
                yield str(found.get("ttl") or SHORT)


def _ttl_seconds(ttl: str) -> int:
    """Return a ttl in seconds: "5m" → 300. 0 for a text of another form."""
    found = _LASTS.fullmatch(ttl)
    return int(found[1]) * _SECONDS[found[2]] if found else 0


def _mark_with_ttl(ttl: str) -> dict[str, Any]:
    """Return a new cache mark. It has a `ttl` member unless the ttl is the default, "5m"."""
    return dict(MARK) if ttl == SHORT else {**MARK, "ttl": ttl}
