"""Carryover: what counts as an item, where it stands, and what a renewed window is asked."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.carryover import carryover
from loom.bench.carried.boundaries import AHEAD, compacted, tail
from loom.bench.carried.items import IDENTIFIERS_MOST, CarriedItem, ShownTexts, last_parts, used
from loom.bench.carried.measured import PLACES, Carried, figures
from loom.bench.carried.named import names
from loom.bench.carried.windows import past
from loom.inputs import Result, ToolCall, User
from loom.providers.counts import counter_for
from tests.kit.cases import all_cases

Rows = list[dict[str, Any]]
USED = "value_3_7"  # in calls before the compaction and after it
OLD = "    total = compute_total(rows, with_tax=True)"
LATER = "python src/part0.py src/part99.py --never_seen value_0_1"


def call(number: int, name: str, **arguments: object) -> dict[str, Any]:
    """A reply with one call, as a recorder writes it."""
    called = {"id": f"c{number}", "name": name, "arguments": arguments}
    return {"role": "assistant", "content": "", "tool_calls": [called]}


def answer(number: int, text: str) -> dict[str, Any]:
    """The result of a call."""
    return {"role": "tool", "tool_call_id": f"c{number}", "content": text}


def session(steps: int = 30) -> Rows:
    """Reads, then a compaction with its summary, then calls that need what was read."""
    rows: Rows = [{"role": "user", "content": "mend the parser of the report"}]
    for number in range(steps):
        lines = "\n".join(f"{at:6}\tvalue_{number}_{at} = {at}" for at in range(40))
        if number == 3:
            lines += f"\n    41\t{OLD}"
        rows.append(call(number, "Read", file_path=f"/repo/src/part{number}.py", symbol=USED))
        rows.append(answer(number, lines))
    rows.append({"role": "system", "content": "", "compact_boundary": {"trigger": "auto"}})
    said = "So far: src/part3.py computes with value_3_7, src/part0.py was read."
    rows.append({"role": "user", "content": said, "compact_summary": True})
    edit = {"file_path": "/repo/src/part3.py", "old_string": OLD, "new_string": "value_3_7"}
    rows += [call(steps, "Edit", **edit), answer(steps, "done")]
    rows += [call(steps + 1, "Bash", command=LATER), answer(31, "ok")]
    return rows


def written(folder: Path, rows: Rows) -> Path:
    """The rows as a session file."""
    path = folder / "one.jsonl"
    path.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    return path


@all_cases(
    ("arguments", "items"),
    [
        ({}, []),
        ({"query": "plain words only"}, []),
        ({"file_path": "/a/b/c.py"}, [CarriedItem("path", "c.py")]),
        ({"path": "src/folder"}, []),
        ({"command": "cat ./x/y.go | head"}, [CarriedItem("path", "y.go")]),
        ({"command": "curl https://example.com/a/b.json"}, []),
        ({"command": "git log --author=ann.lee@localhost"}, []),
        ({"command": "git log --author=ann@example.com"}, []),
        ({"command": "grep fmt.Printf src"}, []),
        ({"path": "src/V1.2"}, []),
        ({"pattern": "fooBarBaz|plainword"}, [CarriedItem("identifier", "fooBarBaz")]),
        ({"command": "SHOUTED run_all2"}, [CarriedItem("identifier", "run_all2")]),
        ({"old_string": "too short"}, []),
        ({"oldText": OLD}, [CarriedItem("edit", OLD),
            CarriedItem("identifier", "compute_total"), CarriedItem("identifier", "with_tax")]),
        ({"todos": [{"content": "see step_one"}]}, [CarriedItem("identifier", "step_one")]),
    ],
)  # fmt: skip
def test_calls_use_items(arguments: dict[str, Any], items: list[CarriedItem]) -> None:
    """Paths of path keys and commands, identifiers of mixed form, old texts long enough."""
    assert used([ToolCall("1", "tool", json.dumps(arguments))]) == items


def test_an_item_used_twice_is_one() -> None:
    """Each item comes once, at its first use; arguments that are no JSON are read as text."""
    calls = [ToolCall("1", "a", "grep fooBar1"), ToolCall("2", "b", '{"q": "fooBar1 x_y_zz"}')]
    assert [item.text for item in used(calls)] == ["fooBar1", "x_y_zz"]


@all_cases(
    ("item", "text", "held"),
    [
        (CarriedItem("path", "c.py"), "", False),
        (CarriedItem("path", "c.py"), "see /a/b/c.py:12", True),
        (CarriedItem("path", "c.py"), "see lib/c.py", True),
        (CarriedItem("path", "c.py"), "see b-c.py, b.c.py and c.pyi", False),
        (CarriedItem("identifier", "fooBar"), "call fooBar()", True),
        (CarriedItem("identifier", "fooBar"), "call fooBarBaz()", False),
        (CarriedItem("edit", "one\n  two"), "     7→one\n     8→  two", True),
        (CarriedItem("edit", "one\n  two"), "one\n two", False),
    ],
)
def test_a_text_holds_an_item(item: CarriedItem, text: str, held: bool) -> None:
    """Words and paths have to stand whole; edits exactly, but for a file tool's line numbers."""
    assert ShownTexts([text]).holds(item) is held


def test_nothing_is_found_across_two_texts() -> None:
    """Texts stay apart."""
    assert not ShownTexts(["one\n", "  two"]).holds(CarriedItem("edit", "one\n  two"))


