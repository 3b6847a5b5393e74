"""From facts in order to what holds now."""

from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loom.compress.digest.check_facts import FAILED_BEFORE, close_failures
from loom.compress.digest.current_facts import FORMER, merge_facts, update_facts
from loom.compress.digest.entry_facts import AT
from loom.reduce.result_facts import TOUCHED
from loom.reduce.shell_commands import parse_command
from loom_partitions.message import Fact


def ran(at: int, line: str, came: str) -> Fact:
    """A command that was run."""
    return Fact("ran", line, f"shell_{at:04d}", parse_command(line).key, came, at=at)


def error(at: int, line: str, text: str) -> Fact:
    """A line of a command's failure."""
    return Fact("error", text, about=parse_command(line).key, at=at)


def edit(at: int, path: str, came: str = "+1 −1", times: int = 1) -> Fact:
    """An edit of a file."""
    return Fact("edit", path, about=path, came=came, times=times, at=at)


def came(facts: list[Fact], later: list[Fact] | None = None) -> dict[str, str]:
    """What came of each command."""
    held = update_facts(merge_facts(facts), later or [])
    return {fact.text: fact.came for fact in held if fact.kind == "ran"}


def errors(facts: list[Fact], later: list[Fact] | None = None) -> list[str]:
    """The errors that are still told."""
    held = update_facts(merge_facts(facts), later or [])
    return [fact.text for fact in held if fact.kind == "error"]


FAIL = [ran(1, "pytest a.py", "fails (exit 1)"), error(1, "pytest a.py", "E: a.py broke")]


@pytest.mark.parametrize(
    ("later", "told", "open_errors"),
    [
        ([], "fails (exit 1)", 1),
        ([ran(2, "pytest -q a.py", "passes")], "passes; failed before", 0),
        ([ran(2, "pytest b.py", "passes")], "fails (exit 1)", 1),
        ([ran(2, "cd web && pytest a.py", "passes")], "fails (exit 1)", 1),
        ([ran(2, "ruff check", "passes")], "fails (exit 1)", 1),
        ([ran(2, "pytest a.py", "ended, its outcome not seen")],
         "fails (exit 1); run again, outcome not seen (step_0002)", 1),
        ([ran(2, "pytest", "passes")], "passes as part of a later command; failed before", 0),
        ([ran(2, "pytest a.py::test_x", "passes")], "fails (exit 1)", 1),
        ([ran(2, "pytest a.py", "passes"), ran(3, "pytest a.py", "fails (exit 1)")],
         "fails (exit 1); passed before", 0),
    ],
)  # fmt: skip
@pytest.mark.parametrize("standing", [False, True])
def test_a_failure_is_closed_by_its_own_success_alone(
    later: list[Fact], told: str, open_errors: int, standing: bool
) -> None:
    """The same command, or its program on everything, closes it: folded with it or behind it."""
    facts, rest = (FAIL, later) if standing else ([*FAIL, *later], [])
    first = next(iter(came(facts, rest).values()))
    assert told in came(facts, rest).values() or first == told
    assert len(errors(facts, rest)) == open_errors


def test_a_task_list_is_told_as_it_is_now() -> None:
    """A list written anew replaces the old one; changes of single items join it."""
    facts = [
        Fact("task", "", about="*", at=1),
        Fact("task", "old", about="1", came="todo", at=1),
        Fact("task", "", about="*", at=2),
        Fact("task", "a", about="1", came="todo", at=2),
        Fact("task", "b", about="2", came="todo", at=2),
        Fact("task", "", about="1", came="done", at=3),
        Fact("task", "", about="2", came="gone", at=4),
    ]
    held = [f for f in merge_facts(facts) if f.about != "*"]
    assert [(f.text, f.came) for f in held] == [("a", "done")]
    standing = [Fact("task", "", about="*", at=5), Fact("task", "c", about="1", at=5)]
    assert update_facts(merge_facts(facts), standing) == []


def test_an_older_change_of_a_task_that_stands_takes_nothing_back() -> None:
    """What left last is the last word, though a step before it still stands in the window."""
    left = [
        Fact("task", "a", about="1", came="todo", at=1),
        Fact("task", "", about="1", came="done", at=3),
    ]
    (held,) = update_facts(merge_facts(left), [Fact("task", "", about="1", came="doing", at=2)])
    assert (held.text, held.came) == ("a", "done")


