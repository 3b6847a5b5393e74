"""`ctx.events`: what happens in the world, told on the event surface of C_working.

Each signal is committed as an event the moment it is told, by whichever thread told it. Without a
period nothing runs beside the host; what there is to notice is looked at before each turn.
"""

from __future__ import annotations

import subprocess
from functools import partial
from typing import Any, Literal, cast

from loom.capabilities.events.files import FileWatch
from loom.capabilities.events.inbox import Inbox
from loom.capabilities.events.poller import Poller
from loom.capabilities.events.signal import Signal
from loom.capabilities.events.sources import ProcessWatch, Shortage, Timers, disk, memory
from loom.capability import Capability
from loom.context import Loop
from loom.errors import LoomError
from loom.typed import typed

LONGEST = 86_400.0  # seconds between two beats

Urgency = Literal["low", "normal", "high", "critical"]
Disposition = Literal[
    "ignore", "defer", "replan", "decompose", "hand off", "stop", "resolved", "archived"
]


@typed
class Heartbeat(Capability):
    """Watches a workspace's inbox, and with a `period` in seconds the disk, the memory and the
    files of a project, in a thread of its own. Methods are thread-safe."""

    name = "events"

    def __init__(self, period: float = 0.0) -> None:
        if not 0 <= period <= LONGEST:
            raise LoomError(f"a heartbeat every {period!r} seconds: give 0 for none, or seconds")
        self._period = period
        self._heartbeat: Poller | None = None
        self._processes, self._timers = ProcessWatch(), Timers()

    def __repr__(self) -> str:
        working = self.engine.workspace.shown.working
        return f"<ctx.events: {len(working.events)} pending, {len(working.risks)} risks>"

    def signal(
        self, id: str, summary: str, *, kind: str = "event", urgency: Urgency = "normal"
    ) -> None:
        """Tell of an event; one of a known id changes nothing.

        Urgency is low, normal, high or critical; the last two ask the model to stop and look.
        """
        with self.engine.lock, self.engine.atomic:
            self.engine.commit(*self.engine.edits().signal(id, summary, kind, urgency))

    def acknowledge(self, id: str, disposition: Disposition) -> None:
        """Give an event its disposition: ignore, defer, replan, decompose, hand off or stop.

        What is not ignored is a risk until it is acknowledged again as resolved or archived.
        """
        with self.engine.lock, self.engine.atomic:
            self.engine.commit(*self.engine.edits().acknowledge(id, disposition))

    @property
    def heartbeat(self) -> Poller:
        """What looks; `add` gives it a source of your own, `start` and `stop` run its thread."""
        with self.engine.lock, self.engine.atomic:
            if self._heartbeat is None:
                # A firing has a number no life before gave: each took a commit at least.
                self._timers = Timers(first=self.engine.workspace.commits + 1)
                self._processes = ProcessWatch()
                made = self._heartbeat = Poller(self._heard, (self._processes, self._timers))
                self.engine.notices.beat = lambda: made.last
            return self._heartbeat

    def watch(self, process: int | subprocess.Popen[Any], name: str = "") -> None:
        """Tell as an event when a process ends; raises BadInput for a number no process has."""
        with self.engine.lock, self.engine.atomic:
            self._processes.watch(process, self.engine.ingest.clean(name))

    def remind(
        self, seconds: float, id: str, summary: str, *, every: float = 0.0, urgency: str = "normal"
    ) -> None:
        """Tell as an event that a time has come, once or `every` so many seconds.

        Raises BadInput for times that are negative or endless, a bad id, text or urgency.
        """
        with self.engine.lock, self.engine.atomic:
            clean = self.engine.ingest.clean  # before it is one line, which hides a secret
            self._timers.at(seconds, clean(id), clean(summary), every=every, urgency=urgency)

    def attached(self, context: Loop) -> None:
        """Forget what an earlier context was told."""
        self._heartbeat = None

    def opened(self) -> None:
        """Begin to watch."""
        engine = self.engine
        workspace, heartbeat = engine.folder, self.heartbeat
        if workspace is not None:
            heartbeat.add(Inbox(workspace, redact=engine.redactor.patterns))
        if not self._period:
            return
        heartbeat.period = self._period
        heartbeat.add(Shortage("memory", memory))
        if workspace is not None:
            heartbeat.add(Shortage("disk", partial(disk, workspace)))
        if engine.project is not None:
            heartbeat.add(FileWatch(engine.project, [workspace] if workspace is not None else []))
        heartbeat.start()

    def before_turn(self) -> None:
        """One beat, where no thread makes them."""
        heartbeat = self._heartbeat
        if heartbeat is not None and not heartbeat.running:
            heartbeat.beat()

    def stopping(self) -> None:
        """Stop looking: the thread may be waiting for the lock."""
        if self._heartbeat is not None:
            self._heartbeat.stop()

    def _heard(self, signal: Signal) -> None:
        # An occurrence has one id for ever: told again, it may long be decided.
        if ("events", signal.id) not in self.engine.workspace.index.items:
            urgency = cast(Urgency, signal.urgency)
            self.signal(signal.id, signal.summary, kind=signal.kind, urgency=urgency)
