"""Stale code: what a file lost counts where it stands, what it holds does not."""

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace

from loom.providers.render.message import Message
from loom_bench.truth.files import ShadowFile, StaleCode, removed, triples, unnumbered
from tests.kit.cases import all_cases

LINES = [f"value_{n} = compute({n})" for n in range(1, 9)]
BODY = "\n".join(LINES)
NUMBERED = "\n".join(f"{n:>6}→{line}" for n, line in enumerate(LINES, 1))
OLD, NEW = LINES[3], "value_4 = compute(40)"
PATH = "/repo/app/values.py"


@pytest.fixture
def files(court: Callable[..., Any]) -> Any:
    """A court in which the file was read and then edited."""
    made = court(StaleCode())
    made.read = made.call("Read", NUMBERED, file_path=PATH)
    made.edit = made.call("Edit", "ok", file_path=PATH, old_string=OLD, new_string=NEW)
    return made


def test_current_code_is_fresh(court: Callable[..., Any]) -> None:
    """A file that never changed is nowhere stale."""
    made = court(StaleCode())
    read = made.call("Read", NUMBERED, file_path=PATH)
    ruling = made.rule(read, BODY, "> " + BODY.replace("\n", "\n> "))
    assert not ruling.faults
    assert ruling.sums["code_lines"] == 24


def test_old_read_without_its_edit(files: Any) -> None:
    """A read that shows what an edit took away is one stale block of the lines around it."""
    ruling = files.rule(files.read)
    assert ruling.sums["stale"] == 1
    assert ruling.sums["stale_lines"] == 5


@all_cases("sign", ["", "> ", "| ", "    "])
def test_old_code_in_other_words(files: Any, sign: str) -> None:
    """Old code is stale under the user's role too, quoted or indented."""
    assert files.rule("\n".join(sign + line for line in LINES[2:5])).sums["stale"] == 1


def test_told_by_the_edit_behind(files: Any) -> None:
    """The read is not stale while the edit stands behind it, but is when that stands before."""
    assert not files.rule(files.read, files.edit).faults
    assert files.rule(files.edit, files.read).sums["stale"] == 1


def test_edit_of_a_part_of_a_line(court: Callable[..., Any]) -> None:
    """A standing edit of part of a line tells the lines around it, unless its old text is gone."""
    made = court(StaleCode())
    read = made.call("Read", NUMBERED, file_path=PATH)
    edit = made.call("Edit", "ok", file_path=PATH, old_string="(4)", new_string="(40)")
    assert not made.rule(read, edit).faults
    call = made.messages[edit][0].blocks[0]
    made.messages.append(
        Message("assistant", (replace(call, arguments=f'{{"file_path": "{PATH}"}}'),))
    )
    assert made.rule(read, slice(len(made.messages) - 1, None)).sums["stale"] == 1


def test_new_code_is_fresh(files: Any) -> None:
    """What the edit made is current, and so are the lines it left alone."""
    assert not files.rule(BODY.replace(OLD, NEW), "\n".join(LINES[4:])).faults


def test_answer_that_repeats_the_old(court: Callable[..., Any]) -> None:
    """The answer of an edit that repeats its old text tells it as old."""
    made = court(StaleCode())
    text = f"replaced '\n{BODY}\n' with '\nnothing of it\n'"
    given = {"file_path": PATH, "old_string": BODY, "new_string": "nothing of it"}
    assert not made.rule(made.call("Edit", text, **given)).faults
    assert made.rule(made.call("Grep", text, pattern="replaced")).faults


def test_part_seen_before_the_edit(court: Callable[..., Any]) -> None:
    """An edit behind a read tells what it took, though an older read of some lines has a part."""
    made = court(StaleCode())
    made.call("Read", "\n".join(LINES[:5]), file_path=PATH, limit=5)
    read = made.call("Read", "\n".join(LINES[2:]), file_path=PATH, offset=3)
    edit = made.call(
        "Edit", "ok", file_path=PATH, old_string="\n".join(LINES[2:7]), new_string="nothing"
    )
    made.call("Read", "\n".join([*LINES[:2], "nothing", LINES[7]]), file_path=PATH)
    assert made.rule(read).faults
    assert not made.rule(read, edit).faults


