"""The history in the order of the request: sealed chunks and an open tail.

Versions of a window share structure: an append copies at most one open tail of `CHUNK` items, so an
append costs the same at any length. Sealed chunks form a chain from newest to oldest. Totals by
partition run along, so nobody sums over the history to learn its size."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain

from msgspec import Struct
from msgspec.structs import replace

from loom_partitions.limits import Tokens
from loom_partitions.message import Detail, Digest, Entry, Fact, Item, Notice, Step, UserTurn

CHUNK = 32


class Chunk(Struct, frozen=True):
    """A fixed tuple of items, and the chunk before it (None for the first)."""

    items: tuple[Item, ...]
    before: Chunk | None = None


class Stream(Struct, frozen=True):
    """An immutable sequence of entries and notices. `totals` holds the sums of their tokens."""

    sealed: Chunk | None = None
    tail: tuple[Item, ...] = ()
    length: int = 0
    totals: Tokens = Tokens()

    def __len__(self) -> int:
        """Return the number of items."""
        return self.length

    def __iter__(self) -> Iterator[Item]:
        """Return an iterator over the items, oldest first."""
        chunks, chunk = [self.tail], self.sealed
        while chunk is not None:
            chunks.append(chunk.items)
            chunk = chunk.before
        return chain.from_iterable(reversed(chunks))

    def __reversed__(self) -> Iterator[Item]:
        """Yield the items, newest first."""
        yield from reversed(self.tail)
        chunk = self.sealed
        while chunk is not None:
            yield from reversed(chunk.items)
            chunk = chunk.before

    @property
    def entries(self) -> Iterator[Entry]:
        """The entries without notices, oldest first."""
        return (item for item in self if not isinstance(item, Notice))

    @property
    def entries_back(self) -> Iterator[Entry]:
        """The entries without notices, newest first."""
        return (item for item in reversed(self) if not isinstance(item, Notice))

    @property
    def unanswered(self) -> tuple[UserTurn | Step, ...]:
        """The entries that the model has not replied to, oldest first: the last step if it has
        results, and the user turns after it. Lines that Loom read ahead are not included."""
        found: list[UserTurn | Step] = []
        for entry in self.entries_back:
            if isinstance(entry, Digest):
                break
            if isinstance(entry, Step):
                found += [entry] if entry.outcomes else []
                break
            if not entry.ahead:
                found.append(entry)
        return tuple(reversed(found))

    @property
    def last(self) -> Item | None:
        """The newest item. None means that the stream is empty."""
        return self.tail[-1] if self.tail else None

    def append(self, item: Item) -> Stream:
        """Return the stream with one more item at its end."""
        sealed, tail = self.sealed, self.tail
        if len(tail) >= CHUNK:
            # The newest item stays in the open tail: a step may still wait for results.
            sealed, tail = Chunk(tail[:-1], sealed), tail[-1:]
        return Stream(
            sealed, (*tail, item), self.length + 1, self.totals.plus(*partition_and_tokens(item))
        )

    def amend(self, item: UserTurn | Step) -> Stream:
        """Return the stream with `item` in place of the entry with its id. Raises KeyError for
        none."""
        for at in range(len(self.tail) - 1, -1, -1):
            old = self.tail[at]
            if not isinstance(old, Notice) and old.id == item.id:
                tail = (*self.tail[:at], item, *self.tail[at + 1 :])
                change = item.tokens - old.tokens
                return replace(self, tail=tail, totals=self.totals.plus("history", change))
        # A result for a step that many items have followed.
        if all(old.id != item.id for old in self.entries):
            raise KeyError(item.id)
        return self._map_items(lambda old: item if getattr(old, "id", 0) == item.id else old)

    def with_summary(self, page: str, lines: tuple[str, ...]) -> Stream:
        """Return the stream with the `lines` of a summary as facts of the digest that has this
        `page`, in place of an older summary. The shown text stays the same."""

        def change(item: Item) -> Item:
            if not isinstance(item, Digest) or item.page != page:
                return item
            facts = (fact for fact in item.facts if fact.kind != "summary")
            summary = (Fact("summary", line) for line in lines)
            return replace(item, facts=(*summary, *facts), told=True)

        return self._map_items(change)

    def with_media_tokens(self, tokens: Mapping[int, int]) -> Stream:
        """Return the stream with new token counts for attachments. `tokens` maps the id of an entry
        to the new count of its attachment."""

        def change(item: Item) -> Item:
            media = item.text.media if isinstance(item, UserTurn) else None
            if not isinstance(item, UserTurn) or media is None or item.id not in tokens:
                return item
            more, media = tokens[item.id] - media.tokens, replace(media, tokens=tokens[item.id])
            text = replace(item.text, tokens=item.text.tokens + more, media=media)
            return replace(item, text=text, tokens=item.tokens + more)

        return self._map_items(change)

    def _map_items(self, change: Callable[[Item], Item]) -> Stream:
        """Return the stream with every item replaced by `change(item)`. Slow for a long stream."""
        items = [change(item) for item in self]
        more = sum(new.tokens - old.tokens for old, new in zip(self, items, strict=True))
        return replace(Stream.of(items, 0), totals=self.totals.plus("history", more))

    @staticmethod
    def of(items: Iterable[Item], run_tokens: int) -> Stream:
        """Return a stream of these items. `run_tokens` is the overhead of a message that holds
        adjacent entries shown as lines."""
        sealed: Chunk | None = None
        totals = Tokens()
        held: list[Item] = []
        length = 0
        lowered = False
        for item in items:
            totals = totals.plus(*partition_and_tokens(item))
            if is_lowered(item) and not lowered:
                totals = totals.plus("history", run_tokens)
            lowered = is_lowered(item)
            length += 1
            if len(held) >= CHUNK:
                sealed, held = Chunk(tuple(held[:-1]), sealed), held[-1:]
            held.append(item)
        return Stream(sealed, tuple(held), length, totals)


def partition_and_tokens(item: Item) -> tuple[str, int]:
    """Return (name of the partition that an item is counted to, number of its tokens)."""
    return (item.partition if isinstance(item, Notice) else "history", item.tokens)


def is_lowered(item: Item) -> bool:
    """Return True for a digest, and for an entry with the level of detail REDUCED or COMPACT."""
    if isinstance(item, Notice):
        return False
    return isinstance(item, Digest) or item.detail >= Detail.REDUCED
