"""Units that show a file as it is no longer."""

from typing import Any

import pytest

from loom.compress.worth.working_set import WorkingSet
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

LINES = [f"    value_{n} = compute({n}, of_the_file)\n" for n in range(1, 31)]
NEW = "".join(LINES[4:9])
EDIT = ("Edit", {"path": "/r/src/a.py", "old_string": "x = 1", "new_string": NEW}, "ok")
MANY = (
    "MultiEdit",
    {"path": "/r/./src/a.py", "edits": [{"old_string": "x", "new_string": NEW}]},
    "ok",
)


def numbered(lines: list[str], first: int = 1) -> str:
    """Lines of a file as a tool numbers them."""
    return "".join(f"{n:5d}→{line}" for n, line in enumerate(lines, first))


def edit(old: str, new: str, path: str = "src/a.py") -> tuple[str, dict[str, Any], str]:
    """An edit of a file."""
    return ("Edit", {"path": path, "old_string": old, "new_string": new}, "ok")


def run(command: str) -> tuple[str, dict[str, Any], str]:
    """A command."""
    return ("Bash", {"command": command}, "done")


def put(made: WorkingSet, entry: int) -> list[bool]:
    """For each new text of an entry's calls, true when it is superseded."""
    return [u.key in made.stale for u in made.of_entry[entry] if u.kind == "new"]


CHANGED = [*LINES[:5], "    other()\n", *LINES[6:]]
AFTER: list[Any] = [
    pytest.param(edit("compute(6, ", "other("), True, id="edit within"),
    pytest.param(edit(f"before\n{LINES[4]}", "before\n"), True, id="edit over its start"),
    pytest.param(edit(f"{LINES[8]}after\n", "after\n"), True, id="edit over its end"),
    pytest.param(edit(f"before\n{NEW}after\n", "gone\n"), True, id="edit around"),
    pytest.param(edit(f"before\n{NEW}", f"{NEW}"), False, id="edit beside"),
    pytest.param(edit("compute(6, ", "other(", "/r/lib/src/a.py"), False, id="other file"),
    pytest.param(edit("compute(99, ", "other("), False, id="edit elsewhere"),
    pytest.param(("Write", {"path": "src/a.py", "content": "x"}, "ok"), True, id="write"),
    pytest.param(("Read", {"path": "src/a.py"}, numbered(CHANGED)), True, id="read without it"),
    pytest.param(("Read", {"path": "src/a.py"}, numbered(LINES)), False, id="read with it"),
    pytest.param(
        ("Read", {"path": "src/a.py", "offset": 20, "limit": 5}, numbered(LINES[19:24], 20)),
        False,
        id="part read elsewhere",
    ),
    pytest.param(
        ("Read", {"path": "src/a.py"}, "File unchanged since the last time it was read in full.\n"),
        False,
        id="unchanged",
    ),
    pytest.param(run("sed -i 's/a/b/' src/a.py"), True, id="sed"),
    pytest.param(run("git checkout -- src/a.py"), True, id="checkout"),
    pytest.param(run("git checkout src/a.py"), True, id="checkout of a file"),
    pytest.param(run("git checkout ."), True, id="checkout of all"),
    pytest.param(run("cd /other && git stash"), False, id="stash elsewhere"),
    pytest.param(run("git restore src"), True, id="restored folder"),
    pytest.param((*edit("compute(6, ", "other(")[:2], "Error: not found"), False, id="failed edit"),
    pytest.param(edit("compute(6, ", "other(", "lib/src/a.py"), False, id="other relative name"),
    pytest.param(run("echo x > src/a.py"), True, id="redirection"),
    pytest.param(run("cd src && mv a.py b.py"), True, id="moved in its folder"),
    pytest.param(run("cp src/a.py b.py"), False, id="copied"),
    pytest.param(run("git commit -m 'rm src/a.py'"), False, id="said in a message"),
    pytest.param(run("grep value src/a.py > out.txt"), False, id="only read"),
    pytest.param(run("cat > b.md <<EOF\nrm src/a.py\nEOF"), False, id="said in a document"),
]


@all_cases("first", [EDIT, MANY], ids=["edit", "many edits"])
@all_cases(("second", "superseded"), AFTER)
def test_what_a_call_put_in_is_superseded(
    opened: Open, first: Any, second: Any, superseded: bool
) -> None:
    """By what changes it, or shows the file without it, however the path is spelt."""
    ctx = opened(window=64_000)
    one = act(ctx, *first).id
    act(ctx, *second)
    assert put(catalog(ctx), one) == [superseded]


@pytest.mark.parametrize(("later", "gone"), [(CHANGED, True), (LINES, False)])
def test_a_reading_of_a_part_tells_of_the_whole(opened: Open, later: list[str], gone: bool) -> None:
    """Lines that were read stand no longer beside a later reading of some of them that differs:
    a command nobody saw had changed the file."""
    ctx = opened(window=60_000)
    act(ctx, "Read", {"path": "src/a.py"}, numbered(LINES))
    act(ctx, "Read", {"path": "src/a.py", "offset": 3, "limit": 20}, numbered(later[2:22], 3))
    made = catalog(ctx)
    first = [unit.key for unit in made.of_entry[1] if unit.kind == "read"]
    assert first and all((key in made.stale) is gone for key in first)
