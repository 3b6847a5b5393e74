"""Which partition and entry each message of a request is of, and the tokens it takes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from loom.providers.render.render import leads
from loom_partitions.message import Digest, Item, Notice, Step, UserTurn, name_of
from loom_partitions.stream import is_lowered
from loom_partitions.window import Window


class MessagePlace(NamedTuple):
    """Where a message belongs: its partition, the name of what it shows, and its tokens."""

    partition: str
    entry: str
    tokens: int


def placed(window: Window) -> Iterator[MessagePlace]:
    """A place for each message of the window's request, in its order.

    Their tokens and those of the declared tools come to the window's.
    """
    yield from _head(window)
    yield from behind(window.history.stream, window.limits.run)


def _head(window: Window) -> Iterator[MessagePlace]:
    """The leading message, then each text in a message of its own."""
    behind = [(name, held.key, held.text.tokens) for name, held in window.behind_head]
    tools = window.skill.tools.tokens
    total = window.head_tokens - tools - sum(tokens for *_, tokens in behind)
    if leads(window):
        yield MessagePlace("system", "head", total)
    yield from (MessagePlace(*place) for place in behind)


def behind(stream: Iterable[Item], run: int) -> Iterator[MessagePlace]:
    """A place for each message of a stream; a `run` of lowered entries is one message, and takes
    so many tokens beside those of its entries."""
    names: list[str] = []
    tokens = 0
    for item in stream:
        if is_lowered(item) and not isinstance(item, Notice):
            tokens += item.tokens if names else item.tokens + run
            names.append(name_of(item))
            continue
        if names:
            yield _run(names, tokens)
            names, tokens = [], 0
        yield from _one(item)
    if names:
        yield _run(names, tokens)


def _run(names: list[str], tokens: int) -> MessagePlace:
    return MessagePlace(
        "history", names[0] if len(names) == 1 else f"{names[0]} … {names[-1]}", tokens
    )


def _one(item: Item) -> Iterator[MessagePlace]:
    """The message of an item; of a step its reply and each of its results."""
    if isinstance(item, Notice):
        yield MessagePlace(item.partition, "notice", item.tokens)
    elif isinstance(item, Step):
        results = [outcome.text.tokens for outcome in item.in_order]
        if results:
            results[-1] += sum(paged.text.tokens for paged in item.beside)
        yield MessagePlace("history", name_of(item), item.tokens - sum(results))
        for tokens in results:
            yield MessagePlace("history", name_of(item), tokens)
    elif isinstance(item, UserTurn | Digest):
        yield MessagePlace("history", name_of(item), item.tokens)
