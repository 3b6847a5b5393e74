"""The common front of two requests in a row: there a provider's cache still holds.

Messages are compared as they are rendered, so the answer is that of a byte comparison of the
requests; what the first different message begins with counts too.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import AnyStr

from msgspec import Struct

from loom.providers.counts import Sizes
from loom.providers.render.message import Message, ResultBlock, TextBlock
from loom.providers.render.render import leads, line_of
from loom.providers.render.wording import run
from loom_partitions.message import Item, Step
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window


class Shared(Struct, frozen=True):
    """`messages` at the front are equal; the first two that differ both begin with `text`."""

    messages: int
    text: str = ""


def shared(before: Iterable[Message], after: Iterable[Message]) -> Shared:
    """The common front of two requests, and nothing behind it."""
    equal = 0
    for one, two in zip(before, after, strict=False):
        if one is not two and one != two:
            return Shared(equal, common(_text(one), _text(two)) if one.role == two.role else "")
        equal += 1
    return Shared(equal)


def common(one: AnyStr, two: AnyStr) -> AnyStr:
    """The common beginning of two texts, or of two byte strings."""
    low, high = 0, min(len(one), len(two))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(two[low:middle], low):
            low = middle
        else:
            high = middle - 1
    return one[:low]


def _text(message: Message) -> str:
    """The text of a message that holds nothing else; "" for the model's own."""
    blocks = message.blocks
    if not all(isinstance(block, TextBlock | ResultBlock) for block in blocks):
        return ""
    return "\n\n".join(block.text for block in blocks)  # type: ignore[union-attr]


def prefix_tokens(window: Window, found: Shared, sizes: Sizes) -> int:
    """Tokens of what a window's request shares with another, as Loom counts them."""
    left = found.messages
    behind = [held.text.tokens for _, held in window.behind_head]
    first = window.head_tokens - sum(behind)
    tokens = 0 if leads(window) else first
    for size in [first, *behind] if leads(window) else behind:
        if not left:
            return tokens + sizes.count(found.text) if window.settled else 0
        left -= 1
        tokens += size
    tokens = window.head_tokens
    for group in groups(window.history.stream):
        size = _messages(group)
        if left < size:
            return tokens + _part(window, group, left, found.text, sizes)
        left -= size
        tokens += sum(item.tokens for item in group)
        tokens += window.limits.run if is_lowered(group[0]) else 0
    return tokens


def groups(items: Iterable[Item]) -> Iterator[list[Item]]:
    """Items that are rendered together: a run of lowered ones, or one."""
    run: list[Item] = []
    for item in items:
        if is_lowered(item):
            run.append(item)
            continue
        if run:
            yield run
            run = []
        yield [item]
    if run:
        yield run


def _messages(group: list[Item]) -> int:
    one = group[0]
    return 1 + len(one.outcomes) if isinstance(one, Step) and not is_lowered(one) else 1


def _part(window: Window, group: list[Item], equal: int, text: str, sizes: Sizes) -> int:
    """Tokens of the first `equal` messages of a group, and of the `text` the next begins with."""
    one, tokens = group[0], 0
    if is_lowered(one):
        mark = window.config.mark
        heading = run(mark)
        if not text.startswith(heading):
            return sizes.count(text)
        at = len(heading)
        tokens += window.limits.run
        for item in group:
            line = line_of(item, mark) + "\n"
            if not text.startswith(line, at):
                break
            tokens += item.tokens
            at += len(line)
        return tokens + sizes.count(text[at:])
    if isinstance(one, Step) and equal:
        results = [
            sizes.result(outcome.call_id, outcome.text.tokens, error=outcome.error)
            for outcome in one.in_order
        ]
        if one.beside:
            results[-1] += sum(paged.text.tokens for paged in one.beside)
        tokens = one.tokens - sum(results) + sum(results[: equal - 1])
    return tokens + sizes.count(text)
