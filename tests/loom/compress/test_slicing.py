"""An entry with some of its units: exactly those, and where the rest is."""

import json
from collections.abc import Collection, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import loom
from loom.compress.cut_input import CutInput
from loom.compress.slicing import edits_to_show_only
from loom.compress.worth.entry_units import EntryUnit, UnitKey
from loom.compress.worth.residency import shown_units
from loom_partitions.edits import Shortened, apply_edits
from loom_partitions.message import Detail, Step, UserTurn
from tests.kit.opened import plain


def text(word: str, lines: int) -> str:
    """Lines that no other text has."""
    return "".join(f"{word} number {n} of many such lines\n" for n in range(lines))


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Iterator[CutInput]:
    """A session of long texts of every sort: said, arguments, results, an error, a preview."""
    folder: Path = tmp_path_factory.mktemp("slicing")
    with plain(folder / "w", window=60_000) as ctx:
        ctx.user(text("asked", 200))
        args = {"path": "a.py", "old_string": text("old", 30), "new_string": text("new", 120)}
        calls = (
            loom.ToolCall("c1", "Edit", json.dumps(args)),
            loom.ToolCall("c2", "Read", '{"path": "b.py"}'),
            loom.ToolCall("c3", "Bash", '{"command": "make"}'),
            loom.ToolCall("c4", "Grep", '{"pattern": "x"}'),
        )
        ctx.reply(loom.Reply((loom.Speech(text("said", 20)), *calls)))
        ctx.result("c3", text("failed", 150), error=True)
        ctx.result("c1", "ok")
        ctx.result("c2", text("read", 150))
        ctx.result("c4", "short\n" * 12)
        ctx.reply(loom.Reply((loom.ToolCall("c5", "Read", '{"path": "huge.py"}'),)))
        ctx.result("c5", text("huge", 3_000))
        yield ctx._engine.cut_decision.cutter.cut_input(ctx.window, 0, 1)


Cut = tuple[UserTurn | Step, list[Shortened]]


def cut(scene: CutInput, entry: UserTurn | Step, keep: Collection[UnitKey]) -> Cut:
    """The entry sliced to these units, and the edits."""
    may = [unit for unit in scene.catalog.of_entry[entry.id] if unit.key in keep]
    made = edits_to_show_only(scene, entry, may)
    edits = [edit for edit, _ in made if isinstance(edit, Shortened)]
    (after,) = apply_edits([entry], tuple(edits), 0)
    assert entry.tokens - after.tokens == sum(freed for _, freed in made)
    return after, edits


def entries(scene: CutInput) -> list[UserTurn | Step]:
    """The entries of the session."""
    return [entry for entry in scene.entries if isinstance(entry, UserTurn | Step)]


def drawn(data: st.DataObject, units: Collection[EntryUnit]) -> frozenset[UnitKey]:
    """Any of these units."""
    return frozenset(data.draw(st.sets(st.sampled_from(sorted(unit.key for unit in units)))))


@pytest.mark.exact
@given(st.integers(0, 2), st.data())
def test_exactly_what_is_kept(seen: CutInput, at: int, data: st.DataObject) -> None:
    """The units kept are shown and no others; the entry is smaller unless all are kept."""
    entry = entries(seen)[at]
    units = seen.catalog.of_entry[entry.id]
    keep = drawn(data, units)
    after, edits = cut(seen, entry, keep)
    if edits or entry.detail is Detail.SNIPPED:
        assert {unit.key for unit in shown_units(after, units).available} == keep
        assert after.tokens < entry.tokens
    else:
        assert len(keep) == len(units) or at == 2
    body = str(replace(after, facts=()))
    paged = {  # results that stand whole are on their pages
        at for at, one in enumerate(getattr(after, "outcomes", ())) if one.text.body is None
    }
    for unit in units:
        whole = unit.where == "result" and unit.at in paged
        if edits and unit.where != "said" and not whole:
            assert (repr(unit.text.rstrip("\n"))[1:-1] in body.replace("\\\\n", "\\n")) is (
                unit.key in keep
            )


@pytest.mark.exact
@given(st.integers(0, 2), st.data())
def test_again_is_nothing_and_narrower_is_less(
    seen: CutInput, at: int, data: st.DataObject
) -> None:
    """Slicing to the same set again finds nothing; to fewer, it shows exactly those."""
    entry = entries(seen)[at]
    units = seen.catalog.of_entry[entry.id]
    keep = drawn(data, units)
    after, edits = cut(seen, entry, keep)
    assert cut(seen, after, keep) == (after, []) or not edits
    fewer = frozenset(key for key in keep if data.draw(st.booleans()))
    if edits and fewer < keep:
        narrow, _ = cut(seen, after, fewer)
        assert {unit.key for unit in shown_units(narrow, units).available} == fewer
        assert narrow.tokens < after.tokens
        assert narrow == cut(seen, entry, fewer)[0]


@given(st.data())
def test_a_call_stays_whole(seen: CutInput, data: st.DataObject) -> None:
    """Calls stay paired with their results, their arguments valid JSON with every member."""
    step = entries(seen)[1]
    after, _ = cut(seen, step, drawn(data, seen.catalog.of_entry[step.id]))
    assert [o.call_id for o in after.outcomes] == [o.call_id for o in step.outcomes]
    for call, before in zip(after.calls, step.calls, strict=True):
        assert (call.id, call.name) == (before.id, before.name)
        members, known = json.loads(call.arguments), json.loads(before.arguments)
        assert list(members) == list(known)
        assert members.get("path") == known.get("path")


@given(st.integers(0, 2), st.data())
def test_every_edit_names_the_whole(seen: CutInput, at: int, data: st.DataObject) -> None:
    """What a text no longer shows, it says where to find; its size stays the true one."""
    entry = entries(seen)[at]
    _, edits = cut(seen, entry, drawn(data, seen.catalog.of_entry[entry.id]))
    for edit in edits:
        body = edit.text.body or ""
        assert edit.text.page
        assert edit.where == "said" or edit.text.page in body
        assert edit.text.tokens == seen.sizes.count(body) or edit.where == "call"
        if edit.where == "result" and isinstance(entry, Step):
            assert edit.text.size == entry.outcomes[edit.at].text.size
