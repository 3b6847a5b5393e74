"""What a Context notices by itself: its heartbeat, connected to the event surface.

Each signal is committed as an event the moment it is told, by whichever thread told it. Without a
period nothing runs beside the host; what there is to notice is looked at before each turn.
"""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path
from threading import RLock
from typing import Any

from loom.capabilities.events import (
    DiskWatch,
    FileWatch,
    Heartbeat,
    Inbox,
    MemoryWatch,
    ProcessWatch,
    Signal,
    Timers,
)
from loom.engine import Engine
from loom.engine.atomic import Atomic
from loom.errors import LoomError

LONGEST = 86_400.0  # seconds between two beats


class Senses:
    """What a Context offers to watch the world. Methods are thread-safe."""

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    signal: Callable[..., None]
    _heartbeat: Heartbeat | None = None
    _processes: ProcessWatch | None = None
    _timers: Timers | None = None

    @property
    def heartbeat(self) -> Heartbeat:
        """What looks; `add` gives it a source of your own, `start` and `stop` run its thread."""
        with self._lock, self._atomic:
            if self._heartbeat is None:
                made = self._heartbeat = Heartbeat(self._heard)
                self._engine.notices.beat = lambda: made.last
            return self._heartbeat

    def attend(self, workspace: Path | None, project: Path | None, period: float) -> None:
        """Watch a workspace's inbox, and with a `period` in seconds the disk, the memory and the
        files of a project, in a thread of their own.
        """
        self._engine.workspace.check_process()
        if not 0 <= period <= LONGEST:
            raise LoomError(f"a heartbeat every {period!r} seconds: give 0 for none, or seconds")
        if workspace is not None:
            self.heartbeat.add(Inbox(workspace, redact=self._engine.redactor.patterns))
        if not period:
            return
        heartbeat = self.heartbeat
        heartbeat.period = period
        heartbeat.add(MemoryWatch())
        if workspace is not None:
            heartbeat.add(DiskWatch(workspace))
        if project is not None:
            heartbeat.add(FileWatch(project, [workspace] if workspace is not None else []))
        heartbeat.start()

    def watch(self, process: int | subprocess.Popen[Any], name: str = "") -> None:
        """Tell as an event when a process ends; raises ValueError for what is no process."""
        with self._lock, self._atomic:
            if self._processes is None:
                self._processes = ProcessWatch()
                self.heartbeat.add(self._processes)
            self._processes.watch(process, self._engine.ingest.clean(name))

    def remind(
        self, seconds: float, id: str, summary: str, *, every: float = 0.0, urgency: str = "normal"
    ) -> None:
        """Tell as an event that a time has come, once or `every` so many seconds."""
        with self._lock, self._atomic:
            if self._timers is None:
                # A firing has a number no life before gave: each took a commit at least.
                self._timers = Timers(first=self._engine.workspace.commits + 1)
                self.heartbeat.add(self._timers)
            clean = self._engine.ingest.clean  # before it is one line, which hides a secret
            self._timers.at(seconds, clean(id), clean(summary), every=every, urgency=urgency)

    def _look(self) -> None:
        """One beat before a turn, where no thread makes them."""
        heartbeat = self._heartbeat
        if heartbeat is not None and not heartbeat.running:
            heartbeat.beat()

    def _rest(self) -> None:
        """Stop looking. Never called with the lock: the thread may be waiting for it."""
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def _heard(self, signal: Signal) -> None:
        # An occurrence has one id for ever: told again, it may long be decided.
        if ("events", signal.id) not in self._engine.workspace.index.items:
            self.signal(signal.id, signal.summary, kind=signal.kind, urgency=signal.urgency)
