"""The page `docs/names.md`: each of the documents' names, with a line that runs."""

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.capabilities.toolbox import builtin
from tests.documents.test_reduction import HITS, QUERY
from tests.kit.opened import Open
from tests.kit.standins import TooLong
from tests.kit.step import act, step

PAGE = Path(__file__).resolve().parents[2] / "docs" / "names.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split(" | ")]
    for line in PAGE.read_text("utf-8").splitlines()
    if line.startswith("| ") and not line.startswith("| Name ")
]
MODULES = (
    *("loom.reduce.rules", "loom.reduce.rule", "loom.reduce.aliases"),
    *("loom.compress.entry_line", "loom.compress.ladder"),
)


@pytest.fixture
def known(opened: Open, tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What the lines stand on."""
    (tmp_path / "scripts").mkdir()
    (tmp_path / "scripts/hello.py").write_text('"""Say hello."""\nprint("hello")\n')
    box = builtin(tmp_path, approve=lambda tool, arguments: True)
    ctx = opened(
        "here", goal="Report on prices.", capabilities=[box, loom.Memory(tmp_path / "memory")]
    )
    for number in range(8):
        step(ctx, 20, args={"command": f"run {number}"})
        ctx.turn()
    made = act(ctx, "web:search", {"query": QUERY}, {"results": HITS})
    for name in MODULES:
        import_module(name)
    with ctx.agents.spawn("Research Bitcoin.", name="researcher-1", durable=False) as child:
        yield {
            "loom": loom, "ctx": ctx, "step": made, "child": child, "box": box,
            "error": TooLong("Request Entity Too Large"), "folder": tmp_path / "here",
        }  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_the_line_runs(known: dict[str, Any], row: list[str]) -> None:
    """Each name is said once, and its line runs on names that are there."""
    name, line = row
    assert [other[0] for other in ROWS].count(name) == 1
    eval(line.strip("`"), known)


def test_working_as_printed(known: dict[str, Any]) -> None:
    """`ctx.working.as_dict()` has the documented members in the documented order, with the values
    that stand in the window."""
    ctx = known["ctx"]
    ctx.working.plan([("look", "doing")])
    ctx.working.scratch("long " * 900)
    ctx.working.ask("q1", "which encoding?")
    ctx.working.evidence("v1", "it is little endian")
    ctx.events.signal("ci-1", "the build broke", urgency="high")
    ctx.events.signal("disk", "full")
    ctx.events.acknowledge("disk", "defer")
    made = ctx.working.as_dict()
    assert list(made) == ["dashboard", "plan", "event_surface", "knowledge_surface", "scratchpad"]
    assert list(made["dashboard"]) == [
        "rho", "token_budget", "goal_progress", "error_count", "depth", "last_hb_ts",
        "interrupt_requested",
    ]  # fmt: skip
    assert made["dashboard"]["interrupt_requested"] is True
    assert made["plan"] == [{"text": "look", "state": "doing"}]
    events, knowledge = made["event_surface"], made["knowledge_surface"]
    assert [one["id"] for one in events["pending_events"]] == ["ci-1"]
    assert [one["id"] for one in events["active_risks"]] == ["disk"]
    assert [one["id"] for one in knowledge["active_questions"]] == ["q1"]
    assert [one["id"] for one in knowledge["evidence_packs"]] == ["v1"]
    assert made["scratchpad"].startswith("long long") and len(made["scratchpad"]) > 4_000
