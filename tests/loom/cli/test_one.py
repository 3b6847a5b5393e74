"""One of a thing is told as one, and what the dashboard names can be read."""

from __future__ import annotations

from pathlib import Path

import loom
from tests.kit.cases import all_cases
from tests.loom.cli.conftest import Run


@all_cases("surface", ["events", "questions", "scratchpad"])
def test_what_the_dashboard_names_can_be_read(run: Run, tmp_path: Path, surface: str) -> None:
    """`loom cat` has what found no room, under the name the dashboard gives: whole or in part."""
    place = tmp_path / surface
    with loom.open(place, window=16_000, durable=False) as ctx:
        for number in range(30):
            ctx.events.signal(f"e{number}", f"thing {number}")
            ctx.working.ask(f"q{number}", f"thing {number}")
        ctx.working.scratch("\n".join(f"thing {number}" for number in range(30)))
    for words in ((), ("--lines", "1-30"), ("--json",)):
        code, out, err = run("cat", place, f"working/{surface}.md", *words)
        assert (code, err) == (0, "") and out.count("thing ") >= 30
    code, _, err = run("cat", place, "working/nothing.md")
    assert code != 0 and "working/nothing.md" in err
