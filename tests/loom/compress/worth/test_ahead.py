"""What comes back: what is in use and missing, the best first, within its room."""

import json

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.compress.worth.ahead import (
    FRAME,
    UnitsToBringBack,
    absent_keys,
    choose_units_to_bring_back,
)
from loom.compress.worth.entry_units import EntryUnit, UnitKey
from loom.compress.worth.fitted import constants_in_force
from loom.compress.worth.working_set import WorkingSet
from loom.compress.worth.worth import Worths, score_units
from loom.providers.counts import counter_for
from loom.providers.render.quotes import read_ahead_block, read_ahead_tokens
from loom_partitions.message import PagedIn
from loom_partitions.surfaces import PlanItem
from loom_partitions.working import Working
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

COUNT = counter_for()
MARK = "k7q3"


def size(paged: PagedIn) -> int:
    """Tokens of what comes back, as it stands beside a result."""
    return read_ahead_tokens(paged, "k7q3", COUNT)


def source(word: str, lines: int) -> str:
    """Lines of code with names of their own."""
    return "".join(f"{word}_{n} = compute({n})\n" for n in range(lines))


def unit(first: int, last: int, text: str, path: str = "") -> EntryUnit:
    """A slice of a page."""
    key = ("outputs/read_0001.txt", "", first)
    return EntryUnit(key, "read", "result", 0, 9, text, path, first=first, last=last)


def numbered(first: int, last: int, text: str, number: int) -> EntryUnit:
    """A slice whose lines are without their numbers."""
    return replace(unit(first, last, text), number=number, numbered=number > 0)


@all_cases(
    ("units", "text"),
    [
        ((unit(1, 2, "a\nb\n"),), "[paged in k7q3: lines 1–2 of outputs/read_0001.txt]\na\nb"),
        ((unit(1, 2, "a\nb\n", "x.py"), unit(3, 3, "c")),
         "[paged in k7q3: lines 1–3 of outputs/read_0001.txt (x.py)]\na\nb\nc"),
        ((unit(1, 2, "a\nb\n", "x.py"), unit(7, 7, "g\n")),
         "[paged in k7q3: lines 1–2, 7 of outputs/read_0001.txt (x.py)]\na\nb\n[…]\ng"),
        ((numbered(1, 2, "a\nb\n", 11), numbered(3, 4, "c\nd\n", 13)),
         "[paged in k7q3: lines 1–4 of outputs/read_0001.txt]\n[line 11 of the file]\na\nb\nc\nd"),
        ((numbered(3, 4, "a\nb\n", 13), numbered(7, 7, "e\n", 17)),
         "[paged in k7q3: lines 3–4, 7 of outputs/read_0001.txt]\n"
         "[line 13 of the file]\na\nb\n[line 17 of the file]\ne"),
        ((EntryUnit(("step_0003", "0.content", 0), "new", "call", 0, 9, "a\nb", field="content"),),
         "[paged in k7q3: content of step_0003]\na\nb"),
    ],
)  # fmt: skip
def test_what_is_shown(units: tuple[EntryUnit, ...], text: str) -> None:
    """Neighbouring slices are one text under a heading that says where it rests; of lines
    without their numbers the first is said."""
    assert read_ahead_block(UnitsToBringBack(units[0].key[0], units).as_paged_in, "k7q3") == text


def test_what_is_superseded_is_not_touched(opened: Open) -> None:
    """Of a file read twice only the second reading counts as used, of an edit only the new text."""
    ctx = opened()
    old, new = source("before", 20), source("after", 20)
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90))
    act(ctx, "Edit", {"path": "a.py", "old_string": old, "new_string": new}, "ok")
    second = act(ctx, "Read", {"path": "a.py"}, source("alpha", 90) + new).id
    last = act(ctx, "Bash", {"command": "wc a.py"}, "90").id
    made = catalog(ctx)
    touched = made.columns.touched_since(last)
    assert {made.units[key].kind for key in touched} == {"read", "new"}
    kept = {unit.key for unit in made.of_entry[second]}
    assert {key for key in touched if made.units[key].kind == "read"} == kept


def test_what_left_and_is_not_superseded_may_come_back(opened: Open) -> None:
    """Of the units that stand nowhere the best per token, as many as fit; none that a later read
    superseded, and none while all stand."""
    ctx = opened()
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90))
    act(ctx, "Read", {"path": "b.py"}, source("beta", 90))
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90))
    made = catalog(ctx)
    worths = Worths(made, Working(), constants_in_force(), 10_000)
    assert absent_keys(made, worths, set(made.units), 10_000) == []
    gone = absent_keys(made, worths, (), 10_000)
    assert set(gone) == set(made.units) - set(made.stale)
    values = [worths.density_of(key) for key in gone]
    assert values == sorted(values, reverse=True)
    room = made.units[gone[0]].tokens + FRAME
    assert absent_keys(made, worths, (), room) == gone[:1]
    assert absent_keys(made, worths, (), room - 1) == []


