"""Context: the live object a host drives. One workspace, one window, one turn after another."""

from __future__ import annotations

from collections import deque
from operator import index
from threading import RLock
from types import TracebackType
from typing import Self

from msgspec import json
from msgspec.structs import replace

from loom.capabilities.agents.budget import check_time
from loom.context.arrivals import Arrivals
from loom.context.family import Family
from loom.context.guided import Guided
from loom.context.lasting import Lasting
from loom.context.pins import Pins
from loom.context.results import KEPT
from loom.context.running import Running
from loom.context.senses import Senses
from loom.context.serving import Serving
from loom.context.shelves import Shelves
from loom.context.skilled import Skilled
from loom.context.speaking import Speaking
from loom.context.surfaces import Surfaces
from loom.engine import Engine
from loom.engine.archive.lookup import fault
from loom.engine.archive.recall import attach, recall, recall_whole
from loom.engine.archive.restore import Restored, entry_of, restore
from loom.engine.atomic import Atomic
from loom.engine.meter import model_of, moved
from loom.engine.pressure import Pressure
from loom.engine.turn import Turn
from loom.errors import OpenCalls, OverCapacity
from loom.policy import resized
from loom.providers.overflow import overflow
from loom.search.semantic import Embedder
from loom_paging import Forked, Slice
from loom_partitions import records as r
from loom_partitions.message import Step
from loom_partitions.window import Window

RECALL_CHARS = 4_000
WHOLE_CHARS, WHOLE_TOKENS = 16_000, 4_000  # from which recall brings passages, not lines


