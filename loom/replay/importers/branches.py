"""A session whose lines name the line before them: of several branches the last one is read.

A user who goes back and says something else begins a branch: the file holds both branches, and the
model of the last line never read the other. Lines of one reply, and the results of its calls, hang
side by side below one line; they are no branches."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from msgspec import Struct

from loom.reduce.lines import plural
from loom.replay.importers.loss_notes import OTHERS, copy_note
from loom.replay.importers.talks import RecordedMessage


class BranchLine(Struct, frozen=True):
    """A line of a session file that holds branches.

    `own` is the line's name, `before` that of the line before it ("" for none). `begins` is True
    for a line that may start a conversation anew. `reply` names the reply the line is a piece of
    ("" for none); `calls` and `answers` hold the ids of the calls it makes, and of those whose
    results it has. `said` is the line's content, equal for copies; "" for a line that is not part
    of the conversation."""

    item: RecordedMessage
    own: str
    before: str
    begins: bool
    reply: str
    calls: list[object]
    answers: list[object]
    said: str


def last_branch(lines: Sequence[BranchLine], notes: list[str]) -> list[BranchLine]:
    """Return the lines of the branch that ends in the file's last line of conversation, in the
    order of the file, with all lines that are not conversation.

    A note in `notes` counts the lines of other branches. A line whose earlier line is not in the
    file follows the line that stands before it there."""
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
    """Return, for each line, the index of the line before it in its branch; -1 for a line that
    begins a branch."""
    places = {line.own: at for at, line in enumerate(lines) if line.own}
    named = {line.before for line in lines} - {""}
    found = []
    for at, line in enumerate(lines):
        anew = not line.before and line.begins and line.own in named
        place = places.get(line.before, -1)
        found.append(-1 if anew else place if 0 <= place < at else at - 1)
    return found


def _places_beside_branch(lines: Sequence[BranchLine], on: Iterable[int]) -> set[int]:
    """Return the indexes of lines that belong to a branch without being on its path: further pieces
    of its replies, and results of its calls. `on` are the indexes of the path."""
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
    """Return those of the given ids that are texts, as a set."""
    return {id for id in given if isinstance(id, str)}
