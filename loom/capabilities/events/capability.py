"""`ctx.events`: what happens in the world, told on the event surface of C_working.

Each signal is committed as an event the moment it is told, by whichever thread told it. Without a
period nothing runs beside the host; what there is to notice is looked at before each turn.
"""

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
    """Watches a workspace's inbox, and with a `period` in seconds the disk and the files of a
    project, in a thread of its own. Methods are thread-safe."""

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
        """Tell of an event; one of a known id changes nothing. Urgency is low, normal, high or
        critical; the last two ask the model to stop and look."""
        self.engine.commit(*self.engine.edits().signal(id, summary, kind, urgency))

    @one_call
    def acknowledge(self, id: str, disposition: Disposition) -> None:
        """Give an event its disposition: ignore, defer, replan, decompose, hand off or stop.

        What is not ignored is a risk until it is acknowledged again as resolved or archived.
        """
        self.engine.commit(*self.engine.edits().acknowledge(id, disposition))

    @property
    def heartbeat(self) -> Poller:
        """The poller; `add` gives it a source of your own, `start` and `stop` run its thread."""
        return self._poller_and_sources()[0]

    def _poller_and_sources(self) -> tuple[Poller, ProcessWatch, Timers]:
        """The poller, and the processes and times it looks at: made when first asked for."""
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
        """Tell as an event when a process ends; raises BadInput for a number no process has."""
        poller, processes, _ = self._poller_and_sources()
        processes.watch(process, self.engine.ingest.clean(name))
        poller.add(processes)

    @one_call
    def remind(
        self, seconds: float, id: str, summary: str, *, every: float = 0.0, urgency: str = "normal"
    ) -> None:
        """Tell as an event that a time has come, once or `every` so many seconds. Raises BadInput
        for times that are negative or endless, a bad id, text or urgency."""
        poller, _, timers = self._poller_and_sources()
        timers.at(seconds, id, summary, every=every, urgency=urgency)
        poller.add(timers)

    def attached(self, context: Loop) -> None:
        """Forget what an earlier context was told."""
        self._watched = None

    def opened(self) -> None:
        """Begin to watch."""
        if self._period:
            self.heartbeat.start()

    def before_turn(self) -> None:
        """One beat, where no thread makes them."""
        heartbeat = (self._watched or self._poller_and_sources())[0]
        if not heartbeat.running:
            heartbeat.beat()

    def stopping(self) -> None:
        """Stop looking: the thread may be waiting for the lock."""
        if self._watched is not None:
            self._watched[0].stop()

    @one_call
    def _commit_signal(self, signal: Signal) -> None:
        edits = self.engine.edits()
        # An occurrence has one id for ever: told again, it may long be decided.
        if ("events", edits.name(signal.id)) not in self.engine.workspace.index.items:
            one = signal
            self.engine.commit(*edits.signal(one.id, one.summary, one.kind, one.urgency))
