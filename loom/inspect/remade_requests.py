"""Requests that were sent, made again byte for byte from their windows.

A window and the pages it names hold all that its request says, so every request of a session can be
made again. Only if a page was damaged or removed since, or a secret was taken out, is the request
another: its sha256 then differs from the recorded one."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from loom.inspect.sent_size import SentSize, sent_size
from loom.session.archive.folded_journal import records_of
from loom.session.archive.page_reader import PageReader
from loom.session.archive.restore import check_request_number, window_at_request
from loom.session.archive.workspace import Workspace
from loom.session.pressure import Pressure, pressure_of
from loom.session.turn import RenderedRequests, Turn
from loom_partitions.records import Metered, Record, Redacted, Turned
from loom_partitions.window import Window, apply


class SentRequest(Struct, frozen=True):
    """A request that was made again from its window. `commit` is the number of its commit, `at` the
    commit's time in milliseconds since the epoch.

    `size` counts all that was sent. `recorded` is the sha256 of the request as it was sent, "" for
    none. `purged` is True if a purge of secrets removed the sha256."""

    turn: Turn
    window: Window
    commit: int
    at: int
    recorded: str
    size: SentSize
    pressure: Pressure
    purged: bool = False

    @property
    def differs(self) -> bool:
        """True when the sha256 of the remade request is not the recorded sha256."""
        return self.recorded not in ("", self.turn.sha256)


def rendered_turn(workspace: Workspace, window: Window) -> Turn:
    """Return the request that a window makes, rendered from this window alone."""
    requests = RenderedRequests(PageReader(workspace, window))
    return requests.turn(window, pressure_of(window, workspace.pages), tuple)


class RemadeRequests:
    """Makes the requests of a workspace again, one after the other, the oldest first. The results
    are the same as those of `request_at`."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._reader = PageReader(workspace, workspace.window)
        self._requests = RenderedRequests(self._reader)

    def turn(self, window: Window, sha256: str) -> Turn:
        """Return the request that a window makes. `sha256` is the recorded hash, "" for none."""
        self._reader.show_in(window)
        made = self._render_turn(window)
        # Reused messages may give another sha256; then the window is rendered alone.
        if sha256 not in ("", made.sha256):
            self._requests.forget()
            made = self._render_turn(window)
        return made

    def _render_turn(self, window: Window) -> Turn:
        """Return the request that a window makes. Messages rendered before are used again."""
        return self._requests.turn(window, pressure_of(window, self._workspace.pages), tuple)


def request_at(workspace: Workspace, number: int | None = None) -> SentRequest:
    """Return request `number` as it was sent; None means the last request. A line stands in place
    of each unreadable page. Raises BadInput for a number that no request has, and the errors of
    reading the journal."""
    asked = workspace.index.requests
    wanted = max(asked, default=0) if number is None else number
    check_request_number(workspace, wanted)
    commit = workspace.journal.read(asked[wanted])
    recorded = next(
        record.sha256
        for record in workspace.records(commit.number)
        if isinstance(record, Turned) and record.turn == wanted
    )
    now = workspace.window
    window = (
        now if now.sent.turned and now.sent.turn == wanted else window_at_request(workspace, wanted)
    )
    turn = rendered_turn(workspace, window)

    def later() -> Iterator[Record]:
        """Yield the records of all commits after the commit of this request."""
        for each in workspace.journal.scan(commit.number):
            yield from records_of(each)

    told = window  # with what the provider said of its size later
    for record in later() if window is not now else ():
        if isinstance(record, Turned) and record.turn > wanted:
            break
        if isinstance(record, Metered):
            told = apply(told, record)
    size, pressure = sent_size(told), pressure_of(told, workspace.pages)
    gone = (isinstance(one, Redacted) and one.places is not None for one in later())
    purged = not recorded and any(gone)
    return SentRequest(turn, window, commit.number, commit.at, recorded, size, pressure, purged)
