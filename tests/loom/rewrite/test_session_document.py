"""A session as a provider's messages, and the same session made of them again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec import json as jsons

import loom
from loom.providers.formats import FORMATS
from loom.replay.importers import load
from loom.rewrite.archive import import_session
from loom.rewrite.session_document import SHAPES, session_document
from loom.session.archive.restore import Restored, restore_entry
from loom.session.archive.workspace import Workspace
from loom_partitions.records import Brought
from tests.kit.cases import all_cases
from tests.kit.opened import plain
from tests.kit.step import step

WORDS = st.text(st.characters(exclude_categories=("Cs",)), max_size=60)
SAID = WORDS.filter(lambda text: bool(text.strip()))
LONG = st.integers(20, 150).map(lambda n: "".join(f"row {n} {at}\n" for at in range(n)))
ARGUMENTS = st.dictionaries(st.text("abc", min_size=1), WORDS | st.integers(-9, 9), max_size=3)
REPLIES = st.tuples(
    st.lists(SAID, max_size=2),
    st.lists(st.tuples(ARGUMENTS, WORDS | LONG, st.booleans()), max_size=3),
).filter(any)
LIVES = st.lists(SAID | REPLIES, min_size=1, max_size=14)


def exported(folder: Path, format: str, out: Path) -> None:
    """Write the session of a workspace in a provider's shape."""
    document, _ = session_document(Workspace.at_path(folder, write=False), format)
    out.write_bytes(jsons.encode(document))


def lived(folder: Path, events: list[Any], *, parted: bool) -> None:
    """Live events in a small window, with a renewal now and then. `parted`: the user speaks between
    two replies, which a flat list of items could not tell apart."""
    with plain(folder, window=8_192, redact=()) as ctx:
        ctx.system("You are careful.\n\nVery.")
        ctx.user("Begin.")
        calls = 0
        for number, event in enumerate(events):
            if isinstance(event, str):
                ctx.user(event)
                continue
            said, made = event
            if parted and number and not isinstance(events[number - 1], str):
                ctx.user("Go on.")
            ctx.turn()
            ids = [f"call_{calls + at}" for at in range(len(made))]
            calls += len(made)
            wanted = [
                loom.ToolCall(id, "look", json.dumps(arguments, ensure_ascii=False))
                for id, (arguments, _, _) in zip(ids, made, strict=True)
            ]
            ctx.reply(loom.Reply((*map(loom.Speech, said), *wanted)))
            for id, (_, text, failed) in zip(ids, made, strict=True):
                ctx.result(id, text, error=failed)
            if number % 5 == 4:
                ctx.renew()


def texts(folder: Path) -> list[object]:
    """What was said, in order: user turns, replies with their calls, results and which failed.
    What Loom read ahead was said by nobody."""
    workspace = Workspace.at_path(folder, write=False)
    return [
        _told(restore_entry(workspace, entry))
        for entry in sorted(workspace.index.commits)
        if not any(isinstance(record, Brought) for record in workspace.about(entry))
    ]


def _told(made: Restored) -> object:
    if made.reply is None:
        return made.text
    said = [part.text for part in made.reply.parts if isinstance(part, loom.Speech)]
    calls = [(call.id, call.name, json.loads(call.arguments)) for call in made.reply.calls]
    return said, calls, made.results, sorted(made.errors)


@pytest.mark.parametrize("format", SHAPES)
@settings(suppress_health_check=list(HealthCheck), max_examples=15, deadline=None)
@given(events=LIVES)
def test_out_and_in_again(
    tmp_path_factory: pytest.TempPathFactory, format: str, events: list[Any]
) -> None:
    """Every text comes back to the byte, at full detail whatever a renewal folded, in its place;
    arguments are the same values, and a result that failed has failed."""
    folder = tmp_path_factory.mktemp("talk")
    lived(folder / "w", events, parted=format == "responses")
    exported(folder / "w", format, folder / "s.json")
    (session,) = load(folder / "s.json")
    assert not [what for what in session.mended if "no result was recorded" not in what]
    import_session(session, folder / "again", 16_000)
    assert texts(folder / "again") == texts(folder / "w")
    system = Workspace.at_path(folder / "again", write=False).window.system.current
    assert [one.text.body for one in system] == ["You are careful.\n\nVery."]
    exported(folder / "again", format, folder / "t.json")
    assert (folder / "t.json").read_bytes() == (folder / "s.json").read_bytes()


@all_cases("format", SHAPES)
def test_opaque_reasoning_goes_to_its_own(tmp_path: Path, format: str) -> None:
    """A signed block is in its provider's document, verbatim, and in no other."""
    block = {"type": "thinking", "thinking": "Hm.", "signature": "c2lnbmVk"}
    with plain(tmp_path / "w") as ctx:
        ctx.user("Go.")
        ctx.turn()
        ctx.reply({"role": "assistant", "content": [block, {"type": "text", "text": "Done."}]})
    document, _ = session_document(Workspace.at_path(tmp_path / "w", write=False), format)
    assert ("c2lnbmVk" in str(document)) == (format == "anthropic")


@all_cases("format", FORMATS)
def test_a_retired_page_has_a_stand_in(tmp_path: Path, format: str) -> None:
    """A session whose pages were let go is exported: what stands for one says so."""
    with plain(tmp_path / "w", window=8_192) as ctx:
        ctx.user("Go on.")
        for number in range(60):
            ctx.turn()
            step(ctx, 120, tool="WebFetch", args={"url": f"http://here/{number}"})
        ctx.turn()
        step(ctx, "short 2")
        ctx.renew()
        found = ctx.history.gc(loom.Retention(default=0, ttl={"page": 0}, horizon=0), apply=True)
    assert found.gone
    exported(tmp_path / "w", format, tmp_path / "out.json")
    told = (tmp_path / "out.json").read_text("utf-8")
    assert "retired" in told
    assert "short 2" in told
