"""`ctx.events`: what happens in the world, put on the event surface of C_working.

Each signal is committed at once. With a period a thread looks at the sources, else each turn."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

from loom.capability import Capability
from loom.context import Loop
from loom.errors import BadInput
from loom.session.locking import one_call
from loom.typed import check_arguments

if TYPE_CHECKING:
    import subprocess

    from loom.capabilities.events.poller import Poller, Signal
    from loom.capabilities.events.sources import ProcessWatch, Timers

LONGEST = 86_400.0  # seconds between two beats

Urgency = Literal["low", "normal", "high", "critical"]
Disposition = Literal[
    "ignore", "defer", "replan", "decompose", "hand off", "stop", "resolved", "archived"
]


@check_arguments
class Heartbeat(Capability):
    """Shows outside events to the model. Before each request it reads the workspace's inbox; with a
    `period` in seconds, a thread watches inbox, disk and project files instead. Thread-safe.

        >>> with loom.open("memory://watched") as ctx:
        ...     ctx.events.signal("ci-1", "The build failed.", urgency="high")
        ...     [event.ids for event in ctx.window.working.events]
        [('ci-1',)]"""

    name = "events"

    def __init__(self, period: float = 0.0) -> None:
        if not 0 <= period <= LONGEST:
            raise BadInput(f"a heartbeat every {period!r} seconds: give 0 for none, or seconds")
        self._period = period
        self._watched: tuple[Poller, ProcessWatch, Timers] | None = None

    def __repr__(self) -> str:
        working = self.engine.workspace.shown.working
        return f"<ctx.events: {len(working.events)} pending, {len(working.risks)} risks>"

    @one_call
    def signal(
        self, id: str, summary: str, *, kind: str = "event", urgency: Urgency = "normal"
    ) -> None:
        """Show an event to the model, in the working partition. An `id` used before changes
        nothing. Urgency high or critical also asks the model to stop and look."""
        self.engine.commit(*self.engine.edits().signal(id, summary, kind, urgency))

    @one_call
    def acknowledge(self, id: str, disposition: Disposition) -> None:
        """Record what was decided about the event `id`. Unless ignored, the event is listed as a
        risk until it is acknowledged again as resolved or archived."""
        self.engine.commit(*self.engine.edits().acknowledge(id, disposition))

    @property
    def heartbeat(self) -> Poller:
        """Return the Poller. `add` watches your own source; `start` and `stop` its thread."""
        return self._poller_and_sources()[0]

    def _poller_and_sources(self) -> tuple[Poller, ProcessWatch, Timers]:
        """Return the poller, the process watch and the timers, made on first use."""
        from loom.capabilities.events.inbox import Inbox
        from loom.capabilities.events.poller import Poller
        from loom.capabilities.events.sources import DiskWatch, ProcessWatch, Timers

        engine = self.engine
        folder, project = engine.folder, engine.project
        with engine.lock, engine.atomic:
            if self._watched is not None:
                return self._watched
            # A firing has a number no life before gave: each took a commit at least.
            watched = ProcessWatch(), Timers(first=engine.workspace.commits + 1)
            made = Poller(self._commit_signal, period=self._period or 1.0)
            if folder is not None:
                made.add(Inbox(folder, redact=engine.redactor.patterns))
            if self._period:
                if folder is not None:
                    made.add(DiskWatch(folder))
                if project is not None:
                    from loom.capabilities.events.file_watch import FileWatch

                    made.add(FileWatch(project, [folder] if folder is not None else []))
            engine.notices.beat = lambda: made.last
            self._watched = (made, *watched)
            return self._watched

    @one_call
    def watch(self, process: int | subprocess.Popen[Any], name: str = "") -> None:
        """Show an event when a process ends. Raises BadInput for an invalid process id."""
        poller, processes, _ = self._poller_and_sources()
        processes.watch(process, self.engine.ingest.clean(name))
        poller.add(processes)

    @one_call
    def remind(
        self, seconds: float, id: str, summary: str, *, every: float = 0.0, urgency: str = "normal"
    ) -> None:
        """Show an event in `seconds`, then every `every` seconds (0: once). Raises BadInput."""
        poller, _, timers = self._poller_and_sources()
        timers.at(seconds, id, summary, every=every, urgency=urgency)
        poller.add(timers)

    def attached(self, context: Loop) -> None:
        """Forget the poller that was made for an earlier context."""
        self._watched = None

    def opened(self) -> None:
        """Start the watching thread if a period is set."""
        if self._period:
            self.heartbeat.start()

    def before_turn(self) -> None:
        """Before a request, check every source once, unless the watching thread runs."""
        heartbeat = (self._watched or self._poller_and_sources())[0]
        if not heartbeat.running:
            heartbeat.beat()

    def stopping(self) -> None:
        """Stop the watching thread. Call without the lock, because the thread may wait for it."""
        if self._watched is not None:
            self._watched[0].stop()

    @one_call
    def _commit_signal(self, signal: Signal) -> None:
        """Commit a signal as an event, unless an event with its id was ever committed."""
        edits = self.engine.edits()
        # An occurrence has one id for ever: told again, it may long be decided.
        if ("events", edits.name(signal.id)) not in self.engine.workspace.index.items:
            one = signal
            self.engine.commit(*edits.signal(one.id, one.summary, one.kind, one.urgency))
