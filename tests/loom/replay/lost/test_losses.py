"""What a compacted session lost, and what it went back for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.providers.prices import prices_of
from loom.replay.importers import load
from loom.replay.lost import SessionLoss, losses
from loom.replay.lost.things import HeldTexts
from tests.kit.compacted import MODEL, STORE, CompactedLog, compacted_log, session_of

PRICES = prices_of(MODEL)


def lost(path: Path, tmp_path: Path) -> SessionLoss:
    """The losses of a log's session."""
    return losses(load(path)[0], tmp_path / "w", prices_of(MODEL))


def test_without_a_compaction_nothing_is_lost(tmp_path: Path) -> None:
    """No window is made; the session goes by its first words."""
    session = load(compacted_log(tmp_path))[0]
    made = losses(replace(session, compactions=()), tmp_path / "w", prices_of(MODEL))
    assert made.compactions == () and not (tmp_path / "w").exists()
    assert made.title.startswith("Never touch the ledger folder.")
    assert (made.project, made.client) == ("shop", "Claude Code")


def test_who_compacted_it(tmp_path: Path) -> None:
    """By the shape of the lines, the mark of a compaction, or how a summary begins; else nobody."""
    session = load(compacted_log(tmp_path))[0]
    [one] = session.compactions
    other = "Another language model started to solve this problem and wrote:"
    for shape, trigger, summary, client in (
        ("codex", "auto", one.summary, "Codex"),
        ("normalised", "pi", "", "pi"),
        ("normalised", "auto", one.summary, "Claude Code"),
        ("normalised", "auto", other, "Codex"),
        ("normalised", "auto", "The store was looked at.", ""),
    ):
        marked = (replace(one, trigger=trigger, summary=summary),)
        told = replace(session, shape=shape, compactions=marked)
        folder = tmp_path / f"{shape}-{trigger}-{client}"
        assert losses(told, folder, prices_of(MODEL)).client == client


def test_what_neither_the_summary_nor_what_was_kept_holds(tmp_path: Path) -> None:
    """The rule, the changed file and the failing check; each with its place."""
    [one] = lost(compacted_log(tmp_path), tmp_path).compactions
    assert (one.message, one.before, one.after) == (12, 6_000, 2_200)
    assert one.dollars > 0 and one.summary
    told = {thing.kind: thing for thing in one.lost}
    assert sorted(told) == ["check", "file", "rule"] and len(one.lost) == 3
    assert "ledger" in told["rule"].told and told["rule"].message == 0
    assert told["file"].told == "`…/shop/lib/shelf.py`"
    assert told["file"].needed == 15  # the message at which it is read again
    assert "fails" in told["check"].told
    assert all(thing.loom == "in view" for thing in one.things)


def test_what_was_read_again(tmp_path: Path) -> None:
    """Both files, whether the summary names them or not, with what each took."""
    [one] = lost(compacted_log(tmp_path), tmp_path).compactions
    assert [(call.did, call.message, call.before, call.times) for call in one.back] == [
        ("read", 13, 1, 1),
        ("read", 15, 3, 1),
    ]
    assert all(call.tokens > 500 and call.dollars > 0 for call in one.back)
    assert all(call.minutes == pytest.approx(2, abs=1) for call in one.back)


def test_what_is_new_is_not_gone_back_for(tmp_path: Path) -> None:
    """Another part of a file, a second reading, a check behind a change, and what was kept."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Read", STORE[:1_000], file_path="store.py")
    log.call("Bash", "a 1 passed\nb 1 passed\nc 1 passed", command="pytest -q")
    log.call("Edit", "Done.", file_path="store.py", old_string="row", new_string="col")
    log.compact("store.py was read.")
    log.call("Read", STORE[1_010:], file_path="store.py")
    log.call("Bash", "a 1 passed\nb 1 passed\nc 1 passed", command="pytest -q")
    log.call("Read", STORE[:1_000], file_path="store.py")
    log.call("Read", STORE[:1_000], file_path="store.py")
    path = tmp_path / "session.jsonl"
    path.write_text("\n".join(map(json.dumps, log.lines)), "utf-8")
    [one] = lost(path, tmp_path).compactions
    assert [(call.did, call.message) for call in one.back] == [("read", 13)]


def test_what_a_later_compaction_loses(tmp_path: Path) -> None:
    """What was lost before is not lost once more, what a summary held is."""
    log = CompactedLog()
    log.user("Never touch the ledger folder. Always write whole sentences.")
    log.said("Yes.")
    log.compact("The ledger folder stays as it is.")
    log.said("Done.")
    log.compact("All is well.")
    first, second = losses(session_of(log, tmp_path), tmp_path / "w", PRICES).compactions
    assert [thing.told for thing in first.lost] == ['"Always write whole sentences."']
    assert [thing.told for thing in second.lost] == ['"Never touch the ledger folder."']


def test_a_summary_that_is_not_recorded(tmp_path: Path) -> None:
    """What it left out is not guessed at; what was gone back for is told all the same."""
    session = load(compacted_log(tmp_path))[0]
    bare = replace(session.compactions[0], summary="")
    made = losses(replace(session, compactions=(bare,)), tmp_path / "w", prices_of(MODEL))
    assert made.compactions[0].things == () and made.compactions[0].back


def test_how_texts_hold_a_thing() -> None:
    """Names whole, sentences by two of their words in two lines; of one word by that."""
    held = HeldTexts(("It edits data.go.\nIt never touches the\nledger.",))
    assert held.names("data.go") and held.names("Data.go") and not held.names("ata.go")
    assert held.says("Never touch the ledger folder.") and held.says("Ledger!")
    assert not held.says("pytest data.go") and not held.says("Write no emojis.")


def test_what_was_kept_was_not_lost(tmp_path: Path) -> None:
    """Neither by its name, nor when it is read again."""
    session = load(compacted_log(tmp_path))[0]
    own = [line for line in STORE.replace("keep", "drop").split("\n") if "drop" in line]
    beside = replace(session.compactions[0], kept=("lib/shelf.py", "\n".join(own)))
    made = losses(replace(session, compactions=(beside,)), tmp_path / "w", prices_of(MODEL))
    [one] = made.compactions
    assert not any("shelf.py" in thing.told for thing in one.lost)
    assert [call.message for call in one.back] == [13]