def test_what_the_user_said_comes_back_by_its_digest_alone(opened: Open) -> None:
    """A message behind a later one would be the last word."""
    ctx = opened()
    ctx.user("Take port 8080 for the proxy in config/proxy.toml, please, as we said before lunch.")
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90))
    ctx.user("This is what it printed:\n" + source("printed", 160))
    last = act(ctx, "Bash", {"command": "cat config/proxy.toml"}, "port = 9090").id
    made = catalog(ctx)
    worths = Worths(made, Working(), constants_in_force(), 10_000)
    back = [made.units[key] for key in absent_keys(made, worths, (), 10_000)]
    assert back and not any(unit.kind == "user" for unit in back)
    assert not any(made.units[key].kind == "user" for key in made.columns.touched_since(last))


def alone(catalog: WorkingSet, key: UnitKey) -> UnitsToBringBack:
    """One unit as it would come back by itself."""
    return UnitsToBringBack(key[0], (catalog.units[key],))


@given(st.integers(0, 2_000), st.data())
@settings(max_examples=25, suppress_health_check=list(HealthCheck))
def test_within_the_room(opened: Open, room: int, data: st.DataObject) -> None:
    """What comes back was touched and missing, each unit once, and fits as it will stand."""
    ctx = opened(window=64_000)
    for number in range(4):
        act(ctx, "Read", {"path": f"f{number}.py"}, source(f"word{number}", 120))
    made = catalog(ctx)
    keys = sorted(made.units)
    touched = data.draw(st.lists(st.sampled_from(keys), unique=True))
    standing = data.draw(st.sets(st.sampled_from(keys)))
    found = choose_units_to_bring_back(
        made,
        Worths(made, Working(), constants_in_force(), 10_000),
        touched,
        standing,
        room,
        size,
        MARK,
    )
    back = [unit.key for ahead in found for unit in ahead.units]
    assert set(back) <= set(touched) - standing
    assert len(back) == len(set(back))
    assert [ahead.tokens for ahead in found] == [size(ahead.as_paged_in) for ahead in found]
    assert sum(ahead.tokens for ahead in found) <= room
    assert [ahead.ref for ahead in found] == list(dict.fromkeys(ahead.ref for ahead in found))
    for ahead in found:
        assert [unit.first for unit in ahead.units] == sorted(unit.first for unit in ahead.units)
    if not standing and room >= sum(size(alone(made, key).as_paged_in) for key in touched):
        assert set(back) == set(touched)


def test_two_results_of_one_step(opened: Open) -> None:
    """Short results of two files read at once come back each under its own file's name."""
    ctx = opened()
    calls = [loom.ToolCall(p, "Read", json.dumps({"path": f"src/{p}.py"})) for p in ("a", "b")]
    ctx.reply(loom.Reply(tuple(calls)))
    for call in calls:
        ctx.result(call, source(f"of_{call.id}", 12))
    made = catalog(ctx)
    found = choose_units_to_bring_back(
        made,
        Worths(made, Working(), constants_in_force(), 10_000),
        list(made.units),
        (),
        10_000,
        size,
        MARK,
    )
    for ahead in found:
        assert ("of_b_0" in str(ahead.as_paged_in)) is ("src/b.py" in str(ahead.as_paged_in))
        assert ("of_a_0" in str(ahead.as_paged_in)) is ("src/a.py" in str(ahead.as_paged_in))


def test_what_is_not_good_enough_costs_no_look(opened: Open) -> None:
    """The lines that stand are looked through only once a unit is worth as much as they are."""
    ctx, looked = opened(), list[int]()
    act(ctx, "Read", {"path": "old.py"}, source("old", 90))
    for number in range(6):
        act(ctx, "Read", {"path": f"f{number}.py"}, source(f"word{number}", 90))
    made = catalog(ctx)
    worths = score_units(made, Working(), constants_in_force(), 10_000, "log")
    best, *_, least = sorted(made.units, key=worths.density_of, reverse=True)

    def lines() -> set[int]:
        looked.append(1)
        return set()

    for missing, times in ((least, 0), (best, 1)):
        standing = set(made.units) - {missing}
        choose_units_to_bring_back(made, worths, [missing], standing, 10_000, size, MARK, lines)
        assert len(looked) == times


def test_all_units_are_scored_once_while_nothing_is_new(opened: Open) -> None:
    """The same scores until an entry comes in, or the plan is another; each as made anew."""
    ctx, of = opened(), (constants_in_force(), 10_000, "log")
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90))
    made = catalog(ctx)
    first = score_units(made, Working(), *of)
    assert score_units(made, Working(), *of) is first
    assert score_units(made, Working(plan=(PlanItem("alpha_3", "doing"),)), *of) is not first
    made.note(act(ctx, "Read", {"path": "b.py"}, source("beta", 90)), str)
    again, anew = score_units(made, Working(), *of), Worths(made, Working(), *of)
    assert all(again.of(key) == anew.of(key) for key in made.units)


def test_what_neither_stands_nor_may_come_back_is_not_scored(opened: Open) -> None:
    """A superseded unit has a worth while its entry is in the window, and none once it left."""
    ctx, of = opened(), (constants_in_force(), 10_000, "log")
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90))
    act(ctx, "Read", {"path": "a.py"}, source("alpha", 90) + source("more", 20))
    made = catalog(ctx)
    assert made.stale
    rows: list[int] = score_units(made, Working(), *of).rows.tolist()
    assert {*made.units} - {*map(made.columns.key, rows)} == {*made.stale}
    made.window, made.scored = ctx.window.history.stream, None
    assert len(score_units(made, Working(), *of).rows) == len(made.units)
