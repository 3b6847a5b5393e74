"""The requests of a workspace as sizes, and those of a client that sends its whole list.

`loom report` and `loom replay` read their figures here, so that they say the same of one session.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from loom.engine.archive.decode import records_of
from loom.engine.archive.workspace import Workspace
from loom.engine.sent_size import SentSize, sent_size
from loom.inspect.reuse import PrefixReuse
from loom.replay.cost import Bill, PlainRun
from loom.report.plain import PlainSizes
from loom_partitions import records as r
from loom_partitions.window import Window, apply


class RequestSize(Struct, frozen=True):
    """A request: its size, the tokens of it that stood at the front of the one `before` and of a
    plain list in its place (both as Loom counts), and those of the reply."""

    size: SentSize
    kept: int
    listed: int
    replied: int = 0

    @property
    def reused(self) -> int:
        """What stood in the request before, in the tokens of the size."""
        return self.size.scaled(self.kept)

    @property
    def plain(self) -> int:
        """A plain list, in the tokens of the size."""
        return self.size.scaled(self.listed)


class RequestSizes:
    """The sizes of a workspace's requests, while its journal is folded."""

    def __init__(self, workspace: Workspace) -> None:
        self.rows: list[RequestSize] = []
        self.plain = PlainSizes(workspace)
        self._reuse = PrefixReuse()

    def take(self, record: r.Record, window: Window) -> None:
        """Take in a record, and the window behind it."""
        self.plain.note(record)
        if isinstance(record, r.Turned):
            size = sent_size(window)
            self._reuse = self._reuse.with_request(size)
            listed = self.plain.tokens(window) + size.beside
            self.rows.append(RequestSize(size, self._reuse.kept, listed))
        elif isinstance(record, r.Compressed | r.Renewed):
            self._reuse = self._reuse.shortened(record.certificate.reusable)
        elif isinstance(record, r.Undone):
            self._reuse = self._reuse.shortened(record.window.tokens.total)
        elif self.rows and isinstance(record, r.Metered | r.Overflowed | r.SentAgain):
            self.rows[-1] = replace(self.rows[-1], size=sent_size(window))
        elif self.rows and isinstance(record, r.Replied):
            replied = self.rows[-1].replied + record.step.tokens
            self.rows[-1] = replace(self.rows[-1], replied=replied)


def request_sizes(workspace: Workspace) -> list[RequestSize]:
    """The sizes of all requests of a workspace, oldest first."""
    sizes, window = RequestSizes(workspace), Window()
    for commit in workspace.journal.scan():
        for record in records_of(commit):
            window = apply(window, record)
            sizes.take(record, window)
    return sizes.rows


def billed(rows: Iterable[RequestSize]) -> Bill:
    """The bill of the requests as they were sent."""
    bill = Bill()
    for row in rows:
        size = row.size
        if size.times:
            reused = size.reused(row.kept)
            bill.add(Bill(size.times, size.sent, reused, peak=size.total, hourly=size.hourly))
    return bill


def plain_run(rows: Sequence[RequestSize]) -> PlainRun:
    """The requests a client that sends its whole list would have made.

    The list only grows, so each begins with the whole of the one before: that is read from the
    cache, what is new is written to it.
    """
    bill, lawful, overflow, before = Bill(), Bill(), 0, 0
    for number, row in enumerate(rows, 1):
        if row.plain > row.size.capacity and not overflow:
            lawful, overflow = replace(bill), number
        if not row.size.times:
            continue  # refused: in no sum
        reused = min(before, row.plain)
        more = Bill(calls=1, sent=row.plain, reused=reused, peak=row.plain)
        more.hourly = more.written if row.size.hourly else 0  # its cache lasts as long
        bill.add(more)
        before = row.plain
    return PlainRun(bill, lawful if overflow else replace(bill), overflow)
