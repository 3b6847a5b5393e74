"""What was in use by what calls did, and what was held though no summary names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.inputs import Session
from loom.providers.prices import prices_of
from loom.replay.lost import losses
from loom.replay.lost.again import WindowLines
from loom.replay.lost.calls import FEW, calls_of
from loom.replay.lost.losses import CompactionLoss
from tests.kit.compacted import MODEL, STORE, CompactedLog, session_of

SHELF = {"file_path": "/home/ada/shop/lib/shelf.py"}
DONE = "The file has been updated."


def lost(session: Session, folder: Path) -> list[str]:
    """What is told of the first compaction's losses."""
    return [thing.told for thing in _first(session, folder).lost]


def _first(session: Session, folder: Path) -> CompactionLoss:
    return losses(session, folder / "w", prices_of(MODEL)).compactions[0]


def _unrecorded(session: Session) -> Session:
    """The same, where nothing tells what stood on beside the summary."""
    return replace(session, shape="normalised")


def test_what_is_undone_is_not_in_use(tmp_path: Path) -> None:
    """Lines put in and taken out, a file that was removed; but what is left of two edits."""
    log = CompactedLog()
    log.user("Mend it.")
    for path in ("a.py", "b.py", "c.py"):
        given = {"file_path": f"/home/ada/shop/{path}"}
        log.call("Edit", DONE, old_string="one = 1", new_string="one = 1\nlater = 2", **given)
    log.call("Edit", DONE, file_path="/home/ada/shop/a.py", old_string="later = 2", new_string="")
    log.call("Edit", DONE, file_path="/home/ada/shop/b.py", old_string="one", new_string="two")
    log.call("Bash", "", command="rm /home/ada/shop/c.py")
    log.compact("All is well.")
    assert lost(session_of(log, tmp_path), tmp_path) == ["`…/ada/shop/b.py` edited 2 times (+2 −1)"]


def test_a_glance_is_in_use_for_what_is_asked(tmp_path: Path) -> None:
    """Once read counts until the next message of the user, twice until later."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Read", STORE, file_path="/home/ada/shop/lib/once.py")
    for _ in range(2):
        log.call("Read", STORE, **SHELF)
    log.user("Now the doors.")
    log.call("Read", STORE, file_path="/home/ada/shop/lib/doors.py")
    log.compact("All is well.")
    told = lost(session_of(log, tmp_path), tmp_path)
    assert told == ["`…/shop/lib/shelf.py` read 2 times", "`…/shop/lib/doors.py` read"]


def test_ids_that_are_used(tmp_path: Path) -> None:
    """None that stands in prose, in an answer that is sent, in a call that failed; a piece of a
    path is the id it ends."""
    log = CompactedLog()
    log.user("Look at it.")
    log.call("Bash", "b a76f0ea30b28", command="git log --oneline")
    log.call("Bash", "{}", command="git show runs:a7/6f0ea30b28/meta.json")
    log.call("Bash", "c", command="git show a76f0ea30b28")
    log.call("Task", "Done.", prompt="Review the changes of commit 9f3c2ab71d with great care.")
    log.call("Bash", "{}", command='gh api notes/2719290860 -f body="Added a note to it there."')
    log.call("Bash", "fatal: bad object 1234abc", failed=True, command="git show 1234abc")
    log.compact("All is well.")
    told = lost(session_of(log, tmp_path), tmp_path)
    assert told == ["`a76f0ea30b28` used last in `git show a76f0ea30b28`"]


@pytest.mark.parametrize("said", ["keepShelves is empty by default now.", "shelf.py was mended."])
def test_what_is_told_in_other_words(tmp_path: Path, said: str) -> None:
    """A change by the names in it, a file by its own."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Edit", DONE, old_string="x = 1", new_string="x = keepShelves()", **SHELF)
    log.compact(said)
    assert lost(session_of(log, tmp_path), tmp_path) == []
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Edit", DONE, old_string="x = 1", new_string="x = keepShelves()", **SHELF)
    log.compact("All is well.")
    assert len(lost(session_of(log, tmp_path), tmp_path)) == 1


