"""`loom top`: a workspace another process writes, watched live, without a lock or a write.

A look reads what the journal gained, makes a frame of what it folds to, and draws that. A frame
looks at no more than the newest of everything. When the journal is another one than at the last
look, it is read anew.
"""

from __future__ import annotations

import os
import select
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live

from loom.cli.board import Alert, Frame, Series, Told, drawn
from loom.cli.elsewhere import freshened
from loom.cli.exits import FINE, BadUsage
from loom.cli.records import kind_of, telling
from loom.cli.show import Folder, addressed, console, emit, emit_line
from loom.cli.stat_log import rounded
from loom.cli.styled import drawable, say, width_of
from loom.engine.archive.decode import records_of
from loom.engine.archive.half_purged import no_workspace
from loom.engine.archive.tally import entry_counts, kept_pages
from loom.engine.archive.workspace import Workspace
from loom.engine.meter import model_of
from loom.engine.pressure import Pressure
from loom.inspect.requests import RequestFold, RequestRow, billed
from loom.providers.prices import prices_of
from loom_paging import Commit, CorruptJournal
from loom_partitions.limits import Tokens
from loom_partitions.surfaces import URGENCIES, Event, Risk

INTERVAL = 0.5  # seconds between two looks
LONGEST = 3_600.0
QUIT = "q"
POINTS = 200  # newest requests: a frame draws no more
CUTS, RENEWALS, RECORDS = 4, 3, 12  # newest ones of each
NAMES = 3  # ids of an aggregated event that are shown
RANKS = {urgency: rank for rank, urgency in enumerate(URGENCIES)}


def top(
    folder: Folder, /, *, interval: float = INTERVAL, once: bool = False, json: bool = False
) -> int:
    """Watch a workspace live while another process writes it; q or Ctrl-C ends.

    Without a terminal it prints one frame.

    Parameters
    ----------
    interval
        Seconds between two looks at it.
    once
        Print one frame and end.
    json
        Print a JSON object a frame instead: one with --once, else one a line whenever something
        changed.
    """
    if not 0 < interval <= LONGEST:
        raise BadUsage(f"--interval {interval:g}: give seconds, above 0 and at most {LONGEST:,.0f}")
    if not (folder / "journal").is_dir():
        raise FileNotFoundError(no_workspace(folder))
    watch, screen = WorkspaceWatch(folder), console()
    try:
        if json and not once:
            _stream(watch, interval)
        elif not once and drawable(screen) and screen.file.isatty():  # a pipe would never end
            _live(watch, screen, interval)
        else:
            _once(watch, screen, json)
    except KeyboardInterrupt:
        return FINE  # the way to end it
    return FINE


