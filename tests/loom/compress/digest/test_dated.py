"""Checks as of their last run."""

from __future__ import annotations

from loom.compress.digest.dated import dated, parted
from loom.compress.digest.digest import DigestRoom, digest_of
from loom.compress.digest.fitting import body
from loom.compress.digest.groups import CORE, GROUPS, Grouped
from loom.compress.digest.lines import lines_of
from loom.compress.digest.state import as_it_is, brought_together
from loom.providers.counts import counter_for
from loom.reduce.commands import parsed
from loom.reduce.deeds import LOST
from loom_partitions.message import Fact
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.step import step


def ran(at: int, line: str, came: str = "passes") -> Fact:
    """A command that was run."""
    return Fact("ran", line, f"shell_{at:04d}", parsed(line).key, came, at=at)


def edit(at: int, path: str, came: str = "+1 −1", kind: str = "edit") -> Fact:
    """A change of a file."""
    return Fact(kind, path, about=path, came=came, at=at)


def told(facts: list[Fact], later: list[Fact] | None = None) -> list[str]:
    """What came of the commands, as it is shown."""
    held = as_it_is(brought_together(facts), later or [])
    return [fact.came for fact in held if fact.kind == "ran"]


def test_nothing_changed_nothing_said() -> None:
    """Without a later change a check is told as it ended."""
    assert dated([], []) == []
    assert told([edit(1, "a.py"), ran(2, "pytest")]) == ["passes"]
    assert told([ran(2, "pytest"), edit(2, "a.py")]) == ["passes"]


@all_cases(
    ("facts", "came"),
    [
        ([ran(1, "pytest"), edit(2, "a.py")], "passed then; 1 file changed since"),
        (
            [ran(1, "pytest"), edit(2, "a.py"), edit(3, "a.py"), edit(4, "b.py", kind="write")],
            "passed then; 2 files changed since",
        ),
        (
            [ran(1, "pytest"), edit(2, "a.py", kind="write"), edit(3, "a.py")],
            "passed then; 1 file changed since",
        ),
        (
            [ran(1, "pytest", "fails (exit 1)"), edit(2, "a.py")],
            "fails (exit 1); 1 file changed since",
        ),
        (
            [ran(1, "pytest", "fails"), ran(2, "pytest"), edit(3, "a.py")],
            "passed then; failed before; 1 file changed since",
        ),
        ([edit(1, "b.py"), ran(2, "pytest"), edit(3, "a.py"), ran(4, "pytest")], "passes"),
        ([ran(1, "git push", "ok"), edit(2, "a.py")], "ok"),
        ([ran(1, "pytest"), edit(2, "a.py", LOST)], "passes"),
        ([ran(1, "pytest", "ended, its outcome not seen"), edit(2, "a.py")],
         "ended, its outcome not seen"),
    ],
)  # fmt: skip
def test_a_change_after_the_last_run(facts: list[Fact], came: str) -> None:
    """A check older than a change says of how many files; a new run clears the note."""
    assert told(facts) == [came]


def test_what_stands_in_the_window_counts() -> None:
    """Edits and runs that stay in the window are known to the digest above them."""
    before = [ran(1, "pytest")]
    assert told(before, [edit(2, "a.py")]) == ["passed then; 1 file changed since"]
    assert told(before, [edit(2, "a.py"), ran(3, "pytest")]) == ["passes"]
    assert told(before, [ran(2, "pytest"), edit(3, "a.py")]) == [
        "passed then; 1 file changed since"
    ]


def test_a_part_that_passed_in_the_whole() -> None:
    """What a wider run closed is dated by that run."""
    facts = [ran(1, "pytest a.py", "fails"), ran(2, "pytest"), edit(3, "a.py")]
    assert told(facts)[0] == "passed then in `pytest`; failed before; 1 file changed since"


