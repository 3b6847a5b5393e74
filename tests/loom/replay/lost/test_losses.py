"""What a compacted session lost, and what it went back for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from loom.inputs import Session, System
from loom.providers.prices import prices_of
from loom.replay.importers import load
from loom.replay.lost import losses
from loom.replay.lost.calls import calls_of
from loom.replay.lost.going_back import ShownBefore
from loom.replay.lost.held_texts import HeldTexts
from loom.replay.lost.losses import CompactionLoss
from tests.kit.compacted import MODEL, STORE, CompactedLog, compacted_log, session_of

PRICES = prices_of(MODEL)


SHELF = {"file_path": "/home/ada/shop/lib/shelf.py"}
DONE = "The file has been updated."


@pytest.fixture
def session(tmp_path: Path) -> Session:
    """A small session of one compaction."""
    return load(compacted_log(tmp_path))[0]


def first_of(session: Session | CompactedLog, folder: Path) -> CompactionLoss:
    """The losses at the first compaction."""
    session = session_of(session, folder) if isinstance(session, CompactedLog) else session
    return losses(session, folder / "w", PRICES).compactions[0]


def lost(log: CompactedLog, folder: Path) -> list[str]:
    """What is told of the first compaction's losses."""
    return [thing.told for thing in first_of(log, folder).lost]


def test_without_a_compaction_nothing_is_lost(session: Session, tmp_path: Path) -> None:
    """No window is made; the session goes by its first words."""
    made = losses(replace(session, compactions=()), tmp_path / "w", PRICES)
    assert made.compactions == () and not (tmp_path / "w").exists()
    assert made.title.startswith("Never touch the ledger folder.")
    assert (made.project, made.client) == ("/home/ada/shop", "Claude Code")


def test_who_compacted_it(session: Session, tmp_path: Path) -> None:
    """By the shape of the lines, the mark of a compaction, or how a summary begins; else nobody."""
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
        assert losses(told, folder, PRICES).client == client


def test_what_neither_the_summary_nor_what_was_kept_holds(session: Session, tmp_path: Path) -> None:
    """The rule, the changed file, the commit and the failing check; each with its place."""
    one = first_of(session, tmp_path)
    assert (one.message, one.before, one.after) == (12, 6_000, 2_200)
    assert one.dollars > 0 and one.summary
    told = {thing.kind: thing for thing in one.lost}
    assert sorted(told) == ["check", "file", "id", "rule"] and len(one.lost) == 4
    assert "ledger" in told["rule"].told and told["rule"].message == 0
    assert told["file"].told == "/home/ada/shop/lib/shelf.py"
    shown = "ls lib; git log --oneline -1"  # the call that showed both again before they were used
    for kind, needed in (("file", 17), ("id", 19)):
        thing = told[kind]
        assert (thing.needed, thing.shown, thing.by) == (needed, 16, shown)
    assert told["id"].told == "9f3c2ab71d"
    assert "fails" in told["check"].told
    assert all(thing.loom == ("in view", "in view") for thing in one.things)


