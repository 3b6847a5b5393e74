"""C_working written anew from a snapshot, as a host would write it."""

from __future__ import annotations

from collections.abc import Iterator

from loom.engine.snapshots.document import Decided, Snapshot
from loom.engine.working import WorkingEdits
from loom_partitions import records as r
from loom_partitions.surfaces import SETTLED


def rewritten(edits: WorkingEdits, made: Snapshot) -> list[r.Record]:
    """The records that write C_working."""
    records: list[r.Record] = []

    def add(*more: r.Record) -> None:
        nonlocal edits
        records.extend(more)
        edits = edits.after(more)

    if made.goal:
        add(*edits.goal(made.goal))
    if made.dashboard.goal_progress:
        add(*edits.progress(made.dashboard.goal_progress))
    if made.plan:
        add(*edits.plan((item.text, item.state) for item in made.plan))
    if made.scratchpad:
        add(*edits.scratch(made.scratchpad))
    for one in _decisions(made):
        add(*edits.signal(one.id, one.summary or one.id, one.kind or "earlier", one.urgency))
        line = edits.line(one.summary or one.id)
        add(r.Acknowledged(one.id, one.disposition, line, one.urgency))
    for event in made.event_surface.pending_events:
        add(*edits.signal(event.id, event.summary, event.kind, event.urgency))
    for question in made.knowledge_surface.active_questions:
        add(*edits.ask(question.id, question.text))
    for pack in made.knowledge_surface.evidence_packs:
        add(
            *edits.evidence(
                pack.id, pack.summary, pack.citations, pack.confidence, pack.facts, pack.conflicts
            )
        )
    return records


def _decisions(made: Snapshot) -> Iterator[Decided]:
    """Yield what was decided, the newest last; each active risk stands under one."""
    pending = {event.id for event in made.event_surface.pending_events}
    decided = {one.id: one for one in made.decisions}
    risks = {risk.id: risk for risk in made.event_surface.active_risks}
    for id, risk in risks.items():
        if id not in decided and id not in pending:
            yield Decided(id, risk.disposition, "", risk.summary, risk.urgency)
    for id, one in decided.items():
        if id in pending:
            continue  # it came again
        own = risks.get(id)
        if own is not None:
            yield Decided(id, own.disposition, one.kind, own.summary, own.urgency)
        else:
            word = one.disposition if one.disposition in SETTLED else "resolved"
            yield Decided(id, word, one.kind, one.summary, one.urgency)
