"""A name with a line's end in it forges no line of a listing, for the model or for the user."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

import loom
from loom.capabilities.skills.catalogue import full_list
from loom.capabilities.toolbox.scripts import Scripts
from loom.cli import main
from loom.session.turn import Turn


def name(what: str) -> str:
    """A name whose second line would be believed to be a line of the listing it stands in."""
    return f"{what}\nFORGED-{what}\x1b[2J\u202e\u2028FORGED"


def forged(text: str) -> list[str]:
    """The lines of a text that only a name can have made."""
    lines = text.replace("\u2028", "\n").split("\n")
    return [line for line in lines if line.lstrip(" >*#-").startswith("FORGED")]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project whose folders, files and skills have such names."""
    place = tmp_path / "p"
    for folder, called in (("good", "good"), (name("folder"), "a"), ("odd", name("skill"))):
        skill = place / ".claude" / "skills" / folder
        (skill / "scripts").mkdir(parents=True)
        head = f"name: {json.dumps(called)}\ndescription: {json.dumps(name('said'))}"
        (skill / "SKILL.md").write_text(f"---\n{head}\n---\nbody\n", "utf-8")
        (skill / name("file")).write_text("r", "utf-8")
    (place / ".git").mkdir()
    (place / "AGENTS.md").write_text("- Be kind.\n", "utf-8")
    below = place / name("below")
    below.mkdir()
    (below / "AGENTS.md").write_text("- Run `make x` before committing.\n", "utf-8")
    (below / "a.py").write_text("x = 1\n", "utf-8")
    return place


def texts(turn: Turn) -> Iterator[str]:
    """What a request says beside the model's own calls."""
    request = turn.request("openai")
    for message in request["messages"]:
        content = message.get("content") or ""
        yield (
            content
            if isinstance(content, str)
            else "\n".join(part.get("text", "") for part in content)
        )
    for tool in request.get("tools", []):
        yield tool["function"]["description"]


def test_no_listing_of_the_model_is_forged(tmp_path: Path, project: Path) -> None:
    """Guides, skills, notes, steps, events and plan, before and after a renewal."""
    with loom.open(tmp_path / "w", goal="g", project=project, window=30_000, durable=False) as ctx:
        ctx.memory.remember(name("key"), "t")
        ctx.user("go")
        ctx.turn()
        asked = (
            ("Read", {"path": str(project / name("below") / "a.py")}),
            ("Read", {"path": name("read")}),
            ("Edit", {"path": name("edit"), "old_string": "a", "new_string": "b"}),
            ("Write", {"path": name("write"), "content": "z" * 2_000}),
            ("Bash", {"command": f"cat {name('cat')}"}),
            ("Grep", {"pattern": name("pattern"), "path": name("grep")}),
            ("WebFetch", {"url": f"https://example.org/{name('url')}"}),
            (name("tool"), {"q": name("query")}),
        )
        made = []
        for number, (tool, given) in enumerate(asked):
            ctx.reply(loom.Reply((loom.ToolCall(f"c{number}", tool, json.dumps(given)),)))
            ctx.result(f"c{number}", "x = 1\n" * 900, error=tool == "Bash")
            made.append(ctx.turn())
        ctx.events.signal("e1", name("event"))
        ctx.working.plan([name("plan")])
        ctx.working.ask("q", name("question"))
        ctx.working.evidence("e", name("evidence"), [name("citation")])
        ctx.working.progress(name("progress"))
        made.append(ctx.turn())
        ctx.renew()
        made.append(ctx.turn())
        ctx.reply(loom.Reply((loom.ToolCall("s1", "use_skill", '{"name": "good"}'),)))
        made.append(ctx.turn())
        ctx.reply(loom.Reply((loom.ToolCall("s2", "use_skill", '{"name": "all"}'),)))
        made.append(ctx.turn())
        assert full_list(ctx.skills.found) and not forged(full_list(ctx.skills.found))
    for turn in made:
        for text in texts(turn):
            assert not forged(text)


def test_a_view_of_the_notes_is_not_forged(tmp_path: Path) -> None:
    """A note and a folder that somebody put there are a line each."""
    memory = tmp_path / "m"
    with loom.open(tmp_path / "w", capabilities=[loom.Memory(memory)], durable=False) as ctx:
        notes = ctx.memory.notes
        notes.create("/memories/a.md", "a")
        (notes.folder / name("note")).write_text("x", "utf-8")
        (notes.folder / name("folder")).mkdir()
        shown = notes.view()
    assert not forged(shown) and shown.count("\n") == 3
    assert r"/memories/note\nFORGED-note\x1b[2J\u202e\u2028FORGED (1 bytes)" in shown


def test_scripts_are_listed_by_a_line_each(tmp_path: Path) -> None:
    """What a script is called and says of itself."""
    (tmp_path / f"{name('script')}.py").write_text(f'"""{name("doc")}"""', "utf-8")
    for tool in Scripts(tmp_path).descriptors():
        assert not forged(tool.name) and not forged(tool.description)


def test_no_listing_of_the_user_is_forged(
    tmp_path: Path, project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """`loom ps`, `pages`, `check`, `memory` and `skills`, over folders and files of such names."""
    place = tmp_path / "w"
    with loom.open(place, goal=name("goal"), durable=False) as ctx:
        ctx.user("go")
        ctx.turn()
    (place / "agents" / name("agent") / "journal").mkdir(parents=True)
    (place / "outputs").mkdir(exist_ok=True)
    (place / "outputs" / name("page")).write_text("x", "utf-8")
    for command in ("ps", "pages", "check", "stat", "log", "context", "memory", "skills"):
        main([command, str(project if command in ("memory", "skills") else place)])
        out, err = capsys.readouterr()
        assert out and not forged(out) and not forged(err)
