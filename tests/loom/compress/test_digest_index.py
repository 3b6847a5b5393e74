"""The index of a digest: each thing once, with its newest names."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.compress.digest import DigestRoom, digest_of
from loom.compress.digest_facts import INDEX
from loom.compress.digest_index import HEAD, NAMES, PAGES, STEPS, indexed, line_of, root_of
from loom.providers.counts import counter_for
from loom_partitions.message import Digest, Fact
from tests.kit.opened import Open
from tests.kit.step import step

TEXT = "".join(f"line {n} of an ordinary text\n" for n in range(60))


def facts(ctx: loom.Context) -> list[str]:
    """The lines of the index of all that stands."""
    return [
        f"{fact.kind} {line_of(fact)}" for fact in indexed(tuple(ctx.window.history.stream.entries))
    ]


@pytest.mark.parametrize(
    ("tool", "args", "result", "lines"),
    [
        ("Bash", {"command": "make"}, "ok", ["ran make: step_0001"]),
        ("Bash", {"command": "make"}, TEXT * 3, ["ran make: shell_0001"]),
        ("Read", {"path": "src/a.py"}, TEXT * 3, ["file src/a.py: read_0001"]),
        ("Write", {"path": "src/a.py", "content": TEXT}, "ok", ["file src/a.py: step_0001"]),
        ("Grep", {"pattern": "parse", "path": "src"}, "none", ["call parse in src: step_0001"]),
    ],
)
def test_one_entry(opened: Open, tool: str, args: Any, result: str, lines: list[str]) -> None:
    """A file, a command, a question: one line each, with the name of what brings it back."""
    ctx = opened()
    assert facts(ctx) == []
    step(ctx, result, tool=tool, args=json.dumps(args))
    assert facts(ctx) == lines


def test_one_line_for_a_file(opened: Open) -> None:
    """However often a file is read and edited, it has one line, at its newest place."""
    ctx = opened(window=64_000)
    for number in range(6):
        step(ctx, TEXT * (number + 3), tool="Read", args='{"path": "a.py"}')
        edit = {"path": "a.py", "old_string": f"{number}", "new_string": TEXT}
        step(ctx, "ok", tool="Edit", args=json.dumps(edit))
    step(ctx, "ok")
    assert facts(ctx) == [
        "file a.py: read_0003 read_0004 read_0005 step_0010 read_0006 step_0012",
        "ran run 13: step_0013",
    ]


NAMED = st.sampled_from(
    [form.format(n) for n in range(1, 16) for form in ("step_{:04d}", "user_{:04d}", "read_{:04d}")]
)
THINGS = st.lists(
    st.tuples(
        st.sampled_from(["file", "ran", "call"]),
        st.sampled_from(["a.py", "b.py", "make", "grep it"]),
        st.lists(NAMED, min_size=1, max_size=NAMES, unique=True),
    ),
    max_size=30,
)  # fmt: skip


def digests(things: list[tuple[str, str, list[str]]]) -> list[Digest]:
    """A digest for each thing."""
    return [
        Digest(n, n, n, "", 1, "outputs/d.md", steps=1, facts=(Fact(kind, text, " ".join(refs)),))
        for n, (kind, text, refs) in enumerate(things, 1)
    ]


@given(THINGS)
def test_lines_merge(things: list[tuple[str, str, list[str]]]) -> None:
    """Each thing has one line, at the place it came last, with its newest names and no other:
    pages and entries, more of the one where there are few of the other.
    """
    found = indexed(digests(things))
    last = {(kind, text): at for at, (kind, text, _) in enumerate(things)}
    assert [(f.kind, f.text) for f in found] == sorted(last, key=lambda key: last[key])
    for fact in found:
        said = [name for kind, text, refs in things
                if (kind, text) == (fact.kind, fact.text) for name in refs]  # fmt: skip
        newest = list(dict.fromkeys(reversed(said)))
        steps = [name for name in newest if not name.startswith("read")]
        pages = [name for name in newest if name.startswith("read")]
        few = max(STEPS, NAMES - len(pages)), max(PAGES, NAMES - len(steps))
        kept = {*steps[: few[0]], *pages[: few[1]]}
        assert fact.refs.split() == [name for name in reversed(newest) if name in kept]
        assert len(kept) <= NAMES


@given(THINGS, st.integers(0, 30))
def test_two_folds_are_one(things: list[tuple[str, str, list[str]]], at: int) -> None:
    """Indexing an index and what came after is the index of all."""
    made = digests(things)
    early = indexed(made[:at])
    again = Digest(at, 1, at, "", 1, "outputs/d.md", facts=early)
    rest = [d for d in made if d.id > at]
    assert indexed([again, *rest]) == indexed(made)


def test_bounds() -> None:
    """Of very many things a digest keeps the newest, within its room, fold after fold."""
    count = counter_for()
    bounds = DigestRoom(200, 300)
    made = digests([("file", f"src/module_{n}.py", [f"read_{n:04d}"]) for n in range(400)])
    digest = digest_of(made, bounds, count)
    for _ in range(3):
        assert len(digest.facts) <= INDEX[0].most
        assert digest.facts[-1].text == "src/module_399.py"
        assert "module_399.py: read_0399" in digest.text
        assert digest.tokens <= bounds.facts + bounds.index
        more = digests([("file", "src/module_399.py", ["read_0399"])])[0]
        more = Digest(digest.id + 1, digest.id + 1, digest.id + 1, "", 1, "o", facts=more.facts)
        before, digest = digest, digest_of([digest, more], bounds, count)
        assert digest.facts == before.facts


def test_a_long_command_is_cut(opened: Open) -> None:
    """A command is shown on one line, its head alone when it is long."""
    ctx = opened()
    step(ctx, "ok", args=json.dumps({"command": "echo 'a\n  b' && " + "x" * 500}))
    (fact,) = indexed(tuple(ctx.window.history.stream.entries))
    assert "\n" not in fact.text
    assert len(fact.text) <= HEAD


@pytest.mark.parametrize(
    ("paths", "root"),
    [
        ([], ""),
        (["a.py", "src/b.py", "src/c.py", "src/d.py"], ""),
        (["/r/w/src/a.py", "/r/w/src/b.py"], ""),
        (["/r/w/src/a.py", "/r/w/src/b.py", "/r/w/src/c.py"], "/r/w/"),
        (["/r/w/src/a.py", "/r/w/src/b.py", "/r/w/src/c.py", "/etc/one/hosts", "x.py"], "/r/w/"),
        (["/a.py", "/b.py", "/c.py"], ""),
    ],
)
def test_the_folder_of_most_files(paths: list[str], root: str) -> None:
    """The folder above the one that most rooted paths share; none for few or for none."""
    assert root_of(paths) == root


@given(
    st.lists(st.lists(st.sampled_from("ab"), min_size=1, max_size=5).map("/".join), max_size=9),
    st.booleans(),
)
def test_a_root_is_a_folder_of_the_paths(ends: list[str], rooted: bool) -> None:
    """Whatever the paths, a root is the beginning of some of them and ends in a slash."""
    root = root_of(("/r/" if rooted else "") + end for end in ends)
    assert root == "" or root.endswith("/")
    assert root == "" or sum(f"/r/{end}".startswith(root) for end in ends) > 1
