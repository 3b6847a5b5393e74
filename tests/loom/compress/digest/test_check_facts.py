"""Checks: what came of them, and which failures are over."""

from msgspec.structs import replace

from loom.compress.digest.current_facts import merge_facts, update_facts
from loom.compress.digest.digest_body import digest_body
from loom.compress.digest.fact_groups import CORE, GROUPS, GroupedFacts
from loom.compress.digest.fact_lines import fact_lines
from loom.providers.counts import counter_for
from loom.reduce.result_facts import TOUCHED
from loom.reduce.shell_commands import parse_command
from loom_partitions.message import Fact


def ran(at: int, line: str, came: str = "passes") -> Fact:
    """A command that was run."""
    return Fact("ran", line, f"shell_{at:04d}", parse_command(line).key, came, at=at)


def edit(at: int, path: str, came: str = "+1 −1", kind: str = "edit") -> Fact:
    """A change of a file."""
    return Fact(kind, path, about=path, came=came, at=at)


def told(facts: list[Fact], later: list[Fact] | None = None) -> list[str]:
    """What came of the commands, as it is shown."""
    held = update_facts(merge_facts(facts), later or [])
    return [fact.came for fact in held if fact.kind == "ran"]


def test_a_part_that_failed_is_over_when_the_whole_passed() -> None:
    """A run of everything closes the failure of a part of it, one of another part does not."""
    assert told([ran(1, "pytest a.py", "fails"), ran(2, "pytest")])[0] == (
        "passes as part of a later command; failed before"
    )
    for other in ("pytest b.py", "pytest -k b"):
        assert told([ran(1, "pytest a.py", "fails"), ran(2, other)])[0] == "fails"


def test_a_check_that_passed_in_another_line_is_over() -> None:
    """The program and all it works on is the check, not the line it stands in."""
    failing = ran(1, "cat > a.py <<E\nx\nE\npytest a.py lib", "fails")
    over = "passes as part of a later command; failed before"
    assert told([failing, ran(2, "python -m pytest -q a.py lib/")])[0] == over
    for other in ("pytest a.py", "pytest -k x a.py lib", "cd web && pytest a.py lib"):
        assert told([failing, ran(2, other)])[0] == "fails"
    assert told([ran(1, "pytest a.py && mypy a.py", "fails"), ran(2, "pytest a.py")])[0] == "fails"


def test_what_a_command_may_have_changed_is_not_told_as_changed() -> None:
    """Whether `sed -i` found what it was to replace nobody saw: an edit alone is sure."""
    facts = [
        edit(1, "a.py"),
        *(replace(edit(2, path, TOUCHED), times=0) for path in ("a.py", "b.py")),
    ]
    text = digest_body(GroupedFacts(merge_facts(facts)), CORE, 400, counter_for())
    assert text == (
        "\n changed by you in steps no longer shown:"
        f"\n  a.py edited +1 −1, then {TOUCHED} (step_0002)"
        "\n may have been changed by your commands:\n  b.py (step_0002)"
    )


def test_the_step_of_the_last_run_stands_beside_the_page() -> None:
    """A check names its step and its page; its errors stand behind them."""
    facts = [
        ran(1, "pytest", "fails"), Fact("error", "E: a.py broke", about="pytest", at=1),
        ran(2, "ruff check"), ran(3, "./deploy", "ok"),
    ]  # fmt: skip
    shown = update_facts(merge_facts(facts), [])
    text = [
        line.text for group in GROUPS for line in fact_lines(group, GroupedFacts(shown).of(group))
    ]
    assert "`pytest` → fails (step_0001; output shell_0001): E: a.py broke" in text
    assert "`ruff check` → passes (step_0002; output shell_0002)" in text
    assert "`./deploy` → ok (shell_0003)" in text


UNSEEN = "ended, its outcome not seen"


def test_a_failure_that_ran_again_unseen_is_not_the_last_word() -> None:
    """The later run is named, once however often digests are folded; a seen one takes its place."""
    failing = [ran(1, "pytest | tail", "fails"), edit(2, "a.py")]
    again = [ran(3, "pytest | head", UNSEEN), ran(4, "pytest | tail", UNSEEN)]
    once = merge_facts([*failing, *again])
    assert merge_facts(once) == once
    note = "; run again, outcome not seen (step_0004)"
    assert told([*failing, *again]) == told(failing, again) == [f"fails{note}"]
    text = digest_body(GroupedFacts(update_facts(once, [])), CORE, 400, counter_for())
    assert "\n checks whose last seen run failed:\n  `pytest | tail` ×3 → failed " in text
    assert f"shell_0001){note}\n" in text
    assert told([*once, ran(5, "pytest", "fails (exit 1)")]) == ["fails (exit 1)"]
    assert told([*once, ran(5, "pytest")]) == ["passes; failed before"]


def test_a_heading_stands_over_a_line() -> None:
    """Where none of a group's lines has room, their number stands in its line."""
    facts = [ran(1, "pytest " + "tests/some_test.py " * 8, "fails (exit 1)")]
    text = digest_body(GroupedFacts(update_facts(facts, [])), CORE, 60, counter_for())
    assert text == "\n checks whose last seen run failed: 1 part left out here"


def test_a_failed_call_is_named_once() -> None:
    """The line of a call may begin with its tool's name, which is not said before it again."""
    failed = Fact("error", "no tool 'Raed'", about="Raed Raed(a)", at=2)
    (group,) = [one for one in GROUPS if one.kinds == ("error",)]
    assert [line.text for line in fact_lines(group, [failed])] == [
        "Raed(a) failed: no tool 'Raed' (step_0002)"
    ]


def test_what_was_changed_is_named_by_the_step_of_what_left() -> None:
    """A later edit that stands in the window is not counted, and so its step is not named."""
    facts, later = [edit(1, "a.py")], [edit(9, "a.py")]
    assert [(one.came, one.at) for one in update_facts(facts, later)] == [("+1 −1", 1)]


def test_the_run_that_passed_is_the_one_named() -> None:
    """Its output is what there is to look at, not that of the run that failed."""
    (part, _) = update_facts([ran(1, "pytest a.py", "fails"), ran(2, "pytest")], [])
    assert (part.at, part.refs) == (2, "shell_0002")
