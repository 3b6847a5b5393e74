"""Picks the last branch of a session whose lines each name the previous line.

A branch begins when a user goes back to an earlier message and says something else. The file holds
both branches, and the model of the last line never read the other one. The lines of one reply, and
the results of its calls, may all name the same previous line. They are not branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from loom.reduce.lines import plural
from loom.replay.importers.loss_notes import OTHERS, copy_note
from loom.replay.importers.talks import RecordedMessage


class BranchLine(Struct, frozen=True):
    """A line of a session file that may hold several branches.

    `own` is the line's id, `before` the previous line's. `begins`: the line may start a
    conversation. `reply` is the id of the reply that the line is a piece of. `calls` are the ids of
    calls that the line makes, `answers` the ids of calls whose results it has. `said` is the line's
    content, equal for copies. A text that does not apply is ""."""

    item: RecordedMessage
    own: str
    before: str
    begins: bool
    reply: str
    calls: list[object]
    answers: list[object]
    said: str


def last_branch(lines: Sequence[BranchLine], notes: list[str]) -> list[BranchLine]:
    """Return, in file order, the lines of the branch that ends in the conversation's last line, and
    all lines that are not part of the conversation. `notes` gets a note on the lines in other
    branches."""
    parents = _parent_places(lines)
    at = max((at for at, line in enumerate(lines) if line.said), default=-1)
    on: set[int] = set()
    while at >= 0:
        on.add(at)
        at = parents[at]
    on |= _places_beside_branch(lines, on)
    said = {lines[at].said for at in on}
    others = [at for at, line in enumerate(lines) if line.said and at not in on]
    left = [at for at in others if lines[at].said not in said]
    notes += (copy_note(lines[at].item.index, lines[at].own) for at in {*others} - {*left})
    if left:
        ends = {*left} - {*parents}  # results may hang side by side below their calls
        branches = max(sum(not _text_ids(lines[at].answers) for at in ends), 1) + 1
        notes.append(f"{branches} branches: {plural(len(left), 'line')}{OTHERS}")
    return [line for at, line in enumerate(lines) if at in on or not line.said]


def _parent_places(lines: Sequence[BranchLine]) -> list[int]:
    """Return the index of each line's previous line in its branch, -1 for a branch's first line."""
    places = {line.own: at for at, line in enumerate(lines) if line.own}
    named = {line.before for line in lines} - {""}
    found = []
    for at, line in enumerate(lines):
        anew = not line.before and line.begins and line.own in named
        place = places.get(line.before, -1)
        found.append(-1 if anew else place if 0 <= place < at else at - 1)
    return found


def _places_beside_branch(lines: Sequence[BranchLine], on: Iterable[int]) -> set[int]:
    """Return the indexes of lines that hold further pieces of a branch's replies or results of its
    calls. `on` has the indexes of the branch's other lines."""
    branch = [lines[at] for at in on]
    replies, said = {line.reply for line in branch} - {""}, {line.said for line in branch}
    pieces = {
        at for at, line in enumerate(lines) if line.reply in replies and line.said not in said
    }
    called = {
        id for line in (*branch, *(lines[at] for at in pieces)) for id in _text_ids(line.calls)
    }
    waiting = called - {id for line in branch for id in _text_ids(line.answers)}
    results = {id: at for at, line in enumerate(lines) for id in _text_ids(line.answers) & waiting}
    return pieces | {*results.values()}  # of copies the newest


def _text_ids(given: Iterable[object]) -> set[str]:
    """Return the set of the given ids that are strings."""
    return {id for id in given if isinstance(id, str)}
