"""`loom top`: a workspace another process writes, watched live, without a lock or a write.

A look reads what the journal gained (`loom.cli.tail`), folds it (`seen`), makes a frame of it
(`frame`) and draws that (`board`). Only the loop in here knows of time and terminals.
"""

from __future__ import annotations

import time
from pathlib import Path

from rich.console import Console, Group
from rich.live import Live

from loom.cli.board import drawn
from loom.cli.elsewhere import freshened
from loom.cli.exits import FINE, BadUsage
from loom.cli.frame import Frame, frame
from loom.cli.keys import pressed_keys
from loom.cli.seen import JournalSummary, noted
from loom.cli.show import Folder, addressed, console, emit, emit_line
from loom.cli.styled import drawable, say, width_of
from loom.cli.tail import Replaced, Tail
from loom.engine.archive.half_purged import no_workspace

INTERVAL = 0.5  # seconds between two looks
LONGEST = 3_600.0
QUIT = "q"


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
            _live(watch, interval)
        else:
            _once(watch, screen, json)
    except KeyboardInterrupt:
        return FINE  # the way to end it
    return FINE


class WorkspaceWatch:
    """A workspace as the last look found it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tail = Tail(folder)
        self._seen = JournalSummary()
        self._replaced = 0

    def look(self) -> Frame:
        """Read what is new and make a frame; raises CorruptJournal and LoomError.

        When the journal is another one, the reading starts again. Until the new one holds a commit
        the frame shows what the old one led to.
        """
        freshened(self._folder)
        try:
            self._read()
        except Replaced:
            self._replaced += 1
            self._tail = Tail(self._folder)
            self._read()
        return frame(self._seen, addressed(str(self._folder)), self._tail.torn, self._note())

    @property
    def read(self) -> int:
        """Bytes of this journal read so far: counted work."""
        return self._tail.read

    def _read(self) -> None:
        for commit in self._tail.news():
            self._seen = noted(JournalSummary() if commit.number == 1 else self._seen, commit)

    def _note(self) -> str:
        if not self._seen.commits:
            return "no commit yet"
        if not self._tail.last:
            return "the journal is gone: waiting for another"
        return f"the journal was replaced: read anew (×{self._replaced})" if self._replaced else ""


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
        found = watch.look()
        if found != last:
            emit_line(found)
        last = found
        time.sleep(interval)


def _live(watch: WorkspaceWatch, interval: float) -> None:
    """The whole terminal, given back as it was at the end."""
    screen = console()
    with (
        pressed_keys() as pressed,
        Live(console=screen, screen=True, auto_refresh=False) as live,
    ):
        while True:
            lines = drawn(watch.look(), screen.width, screen.height)
            for text in lines:
                text.no_wrap, text.overflow = True, "crop"
            live.update(Group(*lines), refresh=True)
            if QUIT in pressed(interval).lower():
                return
