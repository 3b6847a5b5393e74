"""`ctx.working`: what a host writes onto C_working: goal, plan, progress, scratchpad, knowledge."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from msgspec import json

from loom.errors import OverCapacity
from loom.providers.render.dashboard import Dashboard
from loom.session import Engine
from loom.session.archive.page_reader import readable_text
from loom.session.locking import one_call
from loom.session.working_edits import Records, WorkingEdits
from loom.typed import check_arguments
from loom_partitions.limits import CEILING
from loom_partitions.shelf import PINNED
from loom_partitions.window import Window, fold

C_WORKING = ("dashboard", "plan", "event_surface", "knowledge_surface", "scratchpad")


@check_arguments
class WorkingSurfaces:
    """The parts of C_working, which stand in every request. Every call is one commit.

    A long text is shortened in C_working; a page keeps the whole.

        >>> with loom.open("memory://working", goal="Ship the parser.") as ctx:
        ...     ctx.working.plan([("Write the tests", "done"), "Fix the bug"])
        ...     ctx.working.goal, [item["state"] for item in ctx.working.as_dict()["plan"]]
        ('Ship the parser.', ['done', 'todo'])"""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __repr__(self) -> str:
        goal = self._engine.workspace.shown.working.goal
        return f"<ctx.working: goal {(goal.body or '')[:60] if goal is not None else ''!r}>"

    @property
    def goal(self) -> str:
        """The goal; "" if there is none."""
        goal = self._engine.workspace.shown.working.goal
        return readable_text(self._engine.workspace, goal) if goal is not None else ""

    @property
    def dashboard(self) -> Dashboard:
        """The values on the model's dashboard now: ρ, tokens left, errors, interrupt and others."""
        engine = self._engine
        return engine.notices.values(engine.workspace.shown)

    @one_call
    def as_dict(self) -> dict[str, Any]:
        """Return C_working as a dict of plain values with the keys `dashboard`, `plan`,
        `event_surface`, `knowledge_surface` and `scratchpad`, as in a snapshot. No text is
        shortened."""
        from loom.session.snapshots import take_snapshot

        engine, window = self._engine, self._engine.workspace.shown
        made = take_snapshot(engine.workspace, engine.read, window, window, self.dashboard)
        return {name: json.decode(json.encode(getattr(made, name))) for name in C_WORKING}

    @one_call
    def set_goal(self, goal: str) -> None:
        """Set the goal, which stays through every renewal. A no-op when unchanged. A skill that the
        goal plainly calls for is put into the window. Raises OverCapacity, with nothing changed,
        when the goal leaves no room for a history."""
        engine = self._engine
        records = engine.edits().goal(goal)
        if records:
            _check_goal(engine, fold(records, engine.window))
        engine.commit(*records)
        for capability in engine.capabilities:
            engine.hooks.run(f"{capability.name}.goal_changed", capability.goal_changed)

    def plan(self, items: Iterable[str | tuple[str, str]]) -> None:
        """Replace the plan. Each item is a text, or a pair (text, state) with the state "todo",
        "doing" or "done"."""
        self._commit_edit(lambda edits: edits.plan(items))

    def progress(self, text: str) -> None:
        """Write onto the dashboard, in words, how far the work on the goal has come."""
        self._commit_edit(lambda edits: edits.progress(text))

    def scratch(self, text: str) -> None:
        """Replace the text of the scratchpad; "" clears it."""
        self._commit_edit(lambda edits: edits.scratch(text))

    def note(self, text: str) -> None:
        """Add a line to the scratchpad."""
        self._commit_edit(lambda edits: edits.note(text))

    def ask(self, id: str, question: str) -> None:
        """Open a question under an id. Beyond a limit, the oldest open questions are only counted,
        not shown."""
        self._commit_edit(lambda edits: edits.ask(id, question))

    def answered(self, id: str) -> None:
        """Close the question with this id."""
        self._commit_edit(lambda edits: edits.answered(id))

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
        """Put a piece of evidence under an id: a `summary`, the names of its sources (`citations`),
        what supports it (`facts`), what speaks against it (`conflicts`), and a `confidence` from 0
        to 1."""
        self._commit_edit(
            lambda edits: edits.evidence(id, summary, citations, confidence, facts, conflicts)
        )

    @one_call
    def _commit_edit(self, make: Callable[[WorkingEdits], Records]) -> None:
        """Commit the records that `make` returns. `make` is given an editor of C_working."""
        engine = self._engine
        engine.commit(*make(engine.edits()))


def _check_goal(engine: Engine, after: Window) -> None:
    """Raise OverCapacity if the goal of the window `after` leaves no room for a history."""
    needs, lines = engine.room.needs(after), after.memory.get(PINNED)
    # A renewal clears C_memory of all but the pinned lines.
    needs["memory"] = lines.tokens if lines is not None else 0
    if sum(needs.values()) > after.limits.capacity * CEILING:
        advice = "a shorter goal, or a larger window, leaves room for a history"
        raise OverCapacity("working", needs["working"], after.limits.capacity, advice)
