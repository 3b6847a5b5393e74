"""The surfaces of C_working a host can write: plan, progress, scratchpad, events, knowledge.

Texts are bounded on entry; the whole of a long one rests on a page.
"""

from __future__ import annotations

from collections.abc import Iterable
from threading import RLock

from msgspec.structs import replace

from loom.engine import Engine
from loom.errors import LoomError
from loom.render.wording import ARROW
from loom.text import one_line
from partitions import records as r
from partitions.working import (
    PLAN_MAX,
    URGENCIES,
    Event,
    Evidence,
    PlanItem,
)

LINE_CHARS = 200
NAME_CHARS = 80
GOAL_TOKENS = 200  # the seed's part for the goal
SCRATCH_TOKENS = 300
STATES = ("todo", "doing", "done")


class Surfaces:
    """What a Context offers to keep C_working true. Every call is one commit."""

    _engine: Engine
    _lock: RLock

    def task(self, goal: str) -> None:
        """Set the goal; it travels through every renewal. A no-op when unchanged."""
        with self._lock:
            text = self._engine.ingest.surface(goal, "goal", self._part(GOAL_TOKENS))
            known = self._engine.window.working.goal
            if known is None or replace(known, page="") != replace(text, page=""):
                self._engine.commit(r.Tasked(text))

    def plan(self, items: Iterable[str | tuple[str, str]]) -> None:
        """Write the plan: texts, or pairs of (text, state) with state todo, doing or done."""
        made = []
        for item in items:
            text, state = (item, "todo") if isinstance(item, str) else item
            if state not in STATES:
                raise LoomError(f"plan: {state!r} is no state; one of {', '.join(STATES)}")
            made.append(PlanItem(self._line(text), state))
        if len(made) > PLAN_MAX:
            done = [item for item in made if item.state == "done"]
            open_items = [item for item in made if item.state != "done"]
            kept = open_items[: PLAN_MAX - 1]
            left = len(open_items) - len(kept)
            more = f"({len(done)} done, {left} later)"
            made = [PlanItem(more, "done" if not left else "todo"), *kept]
        self._put(r.Planned(tuple(made)))

    def progress(self, text: str) -> None:
        """The model's own view of how far the goal is reached."""
        self._put(r.Progressed(self._line(text)))

    def note(self, text: str) -> None:
        """Write the scratchpad; "" clears it."""
        with self._lock:
            room = self._part(SCRATCH_TOKENS)
            self._engine.commit(r.Noted(self._engine.ingest.surface(text, "scratch", room)))

    def ask(self, id: str, question: str) -> None:
        """Open a question; of too many the oldest gives way."""
        self._put(r.Questioned(self._name(id), self._line(question)))

    def answered(self, id: str) -> None:
        """Close a question."""
        self._put(r.Questioned(self._name(id), ""))

    def evidence(
        self, id: str, summary: str, citations: Iterable[str] = (), confidence: float = 0.5
    ) -> None:
        """Put an evidence pack on the knowledge surface."""
        cited = tuple(self._line(citation) for citation in citations)[:5]
        self._put(r.Evidenced(Evidence(self._name(id), self._line(summary), cited, confidence)))

    def signal(
        self, id: str, summary: str, *, kind: str = "event", urgency: str = "normal"
    ) -> None:
        """Tell of an event; one of a known id changes nothing."""
        if urgency not in URGENCIES:
            raise LoomError(f"signal: {urgency!r} is no urgency; one of {', '.join(URGENCIES)}")
        event = Event((self._name(id),), self._name(kind), self._line(summary), urgency)
        self._put(r.Signalled(event))

    def acknowledge(self, id: str, disposition: str) -> None:
        """Give an event its disposition: ignore, defer, replan, decompose, hand off or stop."""
        self._put(r.Acknowledged(self._name(id), self._name(disposition)))

    def _line(self, text: str) -> str:
        """The text as one bounded line; a longer one rests on a page, which the line names."""
        with self._lock:
            clean = self._engine.redactor(text)
            if len(clean) <= LINE_CHARS:
                return one_line(clean, LINE_CHARS)
            data = clean.encode("utf-8", "surrogatepass")
            ref = ARROW + self._engine.workspace.rest("surface", ".txt", data)
            return one_line(clean, LINE_CHARS - len(ref)) + ref

    def _name(self, text: str) -> str:
        return one_line(self._engine.redactor(text), NAME_CHARS)

    def _part(self, tokens: int) -> int:
        """A surface's part of the window: its documented size, less in a very small one."""
        return max(min(tokens, self._engine.window.limits.capacity // 10), 20)

    def _put(self, record: r.Record) -> None:
        with self._lock:
            self._engine.commit(record)