class Context(
    Arrivals,
    Running,
    Family,
    Serving,
    Speaking,
    Shelves,
    Guided,
    Lasting,
    Skilled,
    Pins,
    Surfaces,
    Senses,
):
    """A window that does not end. Make one with `loom.open`; methods are thread-safe."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._atomic = Atomic(engine)
        self._guard = RLock()
        self._given = {}
        self._spawning = {}
        self.summaries = deque(maxlen=KEPT)

    @property
    def _lock(self) -> RLock:  # type: ignore[override]
        """The lock of every call. Raises Forked in a child process, where it may be held for ever
        by a thread that is not there."""
        self._engine.workspace.check_process()
        return self._guard

    # What was refused, and what changes

    def overflowed(self, error: BaseException) -> None:
        """Learn from a provider's "too long": compress at reactive level, once per request.

        The next `turn()` is smaller. A second refusal raises OverCapacity; an error of any other
        kind is raised again.
        """
        said = overflow(error)
        if said is None:
            raise error
        with self._lock, self._atomic:
            window = self.window
            if window.sent.overflowed:
                raise OverCapacity(
                    "history",
                    window.tokens.total,
                    window.limits.capacity,
                    "the provider refused the compressed request too: resize to its real window",
                ) from error
            size = self._engine.metered(said.size, model_of(window), sure=True)
            self._engine.react(r.Overflowed(said.limit), size)

    def resize(self, window: int, reply: int | None = None, model: str | None = None) -> None:
        """Move to a smaller or larger window, or to another model, before anything is sent.

        What no longer fits is compressed at once, in as many passes as it takes; while calls are
        open, by the next turn. Raises OverCapacity, and then everything is as it was.
        """
        with self._lock, self._atomic:
            engine = self._engine
            limits = resized(self.window.limits, index(window), reply and index(reply))
            if limits.window > limits.stated:
                limits = replace(limits, stated=0)
            limits = replace(limits, refused=0)
            known = self.window.config.model if model is None else engine.ingest.clean(model)
            if known != self.window.config.model:
                scale = moved(self.window, known, engine.sizes.count, engine.texts)
                limits = replace(limits, scale=scale)
            now = self.window
            if limits != now.limits or known != now.config.model or now.sent.overflowed:
                engine.resize(r.Resized(limits, known))
                engine.workspace.acknowledge()  # what follows are calls of their own
                self._resized()

    def renew(self, history: int | None = None) -> None:
        """Snapshot C_working and start a fresh window now, with at most `history` tokens of it.

        Without a number it comes down to low water. Raises OpenCalls, OverCapacity, Vetoed, and
        then everything is as it was.
        """
        with self._lock, self._atomic:
            if self.window.history.open_calls:
                raise OpenCalls(self.window.history.open_calls)
            self._refit()
            self._engine.renew(None if history is None else index(history))

    def finish(self, outcome: str) -> None:
        """End the task: C_working is cleared, its snapshot kept. Raises OpenCalls."""
        with self._lock, self._atomic:
            if self.window.history.open_calls:
                raise OpenCalls(self.window.history.open_calls)
            working = json.format(json.encode(self.window.working), indent=1)
            name = self._engine.workspace.snapshot(self.window.sent.generation, working)
            self._engine.commit(r.Finished(self._engine.desk().line(outcome), name))

    # What goes out

    def look(self) -> None:
        """Look at the world now, as each turn does: the heartbeat's events, the project's files,
        and what other agents said.

        Raises Forked in a child process, before anything that waits for a thread of the parent.
        """
        self._engine.workspace.check_process()
        self._look()
        self._follow()
        self._listen()

    def turn(self) -> Turn:
        """The next request, within budget; the same one again until something comes in.

        Calls that a session left open when it was closed or killed, and that nobody has answered
        since, are given up (`abandon`). Raises OpenCalls, OverCapacity, Vetoed,
        and BudgetSpent for a child whose time is over.
        """
        self.look()
        with self._lock, self._atomic:
            workspace = self._engine.workspace
            check_time(self.window.config.budget, workspace.began, workspace.clock())
            if (
                self.window.history.waiting
                and self.window.history.waiting == self._engine.left_open
            ):
                self.abandon("the session ended before its result came")
            return self._engine.turn()

    @property
    def done(self) -> bool:
        """Whether the model has answered without calls, or the task was finished."""
        window = self.window
        last = next(window.history.stream.entries_back, None)
        return window.sent.finished or (isinstance(last, Step) and not last.calls)

    @property
    def window(self) -> Window:
        """The window as the last call that returned left it, a value."""
        return self._engine.workspace.shown

    @property
    def pressure(self) -> Pressure:
        """How full the request is."""
        return self._engine.pressure()

    # What comes back

    def page_in(self, ref: str, **ways: str) -> Slice:
        """A page or an entry, whole or by `lines`, `grep` or `pointer`. For the host; see `turn`.

        Raises MissingPage, CorruptPage, BadLookup, UnknownEntry.
        """
        with self._lock, self._atomic:
            return fault(self._engine.workspace, ref, None, **ways)[0]

    def payload(self, ref: str) -> bytes:
        """The bytes of a page as they came in: an image, a document, or a text in UTF-8.

        Raises MissingPage, CorruptPage.
        """
        with self._lock, self._atomic:
            return self._engine.workspace.payload(ref)

    def recall(self, query: str, chars: int = RECALL_CHARS, *, tokens: int | None = None) -> str:
        """Names of pages and entries that hold the words of a query, with the matching lines.

        The text has at most so many `chars`, or so many `tokens`. From 16,000 characters or 4,000
        tokens on it brings the passages themselves, and what stands beside them.
        """
        with self._lock, self._atomic:
            engine = self._engine
            room, least, size = (
                (chars, WHOLE_CHARS, len)
                if tokens is None
                else (tokens, WHOLE_TOKENS, engine.sizes.count)
            )
            found = recall_whole if room >= least else recall
            return found(engine.workspace, query, room, size)[0]

    def use_embedder(self, embedder: Embedder | None) -> None:
        """Let recall compare meanings too, not words alone; see `loom.search.semantic`.

        It lasts until the context is closed. With None, words alone again.
        """
        with self._lock, self._atomic:
            attach(self._engine.workspace, embedder)

    def restore(self, entry: int | str) -> Restored:
        """An entry of the history, every byte of it. Raises UnknownEntry."""
        with self._lock, self._atomic:
            id = entry if isinstance(entry, int) else entry_of(entry)
            return restore(self._engine.workspace, -1 if id is None else id)

    def close(self) -> None:
        """Release the workspace; everything acknowledged is on disk already.

        Closing again does what an interrupt left of it, else nothing. In a child process only its
        own copies of files are closed.
        """
        workspace = self._engine.workspace
        try:
            workspace.check_process()
        except Forked:
            workspace.close()
            return
        self._rest()
        with self._guard:
            try:
                self._let_go()
                self._engine.settle_notes()
            finally:
                workspace.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
