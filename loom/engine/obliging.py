"""Obligations put on C_working, ticked and dropped, as records. Nothing here runs anything."""

from __future__ import annotations

from collections.abc import Iterable

from loom.engine.working import NAME_CHARS, Records, WorkingEdits
from loom.errors import LoomError
from loom.text import one_line
from loom_partitions import records as r
from loom_partitions.limits import OBLIGATIONS_MAX
from loom_partitions.obligations import DROPPED, DUE, Obligation


def oblige(edits: WorkingEdits, id: str, text: str) -> Records:
    """Put an obligation on its surface; one of the same id and words is due as before.

    Raises LoomError for an obligation without words, and where too many are due.
    """
    line = edits.line(text)
    name = edits.name(id)
    if not line:
        raise LoomError(f"the obligation {one_line(id, NAME_CHARS)!r} has no words")
    known = edits.window.working.obligations
    old = next((one for one in known if one.id == name), None)
    if old is not None and old.text == line:
        return (r.Ticked(name, done=False),) if old.state == DROPPED else ()
    if old is None and sum(one.state == DUE for one in known) >= OBLIGATIONS_MAX:
        raise LoomError(f"{OBLIGATIONS_MAX} obligations are due: tick or drop some first")
    return (r.Obliged(Obligation(name, line)),)


def tick(edits: WorkingEdits, id: str, done: bool) -> Records:
    """Mark an obligation as met, or as due again; raises LoomError for one that is not there."""
    name = _known(edits, id)
    state = next(one.state for one in edits.window.working.obligations if one.id == name)
    return () if state == ("done" if done else DUE) else (r.Ticked(name, done),)


def drop_obligation(edits: WorkingEdits, id: str) -> Records:
    """Take an obligation away; raises LoomError for one that is not there."""
    return (r.Released(_known(edits, id)),)


def listed(edits: WorkingEdits, wanted: Iterable[Obligation]) -> Records:
    """Bring the obligations read from guides in step with what those say now.

    An edited rule is due again, one that only moved keeps its state, and one that is gone leaves.
    The host's own stand as they are, and keep their ids.
    """
    known = {one.id: one for one in edits.window.working.obligations}
    own = {id for id, one in known.items() if not one.listed}
    wanted = [one for one in wanted if one.id not in own][: OBLIGATIONS_MAX - len(own)]
    ids = {one.id for one in wanted}
    gone = [id for id, one in known.items() if one.listed and id not in ids]
    made: list[r.Record] = [r.Released(id, ruled=False) for id in gone]
    for one in wanted:
        old = known.get(one.id)
        if old is None or (old.text, old.where) != (one.text, one.where):
            made.append(r.Obliged(one))
    return tuple(made)


def _known(edits: WorkingEdits, id: str) -> str:
    name = edits.name(id)
    there = [one.id for one in edits.window.working.obligations if one.state != DROPPED]
    if name not in there:
        shown = one_line(", ".join(there), 300) or "none"
        raise LoomError(f"no obligation {one_line(id, NAME_CHARS)!r}; there are: {shown}")
    return name
