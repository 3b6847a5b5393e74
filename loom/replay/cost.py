"""What requests cost: tokens read from the provider's prompt cache, tokens written to it, money.

What a request shares with the front of the one before, byte for byte, is read from the cache; the
rest is written to it. Nothing ever expires. Every list of messages is counted alike, Loom's and a
client's own, and as the engine counts (`loom.providers.counts.sizes`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from msgspec import Struct, json

from loom.inputs import ClientCompaction
from loom.providers.counts import Counter
from loom.providers.counts.sizes import CALL, MESSAGE, RESULT
from loom.providers.prices import MILLION, Prices
from loom.providers.render.message import Block, CallBlock, Message, ResultBlock, TextBlock


class Meter:
    """Tokens of messages; a text is counted once, however often it is sent.

    Reasoning is left out, as no request of a recorded session sends it again.
    """

    def __init__(self, count: Counter) -> None:
        self._count = count
        self._texts: dict[str, int] = {}

    def text(self, text: str) -> int:
        """Tokens of one text."""
        known = self._texts.get(text)
        if known is None:
            known = self._texts[text] = self._count(text)
        return known

    def message(self, message: Message) -> int:
        """Tokens of one message."""
        return MESSAGE + sum(self._block(block) for block in message.blocks)

    def messages(self, messages: Iterable[Message]) -> int:
        """Tokens of a request."""
        return sum(map(self.message, messages))

    def _block(self, block: Block) -> int:
        if isinstance(block, CallBlock):
            return CALL + sum(map(self.text, (block.id, block.name, block.arguments)))
        if isinstance(block, ResultBlock):
            return RESULT + self.text(block.call_id) + self.text(block.text)
        return self.text(block.text) if isinstance(block, TextBlock) else 0


class Bill(Struct):
    """The tokens of some requests. `reused` of those `sent` were read from the cache, `hourly`
    written to it for an hour.

    `cuts` counts requests that do not begin with the one before, `peak` is the largest request.
    `unrecoverable` counts texts that came in and do not come back, None where nothing is kept.
    """

    calls: int = 0
    sent: int = 0
    reused: int = 0
    cuts: int = 0
    peak: int = 0
    unrecoverable: int | None = None
    hourly: int = 0

    @property
    def written(self) -> int:
        """Tokens that were written to the cache."""
        return self.sent - self.reused

    def cost(self, prices: Prices) -> float:
        """Dollars for the input of the requests."""
        return prices.input_cost(self.reused, self.written, self.hourly)

    def add(self, other: Bill) -> None:
        """Take in the bill of other requests."""
        for name in ("calls", "sent", "reused", "cuts", "hourly"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.peak = max(self.peak, other.peak)
        if other.unrecoverable is not None:
            self.unrecoverable = (self.unrecoverable or 0) + other.unrecoverable


class PlainRun(Struct, frozen=True):
    """The requests a plain client would have sent, and where they no longer fit.

    `bill` is of all of them, as if the window had no end. `overflow` is the number of the first
    request, from 1, that is larger than the room it has, 0 when all fit; `lawful` is the bill of
    those before it.
    """

    bill: Bill
    lawful: Bill
    overflow: int = 0


class Billing:
    """Takes requests as they are sent, and writes the `bill`."""

    def __init__(self, meter: Meter) -> None:
        self.bill = Bill()
        self._meter = meter
        self._before: list[Message] = []
        self._sizes: list[int] = []

    def take(self, request: Sequence[Message]) -> None:
        """Bill one more request."""
        same = 0
        for old, new in zip(self._before, request, strict=False):
            if old is not new and old != new:
                break
            same += 1
        self._sizes = self._sizes[:same] + [self._meter.message(one) for one in request[same:]]
        reused = sum(self._sizes[:same])
        if same < min(len(self._before), len(request)):
            share = front_share(self._before[same], request[same])
            reused += int(share * self._sizes[same])
        total = sum(self._sizes)
        cuts = int(same < len(self._before))
        self.bill.add(Bill(calls=1, sent=total, reused=reused, cuts=cuts, peak=total))
        self._before = list(request)


def front_share(old: Message, new: Message) -> float:
    """Share of the new message's bytes that stand at the front of the old one, 0 to 1."""
    one, two = json.encode(old), json.encode(new)
    common = 0
    for common, (left, right) in enumerate(zip(one, two, strict=False)):  # noqa: B007
        if left != right:
            break
    return common / len(two)


class CompactionTally(Struct, frozen=True):
    """What the recording client's own compactions took, in tokens, as far as the recording says.

    For each the model `read` the window and `wrote` a summary, and the window that was left had to
    be written to the cache anew: `rewritten`.
    """

    count: int = 0
    read: int = 0
    wrote: int = 0
    rewritten: int = 0

    def cost(self, prices: Prices) -> float:
        """Dollars at least: the window is taken to have been read from the cache."""
        parts = (prices.read * self.read, prices.output * self.wrote, prices.write * self.rewritten)
        return sum(parts) / MILLION

    def __add__(self, other: CompactionTally) -> CompactionTally:
        return CompactionTally(
            self.count + other.count,
            self.read + other.read,
            self.wrote + other.wrote,
            self.rewritten + other.rewritten,
        )


def tallied(
    compactions: Iterable[ClientCompaction], count: Callable[[str], int]
) -> CompactionTally:
    """Add up a client's compactions. `count` gives the tokens of a summary of unsaid size."""
    tally = CompactionTally()
    for one in compactions:
        wrote = one.wrote or (count(one.summary) if one.summary else 0)
        tally += CompactionTally(1, one.read or one.before, wrote, one.after or wrote)
    return tally
