"""What was in use by what was done, and what a call brought back."""

from __future__ import annotations

from pathlib import Path

from loom.inputs import Session
from loom.providers.prices import prices_of
from loom.replay.lost import losses
from loom.replay.lost.again import Stood
from loom.replay.lost.calls import calls_of
from loom.replay.lost.losses import CompactionLoss
from tests.kit.compacted import MODEL, STORE, CompactedLog, session_of

SHELF = {"file_path": "/home/ada/shop/lib/shelf.py"}
DONE = "The file has been updated."


def lost(log: CompactedLog, folder: Path) -> list[str]:
    """What is told of the first compaction's losses."""
    return [thing.told for thing in _first(session_of(log, folder), folder).lost]


def _first(session: Session, folder: Path) -> CompactionLoss:
    return losses(session, folder / "w", prices_of(MODEL)).compactions[0]


def test_a_file_is_in_use_that_is_read_again(tmp_path: Path) -> None:
    """At the same place; not one that is left alone, nor another place of one, nor one that is
    edited without being read: its text was known. What the summary names is held."""
    log = CompactedLog()
    log.user("Mend it.")
    for name in ("a", "b", "alone", "shelf_data"):
        log.call("Read", STORE[:900], file_path=f"/home/ada/{name}.py")
    log.call("Edit", DONE, old_string="x = 1", new_string="x = 2", **SHELF)
    log.compact("All is well with shelf_data.")
    log.call("Edit", DONE, old_string="x = 2", new_string="x = 3", **SHELF)
    log.call("Read", STORE[910:], file_path="/home/ada/b.py")
    for name in ("a", "shelf_data"):
        log.call("Read", STORE[:900], file_path=f"/home/ada/{name}.py")
    made = _first(session_of(log, tmp_path), tmp_path)
    assert [thing.told for thing in made.lost] == ["`…/home/ada/a.py`"]
    assert [thing.held for thing in made.things] == [False, True]


def test_a_rule_beside_a_question_is_none(tmp_path: Path) -> None:
    """Once a later message left it behind; nor is a remark in a text with headings, nor what leads
    to a list."""
    log = CompactedLog()
    log.user("Does it ever shrink? It should never lose its doors.")
    log.said("No.")
    log.user("# Plan\n\n- Never touch the ledger folder. The barrel itself always stays.")
    log.user("You must never drop:\n- paint")
    log.compact("All is well.")
    assert lost(log, tmp_path) == ['"- Never touch the ledger folder."']


def test_what_a_skill_says_is_no_rule_of_the_user(tmp_path: Path) -> None:
    """Its body follows the result of the call as a turn of the user."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Skill", "Launching skill: paint", skill="paint")
    log.user("Never paint the doors.")
    log.said("I paint the walls.")
    log.user("Always use red.")
    log.compact("All is well.")
    assert lost(log, tmp_path) == ['"Always use red."']


def test_a_command_that_gives_the_same(tmp_path: Path) -> None:
    """Line for line, with no change of a file in between, and no act: a search as well, by what it
    looked for; several calls for one thing are told once."""
    log = CompactedLog()
    log.user("Look at it.")
    log.call("Bash", "main\nside", command="git branch")
    log.call("Bash", "one\ntwo", command="git log --oneline")
    log.call("Grep", "shelf.py:3", pattern="row", path="lib")
    log.call("Bash", "reset", command="git reset HEAD")
    for part in (STORE[:900], STORE[900:1_800]):
        log.call("Read", part, **SHELF)
    log.compact("All is well.")
    log.call("Bash", "main\nside", command="git branch")
    log.call("Bash", "reset", command="git reset HEAD")
    log.call("Bash", "zero\none\ntwo", command="git log --oneline")
    log.call("Grep", "shelf.py:3", pattern="row", path="lib")
    for part in (STORE[:900], STORE[900:1_800]):
        log.call("Read", part, **SHELF)
    log.call("Edit", DONE, old_string="row", new_string="col", **SHELF)
    log.call("Bash", "main\nside", command="git branch")
    back = _first(session_of(log, tmp_path), tmp_path).back
    assert [(call.did, call.what, call.times) for call in back] == [
        ("ran", "git branch", 1),
        ("searched", "Grep row, lib", 1),
        ("read", "…/shop/lib/shelf.py", 2),
    ]


def test_where_lines_stood_before(tmp_path: Path) -> None:
    """At the call that showed most of them, be it one that wrote them; once they are back no call
    brings them back again."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Write", DONE, content=STORE, **SHELF)
    log.call("Edit", DONE, old_string="row * 3", new_string="row * 4", **SHELF)
    log.compact("All is well.")
    log.call("Read", "".join(f"{n}→{line}\n" for n, line in enumerate(STORE.split("\n"))), **SHELF)
    session = session_of(log, tmp_path)
    [back] = _first(session, tmp_path).back
    assert back.before == 1
    wrote, edited, read = calls_of(session)
    stood = Stood([wrote, edited], frozenset())
    assert stood.again(read) is wrote and stood.again(read) is None
