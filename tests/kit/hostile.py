"""Texts and workspaces that try to steer the terminal of whoever looks at them."""

import json
import re
import unicodedata
from pathlib import Path

import loom

# A title, colours, a cleared screen, a device's own string, a link; C1; what turns or hides text;
# line ends that are none to a terminal, and those that are.
SIGNS = (
    "\x1b]0;owned\x07", "\x1b[97;41m", "\x1b[2J", "\x1bP1$r\x1b\\", "\x1b]8;;x:y\x1b\\", "\x9b31m",
    "\x9d0;c1\x9c", "\u202e", "\u2066", "\u2069", "\u200e", "\u061c", "\u200b", "\u2060", "\ufeff",
    "\U000e0041", "\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x08", "\x7f", "\r", "\n",
)  # fmt: skip
EVIL = "x".join(("evil", *SIGNS, "end"))
NAME = EVIL.replace("/", "")  # as a file may be called
# What rich writes itself while it draws: styles, the cursor, lines erased, the other screen.
DRAWN = re.compile(
    r"\x1b\[(?:\d{1,3}(?:;\d{1,3})*)?m|\x1b\[\?(?:25|1049)[lh]|\x1b\[H|\x1b\[\d?[AK]|\r"
)


def unseen(text: str) -> list[str]:
    """The signs of an output that a terminal would act on or could not show, each once, by name."""
    found = {sign for sign in text if not sign.isprintable() and sign not in "\n\t"}
    return sorted(f"U+{ord(sign):04X} {unicodedata.name(sign, '')}" for sign in found)


def hostile_project(folder: Path) -> Path:
    """A project whose folder, files, guides and skills are called and say what they must not."""
    project = folder / f"p{NAME}"
    skill = project / ".claude" / "skills" / f"s{NAME}"
    skill.mkdir(parents=True)
    (project / ".git").mkdir()
    said = json.dumps(EVIL)
    (skill / "SKILL.md").write_text(f"---\nname: {said}\ndescription: {said}\n---\n{EVIL}", "utf-8")
    (skill.parent / f"t{NAME}").mkdir()
    (skill.parent / f"t{NAME}" / "SKILL.md").write_text(f"---\nname: [{EVIL}\n---\n", "utf-8")
    rules = f"- Use `make {EVIL}`.\n- Run `make test{EVIL}` before committing.\n"
    text = f"# {EVIL}\n\n{rules}@{NAME}.md\n"
    (project / "AGENTS.md").write_text(text, "utf-8")
    (project / "CLAUDE.md").write_text(text, "utf-8")
    return project


def hostile_workspace(folder: Path, project: Path) -> Path:
    """A workspace in which all that others may say or name is hostile."""
    place = folder / f"w{NAME}"
    tool = {"name": EVIL, "description": EVIL}
    with loom.open(
        place, goal=EVIL, model=EVIL, window=60_000, project=project, tools=[tool], durable=False
    ) as ctx:
        ctx.system(EVIL)
        ctx.system(EVIL, EVIL)
        ctx.user(EVIL)
        ctx.working.plan([(EVIL, "doing"), (EVIL * 2, "todo")])
        ctx.working.progress(EVIL)
        ctx.working.scratch(EVIL)
        ctx.working.ask("q1", EVIL)
        ctx.working.evidence("e1", EVIL, [EVIL], facts=[EVIL])
        ctx.events.signal("s1", EVIL, urgency="critical")
        ctx.memory.remember(EVIL, EVIL)
        ctx.memory.save(EVIL)
        ctx.turn()
        arguments = json.dumps({"path": f"src/{NAME}", "command": EVIL})
        calls = [loom.ToolCall(f"c{EVIL}", "Bash", arguments), loom.ToolCall("c2", EVIL, arguments)]
        ctx.reply(loom.Reply((loom.Speech(EVIL), *calls)))
        ctx.result(calls[0].id, EVIL * 60)
        ctx.result("c2", EVIL, error=True)
        ctx.turn()
        ctx.pin("step_0002")
        ctx.reply(loom.Reply((loom.ToolCall("c3", "Read", arguments),)))
        ctx.result("c3", f"{EVIL}\n" * 200)
        ctx.renew()
        ctx.turn()
        ctx.reply(loom.Reply((loom.ToolCall(f"open{EVIL}", EVIL, arguments),)))
    (place / "agents" / NAME / "journal").mkdir(parents=True)
    (place / "agents" / NAME / "journal" / "000001.log").write_text(EVIL, "utf-8")
    (place / "agents" / f"empty{NAME}").mkdir()
    (place / "agents" / f"link{NAME}").symlink_to(place)
    (place / "outputs" / NAME).write_text(EVIL, "utf-8")
    return place


def hostile_session(folder: Path) -> Path:
    """A recorded session in a file whose name and lines are hostile."""
    file = folder / f"r{NAME}.jsonl"
    call = {"id": f"c{EVIL}", "name": EVIL, "arguments": {"path": EVIL}}
    rows = [
        {"role": "user", "content": EVIL, "ctx_tokens": 9},
        {"role": "assistant", "content": EVIL, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": f"c{EVIL}", "content": EVIL * 40},
        {"role": "assistant", "content": EVIL},
    ]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return file
