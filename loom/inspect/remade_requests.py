"""A request that was sent, made again from its window alone, as it went out.

All that a request says is in its window and on the pages it names, so every one that was ever made
can be made again. Only a page that was damaged or taken away since, or a secret that was taken out,
makes another one of it: its sha256 tells.
"""

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
    """A request, the window it was made of, its commit, and when that was made (milliseconds since
    the epoch). `size` is all that was sent. `recorded` is its sha256 as it was sent, "" where the
    journal does not say: with `purged`, since secrets were taken out of it later."""

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
        """True when it is known to be another one than was sent."""
        return self.recorded not in ("", self.turn.sha256)


def rendered_turn(workspace: Workspace, window: Window) -> Turn:
    """The request a window makes, rendered from it alone; its pages are counted as of now."""
    requests = RenderedRequests(PageReader(workspace, window))
    return requests.turn(window, pressure_of(window, workspace.pages), tuple)


class RemadeRequests:
    """The requests of a workspace made again one after the other, oldest first.

    Whoever folds the journal gives the window of each. Between cuts only what is new is rendered,
    as it was when they were sent; each is the one `request_at` makes.
    """

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._reader = PageReader(workspace, workspace.window)
        self._requests = RenderedRequests(self._reader)

    def turn(self, window: Window, sha256: str) -> Turn:
        """The request of a window, whose recorded sha256 is given ("" where there is none).

        What was kept from the request before counts only while it leads to the same bytes.
        """
        self._reader.show_in(window)
        made = self._render_turn(window)
        if sha256 not in ("", made.sha256):
            self._requests.forget()
            made = self._render_turn(window)
        return made

    def _render_turn(self, window: Window) -> Turn:
        return self._requests.turn(window, pressure_of(window, self._workspace.pages), tuple)


def request_at(workspace: Workspace, number: int | None = None) -> SentRequest:
    """The request of that number, the last one for None. Raises BadInput, and what reading
    raises; pages that cannot be read have a stand-in."""
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