def _looked(*, found: bool = False, edits: bool = False) -> CompactedLog:
    """A file that is read twice and an id; many others; a compaction, behind which both are named:
    by a search before, where they are `found`."""
    log = CompactedLog()
    log.user("Mend it.")
    for _ in range(2):
        log.call("Read", STORE, **SHELF)
        log.call("Bash", "c", command="git show a76f0ea30b28")
    for number in range(6):
        log.call("Read", f"row {number}", file_path=f"/home/ada/shop/lib/kept{number}.py")
    log.compact("Done: " + ", ".join(f"kept{number}.py" for number in range(6)))
    if found:
        log.call("Grep", "lib/shelf.py: a76f0ea30b28", pattern="rows")
    if edits:
        log.call("Edit", DONE, old_string="row * 7", new_string="row * 8", **SHELF)
    else:
        log.call("Read", STORE, **SHELF)
    log.call("Bash", "c", command="git show a76f0ea30b28")
    return log


def test_what_the_agent_names_by_itself_was_held(tmp_path: Path) -> None:
    """Ids always; a path where the recording has not what was kept: else it was needed again. What
    a search showed before was not held, but for a file that is edited without being read."""
    alone = session_of(_looked(), tmp_path)
    [file] = _first(alone, tmp_path / "a").lost
    assert file.kind == "file" and file.needed > 0
    assert lost(_unrecorded(alone), tmp_path / "b") == []
    found = _first(_unrecorded(session_of(_looked(found=True), tmp_path)), tmp_path / "c").lost
    assert [(thing.kind, thing.needed) for thing in found] == [("file", -1), ("id", -1)]
    edited = _unrecorded(session_of(_looked(found=True, edits=True), tmp_path))
    assert [thing.kind for thing in _first(edited, tmp_path / "d").lost] == ["id"]


def test_what_a_client_may_have_kept(tmp_path: Path) -> None:
    """The files touched last and its plan, where the recording does not tell."""
    log = CompactedLog()
    log.user("Mend it.")
    given = {"file_path": "/home/ada/.claude/plans/a-plan.md", "content": "Mend the shelves."}
    log.call("Write", DONE, **given)
    log.call("Edit", DONE, old_string="x = 1", new_string="x = 2", **SHELF)
    log.compact("All is well.")
    session = session_of(log, tmp_path)
    assert [told.split("` ")[1] for told in lost(session, tmp_path / "a")] == ["edited (+1 −1)"]
    assert lost(_unrecorded(session), tmp_path / "b") == []


def test_a_rule_beside_a_question_is_none(tmp_path: Path) -> None:
    """Once a later message left it behind; nor is a remark in a text with headings."""
    log = CompactedLog()
    log.user("Does it ever shrink? It should never lose its doors.")
    log.said("No.")
    log.user("# Plan\n\n- Never touch the ledger folder. The barrel itself always stays.")
    log.compact("All is well.")
    assert lost(session_of(log, tmp_path), tmp_path) == ['"- Never touch the ledger folder."']


def test_where_lines_stood_before(tmp_path: Path) -> None:
    """At the call that showed most of them; what every result carries tells of none."""
    log = CompactedLog()
    log.user("Mend it.")
    reminder = "\nNever tell anyone of this reminder."
    log.call("Read", STORE + reminder, **SHELF)
    log.call("Edit", DONE, old_string="row * 3", new_string="row * 4", **SHELF)
    for number in range(FEW):
        log.call("Read", f"row = {number}{reminder}", file_path=f"/home/ada/{number}.py")
    log.compact("All is well.")
    log.call("Read", STORE + reminder, **SHELF)
    log.call("Read", "row = 0 + 1\nrow = 0 + 2\nrow = 0 + 3" + reminder, file_path="/home/ada/0.py")
    session = session_of(log, tmp_path)
    [back] = _first(session, tmp_path).back
    assert (back.before, back.written) == (1, False)
    stood = WindowLines()
    calls = calls_of(session)
    stood.take(calls[0])
    assert not any("reminder" in line for one in calls for line in one.lines)
    assert stood.again(calls[-2]) is calls[0] and stood.again(calls[-2]) is None


def test_what_the_agent_wrote(tmp_path: Path) -> None:
    """It stood there as it was written."""
    log = CompactedLog()
    log.user("Write it.")
    log.call("Write", DONE, content=STORE, **SHELF)
    log.compact("All is well.")
    log.call("Read", STORE, **SHELF)
    [back] = _first(session_of(log, tmp_path), tmp_path).back
    assert back.written and back.before == 1
