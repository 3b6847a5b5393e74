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
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import to_builtins
from rich.console import Group
from rich.live import Live

from loom.cli.agents import read_workspace
from loom.cli.board import Frame, Series, Told, drawn
from loom.cli.elsewhere import freshened
from loom.cli.exits import FINE
from loom.cli.records import kind_of, telling
from loom.cli.show import Folder, addressed, console, emit, emit_line
from loom.cli.stat_log import committed, facts_of, rounded
from loom.cli.styled import drawable, say, width_of
from loom.errors import BadInput
from loom.inspect.requests import RequestFold, RequestRow, billed
from loom.session.archive.folded import records_of
from loom_paging import Commit

INTERVAL = 0.5  # seconds between two looks
LONGEST = 3_600.0
POINTS = 200  # newest requests: a frame draws no more
CUTS, RECORDS = 4, 12  # newest ones of each


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
        Print a JSON object a frame instead, that of `loom stat` and more: one with --once, else
        one a line whenever something changed.
    """
    if not 0 < interval <= LONGEST:
        raise BadInput(f"--interval {interval:g}: give seconds, above 0 and at most {LONGEST:,.0f}")
    watch, screen = WorkspaceWatch(folder), console()
    with suppress(KeyboardInterrupt):  # the way to end it
        if json and not once:
            _stream(watch, interval)
        elif json:
            emit(_as_json(watch.look()))
        elif not once and drawable(screen) and screen.file.isatty():  # a pipe would never end
            with (
                pressed_keys() as pressed,
                Live(console=screen, screen=True, auto_refresh=False) as live,
            ):
                quitting = False
                while not quitting:
                    lines = drawn(watch.look(), screen.width, screen.height)
                    for text in lines:
                        text.no_wrap, text.overflow = True, "crop"
                    live.update(Group(*lines), refresh=True)
                    quitting = "q" in pressed(interval).lower()
        else:
            say(drawn(watch.look(), width_of(screen)), screen)
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
        """Read what is new and make a frame; raises CorruptJournal, LoomError and BadInput.

        Until another journal in the place of this one holds a commit, the frame shows what this
        one led to.
        """
        freshened(self._folder)
        found, last = read_workspace(self._folder), self._last
        if last and (found is None or not found.commits):
            return self._frame("the journal is gone: waiting for another")
        self._workspace = found = committed(found, self._folder)
        if last and (found.commits < last.number or found.journal.read(last.number) != last):
            self._fold, self._records, self._last = RequestFold(), [], None
            self._replaced += 1
        for commit in found.journal.scan(self._last.number if self._last else 0):
            self._fold.read(commit)
            self._last = commit
            self._records += [
                Told(commit.number, commit.at, kind_of(record), telling(record))
                for record in records_of(commit)[-RECORDS:]
            ]
        del self._records[:-RECORDS]
        again = f"the journal was replaced: read anew (×{self._replaced})"
        return self._frame(again if self._replaced else "")

    def _frame(self, note: str) -> Frame:
        fold, workspace = self._fold, self._workspace
        window, working, bill = fold.window, fold.window.working, billed(fold.rows)
        facts = facts_of(workspace, fold)
        return Frame(
            folder=addressed(str(self._folder)),
            facts=facts,
            pressure=rounded(window, facts["pages"]),
            series=_series(fold.rows[-POINTS:]),
            newest=tuple(fold.cuts[-CUTS:]),
            reuse=round(bill.reused / bill.sent, 4) if bill.sent else None,
            replied=fold.replied,
            events=working.events,
            risks=working.risks,
            plan=working.plan,
            progress=working.progress,
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


def _as_json(frame: Frame) -> dict[str, Any]:
    told: dict[str, Any] = to_builtins(frame)
    return {**told.pop("facts"), **told}


def _stream(watch: WorkspaceWatch, interval: float) -> None:
    """A line of JSON for every frame that differs from the one before."""
    last: Frame | None = None
    while True:
        if (found := watch.look()) != last:
            emit_line(_as_json(found))
        last = found
        time.sleep(interval)


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
