"""The common front of two successive requests: what a provider's cache still holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import chain, groupby, islice
from typing import AnyStr

from msgspec import Struct

from loom.providers.counts import MessageSizes
from loom.providers.render.message import Message, ResultBlock, TextBlock
from loom.providers.render.render import has_system_message
from loom_partitions.message import Step
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window


class CommonFront(Struct, frozen=True):
    """The equal beginning of two requests: their first `messages` messages, and `text`, the common
    beginning of the next message of each; "" for none."""

    messages: int
    text: str = ""


def common_front(before: Iterable[Message], after: Iterable[Message]) -> CommonFront:
    """Return the equal beginning of the requests `before` and `after`."""
    equal = 0
    for one, two in zip(before, after, strict=False):
        if one is not two and one != two:
            return CommonFront(
                equal,
                common_prefix(_message_text(one), _message_text(two))
                if one.role == two.role
                else "",
            )
        equal += 1
    return CommonFront(equal)


def common_prefix(one: AnyStr, two: AnyStr) -> AnyStr:
    """Return the longest common beginning of two texts or byte strings: ("abc", "abd") → "ab"."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(two[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return one[:low]


def _message_text(message: Message) -> str:
    """Return the text of a message that has only text and result blocks; "" for any other."""
    blocks = message.blocks
    if not all(isinstance(block, TextBlock | ResultBlock) for block in blocks):
        return ""
    return "\n\n".join(block.text for block in blocks)  # type: ignore[union-attr]


def common_front_tokens(window: Window, found: CommonFront, sizes: MessageSizes) -> int:
    """Return the tokens of `found`, the beginning that the window's request has in common with
    another request."""
    behind = [held.text.tokens for _, held in window.behind_head]
    front = [window.head_tokens - sum(behind)]  # tools, and the system message where there is one
    before = [] if has_system_message(window) else front
    rest = chain(
        front if has_system_message(window) else (), behind, _message_tokens(window, sizes)
    )
    return sum(before) + sum(islice(rest, found.messages)) + sizes.count(found.text)


def _message_tokens(window: Window, sizes: MessageSizes) -> Iterator[int]:
    """Yield the tokens of each message of the history, in order."""
    for lowered, items in groupby(window.history.stream, is_lowered):
        if lowered:
            yield window.limits.run + sum(item.tokens for item in items)
            continue
        for item in items:
            results = [
                sizes.result(outcome.call_id, outcome.text.tokens, error=outcome.error)
                for outcome in (item.in_order if isinstance(item, Step) else ())
            ]
            if isinstance(item, Step) and item.beside:
                results[-1] += sum(paged.text.tokens for paged in item.beside)
            yield item.tokens - sum(results)
            yield from results
