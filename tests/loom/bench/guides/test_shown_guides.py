"""The guides in a request are read off its messages, and what is told about them."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

import loom
from loom.bench.guides.shown_guides import ShownGuides, shown_by_loom
from loom.bench.guides.telling import announced, conflicts_told
from tests.loom.bench.guides.conftest import Project


@pytest.fixture
def ctx(project: Project) -> Iterator[loom.Context]:
    """A context on a project with a guide in its root and one in `sub`."""
    root = project({"AGENTS.md": "- The root rule.\n", "sub/AGENTS.md": "- The sub rule.\n"})
    with loom.open(root.parent / "w", project=root, window=16_000, durable=False) as made:
        made.user("go on")
        yield made


def shown(ctx: loom.Context) -> ShownGuides:
    """The guides of the next request."""
    return shown_by_loom(ctx.turn().request("openai")["messages"], ctx.window.config.mark)


def read(ctx: loom.Context, path: str) -> None:
    """A step that reads a file."""
    id = f"c{ctx.window.history.next_id}"
    ctx.reply(loom.Reply((loom.ToolCall(id, "Read", json.dumps({"path": path})),)))
    ctx.result(id, "- The result's rule.\n")


def test_a_request_without_guides_shows_none(tmp_path) -> None:
    """What the user and the system say is no guide."""
    with loom.open(tmp_path / "w", window=16_000, durable=False) as ctx:
        ctx.system("- Be careful with it.")
        ctx.user("- Do this thing now.")
        assert shown(ctx).texts == {}


def test_the_last_word_of_a_path_counts(ctx: loom.Context, project: Project) -> None:
    """A guide of the head, one that joined, one that changed, one that went."""
    assert shown(ctx).texts == {"AGENTS.md": "- The root rule."}
    read(ctx, "sub/x.py")
    assert shown(ctx).texts["sub/AGENTS.md"] == "- The sub rule."
    root = project({"AGENTS.md": "- The new rule.\n"})
    read(ctx, "x.py")
    assert shown(ctx).texts["AGENTS.md"] == "- The new rule."
    assert shown(ctx).every == ["- The root rule.", "- The sub rule.", "- The new rule."]
    (root / "sub" / "AGENTS.md").unlink()
    read(ctx, "x.py")
    assert shown(ctx).texts == {"AGENTS.md": "- The new rule."}


def test_pages_are_those_named_with_the_path() -> None:
    """A page of another guide is no way back to this one."""
    found = ShownGuides()
    found.add("a/AGENTS.md", "# A\n[a/AGENTS.md, in part; whole in outputs/memory_0001.md]")
    found.add("AGENTS.md", "# Top")
    assert found.pages("a/AGENTS.md")[0] == "outputs/memory_0001.md"
    assert found.pages("b/AGENTS.md") == []


def test_a_reason_behind_a_path_and_a_note_are_told_from_guides() -> None:
    """Why a guide is there is no part of its path; what stands under no file's name is a note."""
    said = [
        "[memory m1 new: a/AGENTS.md, found because of a/x.py]\n- The rule of a.",
        "[memory m1 new: docs/b.md (imported by AGENTS.md)]\n- The rule of b.",
        "[memory m1 new: conflicting rules]\na/AGENTS.md:1 overrides AGENTS.md:1",
    ]
    gone = "[memory m1 gone: {}, no conflict is left]"
    messages = [{"role": "user", "content": text} for text in said]
    found = shown_by_loom(messages, "m1")
    assert found.texts == {"a/AGENTS.md": "- The rule of a.", "docs/b.md": "- The rule of b."}
    assert announced(found.told, "a/AGENTS.md")
    assert conflicts_told(found.told) == {frozenset(("a/AGENTS.md", "AGENTS.md"))}
    names = ("a/AGENTS.md", "docs/b.md (imported by AGENTS.md)", "conflicting rules")
    messages += [{"role": "user", "content": gone.format(name)} for name in names]
    found = shown_by_loom(messages, "m1")
    assert found.texts == {} and conflicts_told(found.told) == set()


def test_new_guides_and_conflicts_are_told_by_path() -> None:
    """A line has to name the guide and say so; two guides named without a word for it are none."""
    line = "[new guide: sub/AGENTS.md]"
    assert announced([line], "sub/AGENTS.md")
    assert not announced([line], "AGENTS.md")
    assert not announced(["[memory m1 changed: sub/AGENTS.md]"], "sub/AGENTS.md")
    pair = frozenset(("AGENTS.md", "sub/AGENTS.md"))
    assert conflicts_told(["sub/AGENTS.md overrides AGENTS.md: indent"]) == {pair}
    assert conflicts_told(["read AGENTS.md and sub/AGENTS.md", "AGENTS.md overrides it"]) == set()