class WorkspaceWatch:
    """A workspace as the last look found it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._fold = RequestFold()
        self._records: list[Told] = []
        self._last: Commit | None = None
        self._replaced = 0

    def look(self) -> Frame:
        """Read what is new and make a frame; raises CorruptJournal and LoomError.

        Until another journal in the place of this one holds a commit, the frame shows what this
        one led to.
        """
        freshened(self._folder)
        try:
            self._workspace = self._opened()
        except FileNotFoundError:
            if self._last is None:
                raise
            return self._frame("the journal is gone: waiting for another")
        if self._last is None and not self._workspace.commits:
            return self._frame("no commit yet")
        if self._is_another(self._workspace):
            self._fold, self._records, self._last = RequestFold(), [], None
            self._replaced += 1
        for commit in self._workspace.journal.scan(self._last.number if self._last else 0):
            self._fold.read(commit)
            self._last = commit
            self._records += [
                Told(commit.number, commit.at, kind_of(record), telling(record))
                for record in records_of(commit)[-RECORDS:]
            ]
        del self._records[:-RECORDS]
        return self._frame(
            f"the journal was replaced: read anew (×{self._replaced})" if self._replaced else ""
        )

    def _opened(self) -> Workspace:
        """The workspace as it is now. Damage is read twice before it is called that: a torn tail
        may have been cut off and written over between two reads."""
        try:
            return Workspace.at_path(self._folder, write=False)
        except CorruptJournal:
            return Workspace.at_path(self._folder, write=False)

    def _is_another(self, workspace: Workspace) -> bool:
        last = self._last
        if last is None:
            return False
        return workspace.commits < last.number or workspace.journal.read(last.number) != last

    def _frame(self, note: str) -> Frame:
        fold, workspace = self._fold, self._workspace
        window, working = fold.window, fold.window.working
        bill, pages = billed(fold.rows), kept_pages(workspace)
        commits = self._last.number if self._last else 0
        renewals = [cut for cut in fold.cuts if cut.level == "renewal"]
        return Frame(
            folder=addressed(str(self._folder)),
            model=model_of(window),
            goal=(working.goal.body or "") if working.goal else "",
            turn=window.sent.turn,
            pressure=rounded(window, pages.pages) if commits else Pressure(0.0, Tokens(), 0),
            series=_series(fold.rows[-POINTS:]),
            levels=fold.levels,
            cuts=tuple(fold.cuts[-CUTS:]),
            renewals=tuple(renewals[-RENEWALS:]),
            reuse=round(bill.reused / bill.sent, 4) if bill.sent else None,
            alerts=_alerts(working.events, working.risks),
            plan=working.plan,
            progress=working.progress,
            open_calls=window.history.open_calls,
            finished=window.sent.finished,
            outcome=working.outcome,
            steps=entry_counts(workspace).steps,
            sent=bill.sent,
            largest=bill.peak,
            cost=round(bill.cost(prices_of(model_of(window))), 6),
            replied=fold.replied,
            pages=pages.pages,
            page_bytes=pages.bytes,
            commits=commits,
            at=self._last.at if self._last else 0,
            records=tuple(self._records),
            torn=workspace.journal.torn,
            note=note,
        )


def _series(rows: list[RequestRow]) -> Series:
    names = dict.fromkeys(name for row in rows for name in row.size.bands)
    return Series(
        turn=tuple(row.turn for row in rows),
        rho=tuple(row.size.rho for row in rows),
        sent=tuple(row.size.sent for row in rows),
        replied=tuple(row.replied for row in rows),
        tokens={name: tuple(row.size.bands.get(name, 0) for row in rows) for name in names},
    )


def _alerts(events: tuple[Event, ...], risks: tuple[Risk, ...]) -> tuple[Alert, ...]:
    """Events, then risks, the most urgent first; an aggregate names its newest ids."""
    made = [Alert(e.urgency, e.kind, e.summary, e.ids[-NAMES:], e.count) for e in events]
    made += [Alert(k.urgency, "risk", k.summary, (k.id,), 1, k.disposition) for k in risks]
    return tuple(sorted(made, key=lambda alert: -RANKS.get(alert.urgency, 0)))


def _once(watch: WorkspaceWatch, screen: Console, json: bool) -> None:
    found = watch.look()
    if not found.commits:
        raise BadUsage(f"{found.folder} holds no commit yet; open it with loom.open first")
    if json:
        emit(found)
    else:
        say(drawn(found, width_of(screen)), screen)


def _stream(watch: WorkspaceWatch, interval: float) -> None:
    """A line of JSON for every frame that differs from the one before."""
    last: Frame | None = None
    while True:
        if (found := watch.look()) != last:
            emit_line(found)
        last = found
        time.sleep(interval)


def _live(watch: WorkspaceWatch, screen: Console, interval: float) -> None:
    """The whole terminal, given back as it was at the end."""
    with pressed_keys() as pressed, Live(console=screen, screen=True, auto_refresh=False) as live:
        while True:
            lines = drawn(watch.look(), screen.width, screen.height)
            for text in lines:
                text.no_wrap, text.overflow = True, "crop"
            live.update(Group(*lines), refresh=True)
            if QUIT in pressed(interval).lower():
                return


@contextmanager
def pressed_keys() -> Iterator[Callable[[float], str]]:
    """Yield what waits so many seconds for keys typed on stdin, unechoed: "" for none.

    The terminal is given back as it was. Where stdin is none, or the platform has no `termios`,
    nothing is ever pressed.
    """
    try:
        import termios
        import tty

        keyboard = sys.stdin.fileno()
        before = termios.tcgetattr(keyboard)
    except Exception:  # no stdin, none that is a terminal (termios.error), no such module
        yield _nothing
        return

    def pressed(seconds: float) -> str:
        ready, _, _ = select.select([keyboard], [], [], seconds)
        typed = os.read(keyboard, 64).decode("utf-8", "replace") if ready else ""
        return _nothing(seconds) if ready and not typed else typed  # "" there: the terminal is gone

    tty.setcbreak(keyboard, termios.TCSADRAIN)
    try:
        yield pressed
    finally:
        termios.tcsetattr(keyboard, termios.TCSADRAIN, before)


def _nothing(seconds: float) -> str:
    time.sleep(seconds)
    return ""