def test_the_note_is_said_once() -> None:
    """A check that has its note gets it anew, and no second one."""
    facts = [ran(1, "pytest"), edit(2, "a.py")]
    once = as_it_is(brought_together(facts), [])
    assert as_it_is(brought_together(once), []) == once
    assert parted("fails; 2 files changed since") == ("fails", "; 2 files changed since")
    assert parted("passes; failed before") == ("passes; failed before", "")


def test_the_step_of_the_last_run_stands_beside_the_page() -> None:
    """A check names its step and its page, then the note; errors stand before the note."""
    facts = [
        ran(1, "pytest", "fails"), Fact("error", "E: a.py broke", about="pytest", at=1),
        ran(2, "ruff check"), ran(3, "./deploy", "ok"), edit(4, "a.py"),
    ]  # fmt: skip
    shown = as_it_is(brought_together(facts), [])
    text = [line.text for group in GROUPS for line in lines_of(group, Grouped(shown).of(group))]
    assert "`pytest` → fails (step_0001; shell_0001): E: a.py broke; 1 file changed since" in text
    assert "`ruff check` → passed then (step_0002; shell_0002); 1 file changed since" in text
    assert "`./deploy` → ok (shell_0003)" in text


def test_a_digest_of_a_digest_says_the_same(opened: Open) -> None:
    """Digests that are folded again tell of a check what they told of it before."""
    ctx = opened(window=200_000)
    step(ctx, "2 passed", tool="Bash", args='{"command": "pytest -q"}')
    step(ctx, "ok", tool="Edit", args='{"path": "a.py", "old_string": "a", "new_string": "b"}')
    room, count = DigestRoom(1_500, 1_000), counter_for()
    first = digest_of(tuple(ctx.window.history.stream.entries), room, count)
    assert "passed then (step_0001); 1 file changed since" in first.text
    assert digest_of((first,), room, count).text == first.text
    step(ctx, "2 passed", tool="Bash", args='{"command": "pytest -q"}')
    later = tuple(ctx.window.history.stream.entries)[-1:]
    assert "`pytest -q` ×2 → passes (step_" in digest_of((first, *later), room, count).text


UNSEEN = "ended, its outcome not seen"


def test_a_failure_that_ran_again_unseen_is_not_the_last_word() -> None:
    """The later run is named, once however often digests are folded; a seen one takes its place."""
    failing = [ran(1, "pytest | tail", "fails"), edit(2, "a.py")]
    again = [ran(3, "pytest | head", UNSEEN), ran(4, "pytest | tail", UNSEEN)]
    once = brought_together([*failing, *again])
    assert brought_together(once) == once
    note = "; 1 file changed since; ran since, outcome not seen (step_0004)"
    assert told([*failing, *again]) == told(failing, again) == [f"fails{note}"]
    text = body(Grouped(as_it_is(once, [])), CORE, 400, counter_for())
    assert "\n checks that failed, none seen to pass since:\n  `pytest | tail` ×3 → failed " in text
    assert f"shell_0001){note}\n" in text
    assert told([*once, ran(5, "pytest", "fails (exit 1)")]) == ["fails (exit 1)"]
    assert told([*once, ran(5, "pytest")]) == ["passes; failed before"]


def test_a_heading_stands_over_a_line() -> None:
    """Where none of a group's lines has room, their number stands in its line."""
    facts = [ran(1, "pytest " + "tests/some_test.py " * 8, "fails (exit 1)")]
    text = body(Grouped(as_it_is(facts, [])), CORE, 60, counter_for())
    assert text == "\n checks that failed, none seen to pass since: 1 on its page"


def test_a_failed_call_is_named_once() -> None:
    """The line of a call may begin with its tool's name, which is not said before it again."""
    failed = Fact("error", "no tool 'Raed'", about="Raed Raed(a)", at=2)
    (group,) = [one for one in GROUPS if one.kinds == ("error",)]
    assert [line.text for line in lines_of(group, [failed])] == [
        "Raed(a) failed: no tool 'Raed' (step_0002)"
    ]