def test_failed_edit_changes_nothing(court: Callable[..., Any]) -> None:
    """After an edit that failed the file is what it was."""
    made = court(StaleCode())
    read = made.call("Read", NUMBERED, file_path=PATH)
    made.call("Edit", "no match", error=True, file_path=PATH, old_string=OLD, new_string=NEW)
    assert not made.rule(read).faults


def test_new_string_superseded(court: Callable[..., Any]) -> None:
    """What an edit wrote and a later write replaced is stale, unless the write stands behind."""
    made = court(StaleCode())
    edit = made.call("Edit", "ok", file_path=PATH, old_string="x", new_string=BODY)
    write = made.call("Write", "ok", file_path=PATH, content="nothing of the old here\n")
    assert made.rule(edit).sums["stale"] == 1
    assert not made.rule(edit, write).faults


def test_whole_read_tells_what_is_gone(court: Callable[..., Any]) -> None:
    """A later whole read that lacks a block makes it stale; a read of a range does not."""
    made = court(StaleCode())
    first = made.call("Read", NUMBERED, file_path=PATH)
    made.call("Read", "   1→value_1 = other()\n   2→another line", file_path=PATH, limit=2)
    assert not made.rule(first).faults
    made.call("Read", "   1→value_1 = other()\n   2→another line", file_path=PATH)
    assert made.rule(first).sums["stale"] == 1


@all_cases(
    ("command", "stale"),
    [
        ("git checkout -- .", 0),
        ("git stash list", 1),
        ("cp a values.py", 0),
        ("git status 2>&1", 1),
    ],
)
def test_command_may_bring_it_back(files: Any, command: str, stale: int) -> None:
    """A command that may restore a file leaves nothing surely gone."""
    files.call("Bash", "done", command=command)
    assert files.rule(files.read).sums["stale"] == stale


def test_relative_path_is_the_same_file(court: Callable[..., Any]) -> None:
    """A file read by its whole path and edited by a relative one is one file."""
    made = court(StaleCode())
    read = made.call("read", BODY, path=PATH)
    made.call("edit", "ok", path="app/values.py", oldText=OLD, newText=NEW)
    assert made.rule(read).sums["stale"] == 1


def test_version_control_shows_the_old(files: Any) -> None:
    """The result of `git show` tells by its call that it is old."""
    assert not files.rule(files.call("Bash", BODY, command="git show HEAD:app/values.py")).faults
    assert files.rule(files.call("Bash", BODY, command="cat old.py")).sums["stale"] == 1


def test_moved_code_is_held_elsewhere(files: Any) -> None:
    """Code another file holds now is not stale."""
    files.call("Write", "ok", file_path="/repo/app/copy.py", content=BODY)
    assert not files.rule(files.read).faults


def test_shadow_file() -> None:
    """Every piece of a file changes with an edit; what a part shows again is there again."""
    file = ShadowFile()
    assert file.whole(BODY) == set()
    lost = file.replace(OLD, NEW, False)
    assert {line for triple in lost for line in triple} == set(LINES[1:6])
    assert file.gone == lost
    file.part("\n".join(LINES[1:4]))
    assert set(triples("\n".join(LINES[1:4]))).isdisjoint(file.gone)
    file.unsure()
    assert not file.gone


def test_unnumbered() -> None:
    """Line numbers go, a text without them stays as it is."""
    assert unnumbered(NUMBERED) == BODY
    assert unnumbered(BODY) == BODY


def test_removed() -> None:
    """The names a command removes or moves."""
    assert removed("cd x && git rm -f a/b.py 'c.py'; ls") == {"b.py", "c.py"}
    assert removed("ls b.py") == set()