def test_what_was_read_again(session: Session, tmp_path: Path) -> None:
    """Both files, whether the summary names them or not, with what each took."""
    one = first_of(session, tmp_path)
    assert [(call.did, call.message, call.before, call.times) for call in one.back] == [
        ("read", 13, 1, 1),
        ("read", 17, 3, 1),
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
    one = first_of(log, tmp_path)
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


def test_a_summary_that_is_not_recorded(session: Session, tmp_path: Path) -> None:
    """What it left out is not guessed at; what was gone back for is told all the same."""
    bare = replace(session.compactions[0], summary="")
    made = first_of(replace(session, compactions=(bare,)), tmp_path)
    assert made.things == () and made.back


def test_how_texts_hold_a_thing() -> None:
    """Names whole, sentences by two of their words in two lines; of one word by that."""
    held = HeldTexts(("It edits data.go.\nIt never touches the\nledger.",))
    assert held.names("data.go") and held.names("Data.go") and not held.names("ata.go")
    assert held.says("Never touch the ledger folder.") and held.says("Ledger!")
    assert not held.says("pytest data.go") and not held.says("Write no emojis.")


def test_what_was_kept_was_not_lost(session: Session, tmp_path: Path) -> None:
    """Neither by its name, nor when it is read again."""
    own = [line for line in STORE.replace("keep", "drop").split("\n") if "drop" in line]
    beside = replace(session.compactions[0], kept=("lib/shelf.py", "\n".join(own)))
    one = first_of(replace(session, compactions=(beside,)), tmp_path)
    assert not any("shelf.py" in thing.told for thing in one.lost)
    assert [call.message for call in one.back] == [13]


def test_a_file_is_in_use_that_is_read_again(tmp_path: Path) -> None:
    """Or edited again; not one that is left alone. What the summary names is held, and what the
    model names itself before anything shows it: it was known."""
    log = CompactedLog()
    log.user("Mend it.")
    for name in ("a", "b", "alone", "shelf_data"):
        log.call("Read", STORE[:900], file_path=f"/home/ada/{name}.py")
    log.call("Edit", DONE, old_string="x = 1", new_string="x = 2", **SHELF)
    log.compact("All is well with shelf_data.")
    log.call("Edit", DONE, old_string="x = 2", new_string="x = 3", **SHELF)
    log.call("Read", STORE[910:], file_path="/home/ada/b.py")
    log.call("Bash", "a.py\nalone.py", command="ls")
    for name in ("a", "shelf_data"):
        log.call("Read", STORE[:900], file_path=f"/home/ada/{name}.py")
    made = first_of(log, tmp_path)
    assert [thing.told for thing in made.lost] == ["/home/ada/a.py"]
    assert [(thing.told[-5:], thing.held) for thing in made.things] == [
        ("lf.py", True), ("/b.py", True), ("/a.py", False), ("ta.py", True)
    ]  # fmt: skip
    assert not any("alone" in thing.told for thing in made.things)


def test_an_id_goes_by_its_first_signs(tmp_path: Path) -> None:
    """In a summary, not so a number; the last to show it before it is used again is told."""
    log = CompactedLog()
    log.user("Mend it.")
    ids = "c2b51eb0-d0e9-43cf-b431-42c05d49450b 9f3c2ab71d 2785477238"
    log.call("Bash", ids, command="list")
    log.compact("It looked at 2026-01-19-c2b51eb0-..., 9f3c2ab and 2785477.")
    log.call("Bash", ids, command="list --all")
    log.user(ids)
    for id in ids.split():
        log.call("Bash", "shown", command=f"show {id}")
    one = first_of(log, tmp_path)
    assert [thing.told for thing in one.things if thing.kind == "id"] == ids.split()
    assert [(thing.told, thing.shown, thing.by) for thing in one.lost] == [("2785477238", 7, "")]


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
    """Line for line, with no act in between that may have changed a file: a search as well, by what
    it looked for; several calls for one thing are told once."""
    log = CompactedLog()
    log.user("Look at it.")
    log.call("Bash", "reset", command="git reset HEAD")
    log.call("Bash", "main\nside", command="git branch")
    log.call("Bash", "one\ntwo", command="git log --oneline")
    log.call("Grep", "shelf.py:3", pattern="row", path="lib")
    for part in (STORE[:900], STORE[900:1_800]):
        log.call("Read", part, **SHELF)
    log.compact("All is well.")
    log.call("Bash", "main\nside", command="git branch")
    log.call("Bash", "zero\none\ntwo", command="git log --oneline")
    log.call("Grep", "shelf.py:3", pattern="row", path="lib")
    log.call("Bash", "reset", command="git reset HEAD")
    log.call("Grep", "shelf.py:3", pattern="row", path="lib")
    for part in (STORE[:900], STORE[900:1_800]):
        log.call("Read", part, **SHELF)
    log.call("Edit", DONE, old_string="row", new_string="col", **SHELF)
    log.call("Bash", "main\nside", command="git branch")
    back = first_of(log, tmp_path).back
    assert [(call.did, call.what, call.times) for call in back] == [
        ("ran", "git branch", 1),
        ("searched", "Grep row, lib", 1),
        ("read", "/home/ada/shop/lib/shelf.py", 2),
    ]


@pytest.mark.parametrize(
    "change", ["sed -i s/row/line/ store.py", "cat > store.py <<X\nnew\nX", "git commit -qam more"]
)
def test_a_check_behind_a_command_that_may_change_a_file(change: str, tmp_path: Path) -> None:
    """It is no check that is run again."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Bash", "3 passed in 0.1s", command="pytest -q")
    log.compact("All is well.")
    log.call("Bash", "", command=change)
    log.call("Bash", "3 passed in 0.1s", command="pytest -q")
    assert first_of(log, tmp_path).back == ()


def test_instructions_larger_than_the_small_window(session: Session, tmp_path: Path) -> None:
    """They have room beside the talk: no window can do without them."""
    events = (System("Never stop. " * 4_000, 0), *session.events)
    [one] = session.compactions
    moved = (replace(one, at=one.at + 1),)
    large = replace(session, events=events, compactions=moved, times=(0, *session.times))
    made = first_of(large, tmp_path)
    assert [thing.loom for thing in made.things] == [("in view", "in view")] * 5


def test_a_compaction_on_a_branch_that_was_left(tmp_path: Path) -> None:
    """The user went back to before it: it is none of the session's."""
    path = compacted_log(tmp_path)
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    at = next(at for at, line in enumerate(lines) if line.get("subtype") == "compact_boundary")
    said = {"role": "user", "content": "Go another way."}
    lines.append({**lines[0], "uuid": "v", "parentUuid": lines[at - 1]["uuid"], "message": said})
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    assert load(path)[0].compactions == ()


def test_where_lines_stood_before(tmp_path: Path) -> None:
    """At the last call that showed half of them, be it one that wrote them; once they are back no
    call brings them back again."""
    log = CompactedLog()
    log.user("Mend it.")
    log.call("Write", DONE, content=STORE, **SHELF)
    log.call("Edit", DONE, old_string="row * 3", new_string="row * 4", **SHELF)
    log.compact("All is well.")
    log.call("Read", "".join(f"{n}→{line}\n" for n, line in enumerate(STORE.split("\n"))), **SHELF)
    session = session_of(log, tmp_path)
    [back] = first_of(session, tmp_path).back
    assert back.before == 1
    wrote, edited, read = calls_of(session)
    stood = ShownBefore([wrote, edited], ())
    again = stood.find_repeat(read)
    assert again is not None and again[0] is wrote and stood.find_repeat(read) is None
