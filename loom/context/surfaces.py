"""The surfaces of C_working a host can write: plan, progress, scratchpad, events, knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from threading import RLock

from loom.engine import Engine
from loom.engine.atomic import Atomic
from loom.engine.working import Desk, Records


class Surfaces:
    """What a Context offers to keep C_working true. Every call is one commit.

    Texts are bounded on entry; the whole of a long one rests on a page.
    """

    _engine: Engine
    _lock: RLock
    _atomic: Atomic
    _match: Callable[[], None]

    def task(self, goal: str) -> None:
        """Set the goal; it travels through every renewal. A no-op when unchanged.

        A skill it plainly calls for comes into the window.
        """
        with self._lock, self._atomic:
            self._write(lambda desk: desk.goal(goal))
            self._match()

    def plan(self, items: Iterable[str | tuple[str, str]]) -> None:
        """Write the plan: texts, or pairs of (text, state) with state todo, doing or done."""
        self._write(lambda desk: desk.plan(items))

    def progress(self, text: str) -> None:
        """The model's own view of how far the goal is reached."""
        self._write(lambda desk: desk.progress(text))

    def scratch(self, text: str) -> None:
        """Write the scratchpad; "" clears it."""
        self._write(lambda desk: desk.scratch(text))

    def note(self, text: str) -> None:
        """Add a line to the scratchpad."""
        self._write(lambda desk: desk.note(text))

    def ask(self, id: str, question: str) -> None:
        """Open a question; of too many the oldest is only counted until there is room."""
        self._write(lambda desk: desk.ask(id, question))

    def answered(self, id: str) -> None:
        """Close a question."""
        self._write(lambda desk: desk.answered(id))

    def evidence(
        self,
        id: str,
        summary: str,
        citations: Iterable[str] = (),
        confidence: float = 0.5,
        *,
        facts: Iterable[str] = (),
        conflicts: Iterable[str] = (),
    ) -> None:
        """Put an evidence pack on the knowledge surface; `confidence` is 0 to 1."""
        self._write(
            lambda desk: desk.evidence(id, summary, citations, confidence, facts, conflicts)
        )

    def signal(
        self, id: str, summary: str, *, kind: str = "event", urgency: str = "normal"
    ) -> None:
        """Tell of an event; one of a known id changes nothing.

        Urgency is low, normal, high or critical; the last two ask the model to stop and look.
        """
        self._write(lambda desk: desk.signal(id, summary, kind, urgency))

    def acknowledge(self, id: str, disposition: str) -> None:
        """Give an event its disposition: ignore, defer, replan, decompose, hand off or stop.

        What is not ignored is a risk until it is acknowledged again as resolved or archived.
        """
        self._write(lambda desk: desk.acknowledge(id, disposition))

    def _write(self, make: Callable[[Desk], Records]) -> None:
        with self._lock, self._atomic:
            self._engine.commit(*make(self._engine.desk()))
