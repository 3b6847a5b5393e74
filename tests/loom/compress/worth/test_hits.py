"""Which lines of files a result shows, and when one of them is there no longer."""

from __future__ import annotations

from typing import Any

import pytest

from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

FOUND = "".join(f"src/a.py:{n}:    rate_{n} = limit * {n}\n" for n in range(1, 21))
BESIDE = FOUND.replace("src/a.py:7:", "src/a.py-7-")
GROUPED = "src/b.py\n3:import limit\n\nsrc/a.py\n" + FOUND.replace("src/a.py:", "")
SAID = "File: src/a.py\n" + FOUND.replace("src/a.py:", "  Line ")
BARE = FOUND.replace("src/a.py:", "")
TEXT = "".join(f"    rate_{n} = limit * {n}\n" for n in range(1, 21))
GREP: Any = ("Grep", {"pattern": "limit", "path": "src"}, FOUND)
SEVEN = "    rate_7 = limit * 7"


def edit(old: str, new: str, path: str = "src/a.py") -> Any:
    """An edit of a file."""
    return "Edit", {"path": path, "old_string": old, "new_string": new}, "ok"


def stale(opened: Open, first: Any, second: Any) -> bool:
    """True when what the first act brought is superseded by the second."""
    ctx = opened()
    one = act(ctx, *first).id
    act(ctx, *second)
    made = catalog(ctx)
    results = [unit for unit in made.of_entry[one] if unit.where == "result"]
    assert results
    return all(unit.key in made.stale for unit in results)


@all_cases(
    "second",
    [
        edit(SEVEN, "    rate_7 = 0", "src/b.py"),
        edit(SEVEN, "    rate_7 = 0", "lib/src2/a.py"),
        edit("    other = 1", "    other = 2"),
        edit(SEVEN, f"    first = 0\n{SEVEN}"),
        edit(f"def f():\n{SEVEN}", f"def g():\n{SEVEN}"),
        edit("  rate_77 = limit", "  rate_78 = limit"),
        ("Bash", {"command": "sed -i s/x/y/ src/b.py"}, "ok"),
        ("Read", {"path": "src/a.py"}, TEXT),
    ],
)
def test_what_still_stands_there_stays(opened: Open, second: Any) -> None:
    """Another file, another line, a line that is kept, and a mere reading change no hit."""
    assert not stale(opened, GREP, second)


@all_cases(
    "first",
    [
        GREP,
        ("search_file_content", {"pattern": "limit"}, SAID),
        ("rg", {"pattern": "limit", "path": "/r"}, FOUND.replace("src/", "/r/src/")),
        ("Grep", {"pattern": "limit", "path": "src"}, BESIDE),
        ("Grep", {"pattern": "limit", "path": "src"}, GROUPED),
        ("Grep", {"pattern": "limit", "path": "src/a.py"}, BARE),
        ("Bash", {"command": "grep -rn limit src"}, FOUND),
        ("Bash", {"command": "cd src && rg -n limit a.py | head -50"}, BARE),
        ("Bash", {"command": "git grep -n limit"}, FOUND),
        ("Bash", {"command": "sed -n 1,20p src/a.py"}, TEXT),
    ],
)
@all_cases(
    "second",
    [
        edit(SEVEN, "    rate_7 = 0"),
        edit("limit * 7", "0"),
        edit(f"def f():\n{SEVEN}\n", "def f():\n    pass\n"),
        ("Write", {"path": "src/a.py", "content": "nothing = 0\n" * 9}, "ok"),
        ("Bash", {"command": "sed -i s/limit/bound/ src/a.py"}, ""),
    ],
)
def test_a_hit_that_is_gone_is_superseded(opened: Open, first: Any, second: Any) -> None:
    """However a tool names the file of a line, and whoever searched."""
    assert stale(opened, first, second)


@pytest.mark.parametrize("command", ["pytest -q", "cat src/b.py", "make"])
def test_what_is_no_search_is_no_hit(opened: Open, command: str) -> None:
    """What a check said of a line was so when it ran."""
    assert not stale(opened, ("Bash", {"command": command}, FOUND), edit("nothing", "else"))
    assert not stale(opened, ("Bash", {"command": "make"}, FOUND), edit(SEVEN, "    rate_7 = 0"))


def test_a_failed_edit_changes_no_hit(opened: Open) -> None:
    """What was not done leaves every line where it was."""
    ctx = opened()
    one = act(ctx, *GREP).id
    act(ctx, *edit(SEVEN, "    rate_7 = 0"), error=True)
    made = catalog(ctx)
    assert not {unit.key for unit in made.of_entry[one]} & made.stale


def test_a_name_at_the_end_of_one_slice_heads_the_next(opened: Open) -> None:
    """Only the slices whose lines are replaced are superseded."""
    ctx = opened()
    text = "src/a.py\n" + "".join(f"{n}:    rate_{n} = limit * {n}\n" for n in range(1, 200))
    one = act(ctx, "Grep", {"pattern": "limit", "path": "src"}, text).id
    act(ctx, *edit("    rate_150 = limit * 150", "    rate_150 = 0"))
    made = catalog(ctx)
    units = made.of_entry[one]
    assert [("rate_150 " in unit.text) for unit in units] == [u.key in made.stale for u in units]
    assert len(units) > 2
