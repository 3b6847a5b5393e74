"""Changes that are known to be committed."""

from __future__ import annotations

from loom.compress.digest.groups import GROUPS, Grouped
from loom.compress.digest.lines import lines_of
from loom.compress.digest.state import as_it_is, brought_together
from loom.reduce.commands import parsed
from loom_partitions.message import Fact
from tests.kit.cases import all_cases


def edit(at: int, path: str, refs: str = "", kind: str = "edit") -> Fact:
    """A change of a file."""
    return Fact(kind, path, refs, path, "+1 −1" if kind == "edit" else "9 lines", at=at)


def commit(at: int, line: str, came: str = "ok") -> list[Fact]:
    """A command line that commits."""
    return [Fact("ran", line, "", parsed(line).key, came, at=at), Fact("commit", "git", at=at)]


def told(facts: list[Fact]) -> str:
    """How the changed files are written."""
    shown = as_it_is(brought_together(facts), [])
    group = next(group for group in GROUPS if "edit" in group.kinds)
    return ", ".join(line.text for line in lines_of(group, Grouped(shown).of(group)))


@all_cases(
    ("line", "known"),
    [
        ("git add -A && git commit -m x", True),
        ("git add . && git commit -m x", True),
        ("git commit -am x", True),
        ("git commit -qam x", True),
        ("git commit --all -m x", True),
        ("git add src/a.py && git commit -m x", True),
        ("git add src && git commit -m x", True),
        ("git add /repo/src/a.py && git commit -m x", True),
        ("git commit -m x", False),
        ("git commit --amend --no-edit", False),
        ("git commit -m 'a message'", False),
        ("git add src/b.py && git commit -m x", False),
        ("cd web && git add . && git commit -m x", False),
        ("git add -p src/a.py && git commit -m x", False),
    ],
)
def test_what_a_commit_is_known_to_hold(line: str, known: bool) -> None:
    """A change is told as committed where the command line says that it is in the commit."""
    text = told([edit(1, "src/a.py"), *commit(2, line)])
    assert text == f"a.py edited +1 −1 (step_0001{', committed' if known else ''})"


def test_what_was_added_before() -> None:
    """An add in an earlier step counts, where the file was not changed after it."""
    add = Fact("ran", "git add -A", "", "git add -A", "ok", at=2)
    facts = [edit(1, "a.py"), add, edit(3, "b.py"), *commit(4, "git commit -m x")]
    assert told(facts) == "a.py edited +1 −1 (step_0001, committed), b.py edited +1 −1 (step_0003)"


def test_a_new_file_and_what_is_elsewhere() -> None:
    """`-a` takes no new file, and no commit takes what is not in the project."""
    assert "committed" not in told([edit(1, "a.py", kind="write"), *commit(2, "git commit -am x")])
    facts = [edit(1, "a.py", kind="write"), edit(2, "a.py"), *commit(3, "git commit -am x")]
    assert "committed" not in told(facts)
    assert "committed" not in told([edit(1, "/tmp/a.py"), *commit(2, "git commit -am x")])