def test_ids_are_one_fact_the_newest_last() -> None:
    """What several entries gave stands once, each id where it was seen last."""
    facts = [Fact("id", "a1 b2", at=1), Fact("id", "b2 c3", at=2)]
    assert [(fact.kind, fact.text) for fact in merge_facts(facts)] == [("id", "a1 b2 c3")]


THINGS = st.lists(
    st.one_of(
        st.builds(ran, st.just(0), st.sampled_from(["make", "pytest", "pytest a.py"]),
                  st.sampled_from(["passes", "fails", "ok"])),
        st.builds(error, st.just(0), st.sampled_from(["make", "pytest"]),
                  st.sampled_from(["E: one", "E: two"])),
        st.builds(edit, st.just(0), st.sampled_from(["a.py", "b.py"])),
        st.builds(Fact, st.sampled_from(["user", "rule", "decision", "question", "heading"]),
                  st.sampled_from(["use a", "use b instead of a", "c = 1", "c = 2"])),
        st.builds(Fact, st.just("task"), st.sampled_from(["", "x"]),
                  about=st.sampled_from(["*", "1", "2"]),
                  came=st.sampled_from(["todo", "done", "gone"])),
    ),
    max_size=20,
)  # fmt: skip


@given(THINGS, st.integers(0, 20))
def test_two_folds_keep_what_one_keeps(facts: list[Fact], at: int) -> None:
    """What was brought together, and what came after it, is the same as all at once."""
    dated = [
        Fact(f.kind, f.text, f.refs, f.about, f.came, f.times, n) for n, f in enumerate(facts, 1)
    ]
    once = merge_facts(dated)
    early = merge_facts(dated[:at])
    again = merge_facts(sorted((*early, *dated[at:]), key=lambda fact: fact.at))
    assert sorted(map(str, again)) == sorted(map(str, once))
    assert sorted(map(str, merge_facts(once))) == sorted(map(str, once))


DEEDS = ("ran", "error", "edit", "decision")


def names(facts: Iterable[Fact]) -> list[tuple[str, ...]]:
    """What each fact is of, which later ones may be of too."""
    return [(one.kind, one.about, one.text if one.kind != "ran" else "") for one in facts]


@given(THINGS, st.lists(st.booleans(), min_size=20, max_size=20))
def test_what_stands_adds_nothing(facts: list[Fact], stays: list[bool]) -> None:
    """Of what left that is told which all of it, brought together at once, would tell; what no
    entry that stays is about is told as it was."""
    dated = [replace(one, at=at) for at, one in enumerate(facts, 1) if one.kind in DEEDS]
    left = [one for one in dated if not stays[one.at - 1]]
    later = [one for one in dated if stays[one.at - 1]]
    known = merge_facts(left)
    held = update_facts(known, later)
    whole = merge_facts(sorted((*known, *later), key=AT))
    assert names(held) == [
        name for name in names(close_failures(whole, [one for one in whole if one.kind == "ran"]))
        if name in names(known)
    ]  # fmt: skip
    about = names(later)
    same = [one for one in held if names([one])[0] not in about and FAILED_BEFORE not in one.came]
    assert all(one in known for one in same)
    runs = [one for one in known if one.kind == "ran"]
    assert update_facts(known, []) == close_failures(known, runs)


def test_a_command_that_touches_an_edited_file() -> None:
    """Both are told, the command once however often it came."""
    touches = [edit(at, "a.py", TOUCHED, 0) for at in (2, 3)]
    (held,) = merge_facts([edit(1, "a.py"), *touches])
    assert (held.came, held.times) == (f"+1 −1, then {TOUCHED}", 1)


def test_kinds_of_earlier_versions() -> None:
    """What earlier journals said of commands and commits is passed over."""
    former = [Fact(kind, "x", about="*", came="reverted", at=2) for kind in FORMER]
    assert merge_facts([edit(1, "a.py"), *former]) == [edit(1, "a.py")]
