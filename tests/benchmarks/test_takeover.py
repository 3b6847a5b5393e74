"""Takeover: a text is asked for labelled items, and each way of keeping a window is."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from benchmarks.takeover import WAYS, takeover
from loom_bench.recorded.takeovers import TakeoverItem, plain

SUMMARY = "So far: src/part0.py was read."
ITEM = TakeoverItem("a-1", "why", "?", (("not the Lock", "no lock"), ("a race",)), ("the lock",))


@pytest.mark.parametrize(
    ("text", "answered", "misled"),
    [
        ("", False, False),
        ("It was a race,\n> not the\n>   lock.", True, False),
        ("no lock", False, False),
        ("It was the lock.", False, True),
        ("It was the lock. No: a race, no lock.", True, False),
    ],
)
def test_an_item_is_answered_by_one_alternative_of_each_group(
    text: str, answered: bool, misled: bool
) -> None:
    """Case, blanks and the marks of quotes do not count; what is wrong misleads alone."""
    assert ITEM.answered(plain(text)) == answered
    assert ITEM.misled(plain(text)) == misled


def session(steps: int = 30) -> Iterator[dict[str, Any]]:
    """Reads, then a compaction with its summary, as a recorder writes them."""
    yield {"role": "user", "content": "mend the parser of the report"}
    for number in range(steps):
        path = {"file_path": f"/repo/src/part{number}.py"}
        call = {"id": f"c{number}", "name": "Read", "arguments": path}
        yield {"role": "assistant", "content": "", "tool_calls": [call]}
        lines = "\n".join(f"{at:6}\tvalue_{number}_{at} = {at}" for at in range(40))
        yield {"role": "tool", "tool_call_id": f"c{number}", "content": lines}
    yield {"role": "system", "content": "", "compact_boundary": {"trigger": "auto"}}
    yield {"role": "user", "content": SUMMARY, "compact_summary": True}


def test_each_way_is_asked_for_the_items(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """What was read long ago is one call away in Loom, and gone where only the newest stays."""
    (tmp_path / "s").mkdir()
    written = "\n".join(json.dumps(row) for row in session())
    (tmp_path / "s" / "abcdefgh-1.jsonl").write_text(written)
    asked = {"id": "1", "kind": "exact", "question": "What did value_2_9 in part2.py say?"}
    newest = {"id": "2", "kind": "state", "question": "What was read last, part29.py?"}
    items = [
        {**asked, "evidence": [["value_2_9 = 9"]], "age": 54},
        {**newest, "evidence": [["value_29_9 = 9"]], "age": 0},
    ]
    (tmp_path / "labels").mkdir()
    labelled = "\n".join(json.dumps(item) for item in items)
    (tmp_path / "labels" / "abcdefgh.jsonl").write_text(labelled)
    told = tmp_path / "details.jsonl"
    assert not takeover(
        data=tmp_path / "labels",
        sessions=[tmp_path / "s"],
        capacity="4096",
        workers=1,
        details=told,
    )
    *lines, line = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80  # columns of a pipe
    report = json.loads(line)["4096"]
    assert set(report) == set(WAYS)
    assert report["loom"]["near"] == 2 > report["loom"]["old"] + report["loom"]["new"] == 1
    assert report["newest"]["near"] == report["newest"]["new"] == 1
    assert report["summary"]["resident"] == 0 < report["summary"]["characters"]
    assert len(told.read_text().splitlines()) == 2 * len(WAYS)
