"""The tool `memory`: notes a model keeps, by the calls its provider taught it."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.providers.counts import counter_for
from loom.redact import Redactor
from loom.replay.audit import Audit
from loom_bench.laws.lawful import Lawful
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opening
from tests.kit.step import own

HOSTS = {
    "name": "memory",
    "description": "The host's own.",
    "parameters": {"type": "object", "properties": {"id": {"type": "string"}}},
}


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[Open]:
    """Open a workspace with notes in `tmp_path / "m"`."""
    with opening(tmp_path, window=8_192, capabilities=[loom.Memory(tmp_path / "m")]) as make:
        yield make


def written(folder: Path) -> dict[str, str]:
    """The texts of every file under a folder."""
    return {
        at.relative_to(folder).as_posix(): at.read_text("utf-8")
        for at in sorted(folder.rglob("*"))
        if at.is_file()
    }


def test_a_hosts_memory_is_refused(opened: Open) -> None:
    """While Loom answers it, at opening, later, and at a reopen: BadInput, nothing changed."""
    with pytest.raises(loom.BadInput, match="memory"):
        opened("other", tools=[HOSTS])
    ctx = opened()
    window = ctx.window
    with pytest.raises(loom.BadInput, match="memory"):
        ctx.tools.declare(HOSTS)
    assert ctx.window is window
    ctx.close()
    with pytest.raises(loom.BadInput, match="memory"):
        opened(tools=[HOSTS])
    ctx = opened()
    assert "memory" in ctx.tools.own


# Its commands
def test_every_command_of_the_sdk(opened: Open, tmp_path: Path) -> None:
    """Calls as Anthropic's library types them, in its own reply object, are done at once."""
    anthropic = pytest.importorskip("anthropic")
    beta = anthropic.types.beta

    def asked(kind: str, **given: Any) -> str:
        return said(getattr(beta, f"BetaMemoryTool20250818{kind}Command")(**given).model_dump())

    def said(arguments: dict[str, Any]) -> str:
        entry = ctx.window.history.next_id
        use = {"type": "tool_use", "id": f"t{entry}", "name": "memory", "input": arguments}
        ctx.reply(
            anthropic.types.Message.model_validate(
                {
                    "id": "msg",
                    "type": "message",
                    "role": "assistant",
                    "model": "claude",
                    "content": [{"type": "text", "text": "A note."}, use],
                    "stop_reason": "tool_use",
                    "stop_sequence": None,
                    "usage": {"input_tokens": 5, "output_tokens": 5},
                }
            )
        )
        restored = ctx.history.restore(entry)
        assert restored.errors == () and ctx.calls == ()
        ctx.turn().request("anthropic", model="m")
        return restored.results[f"t{entry}"]

    ctx = opened()
    path, folder = "/memories/plan.md", tmp_path / "m" / "notes"
    asked("View", command="view", path="/memories")
    asked("Create", command="create", path=path, file_text="one\ntwo\n")
    asked("StrReplace", command="str_replace", path=path, old_str="two", new_str="2")
    asked("Insert", command="insert", path=path, insert_line=1, insert_text="and a half\n")
    assert written(folder) == {"plan.md": "one\nand a half\n2\n"}
    assert "2\tand a half" in asked("View", command="view", path=path)
    ranged = asked("View", command="view", path=path, view_range=[2, -1])
    assert "and a half" in ranged and "one" not in ranged
    asked("Rename", command="rename", old_path=path, new_path="/memories/done/plan.md")
    assert "/memories/done/plan.md" in asked("View", command="view", path="/memories")
    asked("Delete", command="delete", path="/memories/done/plan.md")
    assert written(folder) == {}


BAD: list[Any] = [
    "",
    "[]",
    "{}",
    {"command": "view", "path": "gone.md"},
    {"command": "forget", "path": "a.md"},
    {"command": "create", "path": "a.md"},
    {"command": "create", "file_text": "x"},
    {"command": "create", "path": "../a.md", "file_text": "x"},
    {"command": "create", "path": "a.md", "file_text": {"x": 1}},
    {"command": "create", "path": "a.md", "file_text": "x" * 100_001},
    {"command": "create", "path": "x" * 5_000, "file_text": "x"},
    {"command": "view", "path": "kept.md", "view_range": []},
    {"command": "view", "path": "kept.md", "view_range": ["a", "b"]},
    {"command": "view", "path": "kept.md", "view_range": "1-2"},
    {"command": "view", "path": "kept.md", "view_range": [2, 1]},
    {"command": "insert", "path": "kept.md", "insert_line": 1.5, "insert_text": "y"},
    {"command": "insert", "path": "kept.md", "insert_line": True, "insert_text": "y"},
    '{"command": "insert", "path": "kept.md", "insert_line": 1e999, "insert_text": "y"}',
    '{"command": "insert", "path": "kept.md", "insert_line": ' + "9" * 5_000 + "}",
    '{"command": "create", "path": ' + "[" * 5_000 + "]" * 5_000 + "}",
    {"command": "insert", "path": "kept.md", "insert_line": 9, "insert_text": "y"},
    {"command": "str_replace", "path": "kept.md", "old_str": "not there", "new_str": "y"},
    {"command": "delete", "path": "/memories"},
    {"command": "rename", "old_path": "kept.md", "new_path": "kept.md"},
]


@all_cases("arguments", BAD, ids=lambda one: str(one)[:60])
def test_a_bad_call_is_answered(opened: Open, tmp_path: Path, arguments: object) -> None:
    """An error result that says how to call, short; the notes stay as they were."""
    ctx = opened()
    ctx.memory.notes.create("kept.md", "one\ntwo")
    text, error = own(ctx, "memory", arguments)
    assert error and text.startswith("memory: ")
    assert "insert_line" in text and "old_path" in text
    assert len(text) < 2_000
    assert written(tmp_path / "m") == {"notes/kept.md": "one\ntwo"}
    ctx.turn().request("anthropic", model="m")


def test_a_large_note_fits_a_small_window(opened: Open) -> None:
    """Looking at a note larger than the window leaves room; a range brings what was cut."""
    ctx = opened(window=4_000)
    ctx.memory.notes.create("big.md", "\n".join(f"line {n} of it" for n in range(6_000)))
    audit = Audit(counter_for(), Redactor(), sent=Lawful().check)
    for _ in range(4):
        text, error = own(ctx, "memory", {"command": "view", "path": "big.md"})
        assert not error and "line 0 of it" in text
        audit.before(ctx)
        audit.after(ctx, ctx.turn())
    text, _ = own(ctx, "memory", {"command": "view", "path": "big.md", "view_range": [5_990, -1]})
    assert "line 5999 of it" in text
    assert audit.findings.broken == 0, audit.findings.details


def test_reopened_without_a_folder_the_tool_is_answered(opened: Open, tmp_path: Path) -> None:
    """What the model was told of still answers: an error, no crash, and nothing is written."""
    ctx = opened()
    own(ctx, "memory", {"command": "create", "path": "a.md", "file_text": "kept"})
    ctx.turn()
    ctx.close()
    ctx = opened(capabilities=[loom.Memory(None)])
    for command in ({"command": "view", "path": "a.md"}, {"command": "delete", "path": "a.md"}):
        text, error = own(ctx, "memory", command)
        assert error and "memory" in text and "notes" in text
    assert ctx.memory.notes is None
    assert written(tmp_path / "m") == {"notes/a.md": "kept"}
    ctx.turn()