@given(st.lists(st.sampled_from(["a", "b.py", ".", "..", ""])))
def test_a_path_is_compared_by_the_name_of_its_file(parts: list[str]) -> None:
    """What is compared of a path is its last part that names something, whatever stands before."""
    kept = last_parts("/".join(parts)).split("/")
    real = [part for part in parts if part not in ("", ".", "..")]
    assert [part for part in kept if part] == real[-1:]


def test_a_boundary_needs_what_was_in_use_before_it(tmp_path: Path) -> None:
    """Files and identifiers that calls before it used, and edits whose text stood anywhere there.

    The summary is no source, and what only results showed was not in use.
    """
    (one,) = compacted([written(tmp_path, session())])
    (boundary,) = one.boundaries
    texts = {(item.kind, item.text) for item in boundary.needed}
    assert texts == {
        ("path", "part0.py"),
        ("path", "part3.py"),
        ("edit", OLD),
        ("identifier", USED),
    }
    assert boundary.summary.startswith("So far")
    assert not any(getattr(event, "text", "").startswith("So far") for event in one.events)


def test_needs_end_after_so_many_messages(tmp_path: Path) -> None:
    """A call behind the next AHEAD messages says nothing, and identifiers are bounded."""
    many = " ".join(f"value_1_{at}" for at in range(40)) + " ".join(
        f" value_2_{at}" for at in range(40)
    )
    rows = session()[:-4]
    rows[-2:-2] = [call(89, "Bash", command=many), answer(89, "")]
    rows += [call(90, "Bash", command=many), answer(90, "")]
    rows += [{"role": "user", "content": "go on"}] * AHEAD
    rows += [call(91, "Read", file_path="src/part5.py"), answer(91, "")]
    (one,) = compacted([written(tmp_path, rows)])
    kinds = [item.kind for item in one.boundaries[0].needed]
    assert kinds == ["identifier"] * IDENTIFIERS_MOST


def test_sessions_without_a_compaction_are_passed_over(tmp_path: Path) -> None:
    """There is nothing to measure in them."""
    rows = [row for row in session() if not ({"compact_boundary", "compact_summary"} & {*row})]
    assert list(compacted([written(tmp_path, rows)])) == []


@given(st.integers(0, 60))
def test_a_tail_takes_no_more_tokens_than_asked(tokens: int) -> None:
    """The newest texts, the oldest of them cut at its front; nothing of what came later."""
    events = (User("first words of it", 0), Result("a", "many more words " * 5, index=1))
    count = counter_for()
    kept = tail((*events, User("later", 2)), 2, tokens, count)
    assert sum(map(count, kept)) <= tokens
    assert all(any(event.text.endswith(text) for event in events) for text in kept)


def test_names_of_pages_and_entries_are_found() -> None:
    """As lines of a window show them, and nothing else."""
    text = "step_0012 Read a.py → outputs/read_0007.json; see user_0003 and working/plan.md, x_1."
    expected = {"step_0012", "outputs/read_0007.json", "user_0003", "working/plan.md"}
    assert names([text]) == expected


def test_a_renewed_window_is_small_and_names_what_left(tmp_path: Path) -> None:
    """History stays within the bound, more of it holds no less, and every item can be restored."""
    (one,) = compacted([written(tmp_path, session(45))])
    (boundary,) = one.boundaries
    with past(one.events) as replay:
        replay.until(boundary.at)
        small, large = replay.renewed(700, look=True), replay.renewed(8_000)
    assert 0 < small.tokens <= 700 < large.tokens <= 8_000
    assert all(large.holds(item) for item in boundary.needed if small.holds(item))
    assert not all(small.holds(item) for item in boundary.needed)
    assert all(small.lists(item) for item in boundary.needed)
    assert not small.lists(CarriedItem("identifier", "never_seen"))


def test_figures_are_shares_by_kind() -> None:
    """How many items of a kind there were, and the share that stands in each place."""
    held = {place: [("path", place == "summary"), ("path", True)] for place in PLACES}
    report = figures([Carried("one", 1, held, {})])
    assert report["path"] == {"n": 2, **dict.fromkeys(PLACES, 0.5), "summary": 1.0}
    assert report["edit"] == {"n": 0, **dict.fromkeys(PLACES, 0.0)}


def test_the_last_line_is_the_json_object(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every kind with its count and places; the table before it, progress on stderr."""
    path = written(tmp_path, session())
    assert carryover(sessions=[path], workers=1) == 0
    shown = capsys.readouterr()
    report = json.loads(shown.out.splitlines()[-1])
    assert set(report) == {"path", "identifier", "edit"}
    assert report["path"]["n"] == 2
    assert report["path"]["summary"] == 1.0
    assert report["edit"]["summary"] == 0.0
    assert report["edit"]["loom_page_in_twice"] == 1.0
    assert "Carryover at 1 compactions" in shown.out
    assert "one at 61: of" in shown.err


@pytest.mark.parametrize("name", ["gone", "."])
def test_nothing_to_measure_is_refused(
    tmp_path: Path, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder that is not there, or holds no compaction: exit code 2, nothing on stdout."""
    assert carryover(sessions=[tmp_path / name], workers=1) == 2
    shown = capsys.readouterr()
    assert (shown.out, "--sessions" in shown.err) == ("", True)
