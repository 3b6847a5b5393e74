"""The ways by which a host, a model, a tool or another agent brings a text into a context."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from struct import pack
from typing import Any
from urllib.parse import quote
from zlib import crc32

from msgspec import json

from loom.inputs import Reply, Speech
from tests.kit.secrets.dressings import DRESSINGS, FILLER, FILLERS, Dressing
from tests.kit.secrets.fixture import Door, SecretFixture
from tests.kit.secrets.planted import Planted

CHUNK = 7  # letters of a piece of a stream
NAME_CHARS = 200
PNG = b"\x89PNG\r\n\x1a\n"
PIXEL = b"x\x9cc`\x00\x00\x00\x02\x00\x01H\xaf\xa4q"  # one grey pixel, deflated
SKILL = "---\nname: {name}\ndescription: How to deploy part {number}.\n---\n\n# Deploy\n\n{text}\n"


def dressed(dressing: Dressing) -> Door:
    """A result of a tool that shows the text in some way."""
    return Door(lambda fixture, number, one: fixture.called("Bash", {"n": number}, dressing(one)))


def png(text: str) -> bytes:
    """A picture of one pixel whose comment is the text."""
    comment = b"Comment\x00" + text.encode("latin-1", "replace")
    head = pack(">IIBBBBB", 1, 1, 8, 0, 0, 0, 0)
    parts = ((b"IHDR", head), (b"tEXt", comment), (b"IDAT", PIXEL), (b"IEND", b""))
    return PNG + b"".join(
        pack(">I", len(data)) + name + data + pack(">I", crc32(name + data)) for name, data in parts
    )


def streamed(fixture: SecretFixture, number: int, one: Planted) -> None:
    """The model says it in a stream of short pieces."""

    def chunks() -> Iterator[dict[str, Any]]:
        for at in range(0, len(one.text), CHUNK):
            yield _chunk({"content": one.text[at : at + CHUNK]})
        yield _chunk({}, "stop")

    for _ in fixture.ctx.collect(chunks()):
        pass


def _chunk(delta: dict[str, Any], ended: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", **delta}, "finish_reason": ended}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "model": "gpt-5",
        "choices": [choice],
    }


def thought(fixture: SecretFixture, number: int, one: Planted) -> None:
    """The model thinks it, in a block that is signed."""
    fixture.ctx.reply(
        {
            "id": f"msg_{number}",
            "type": "message",
            "role": "assistant",
            "model": "claude-sonnet-4-5",
            "content": [
                {
                    "type": "thinking",
                    "thinking": f"I can use this: {one.text}",
                    "signature": "c2ln",
                },
                {"type": "text", "text": "Done."},
            ],
            "stop_reason": "end_turn",
            "usage": {"input_tokens": 10, "output_tokens": 5},
        }
    )


def noted(fixture: SecretFixture, number: int, one: Planted) -> None:
    """A line on the scratchpad, which is then cleared."""
    fixture.ctx.working.note(one.text)
    fixture.ctx.working.scratch("")


def signalled(fixture: SecretFixture, number: int, one: Planted) -> None:
    """Another process leaves a message in the inbox."""
    inbox = fixture.workspace / "inbox"
    inbox.mkdir(exist_ok=True)
    partial = inbox / ".partial"
    partial.write_bytes(json.encode({"text": one.text.replace("\n", " "), "id": f"m{number}"}))
    partial.rename(inbox / f"{number:06d}.json")
    fixture.ctx.look()


def guided(fixture: SecretFixture, number: int, one: Planted) -> None:
    """The project's guide says it."""
    (fixture.project / "AGENTS.md").write_text(f"# Guide {number}\n\nDeploy with:\n\n{one.text}\n")
    fixture.ctx.turn()


def skilled(given: Path, number: int, one: Planted) -> None:
    """A skill and a file of it say it."""
    folder = given / "skills" / f"part-{number}"
    folder.mkdir(parents=True)
    text = SKILL.format(name=f"part-{number}", number=number, text=one.text)
    (folder / "SKILL.md").write_text(text)
    (folder / "more.md").write_text(f"{FILLER * FILLERS}{one.text}\n")


def used(fixture: SecretFixture, number: int, one: Planted) -> None:
    """The model uses the skill, and reads its file."""
    fixture.called("use_skill", {"name": f"part-{number}"})
    fixture.called("use_skill", {"name": f"part-{number}", "file": "more.md"})


def spawned(fixture: SecretFixture, number: int, one: Planted) -> None:
    """An agent is told it as its goal, and given up."""
    name = f"part-{number}"
    fixture.ctx.agents.spawn(f"Deploy with:\n{one.text}", name=name, durable=False).close()
    fixture.ctx.agents.give_up(name, "no longer needed")
    fixture.ctx.agents.join(name)


def delivered(fixture: SecretFixture, number: int, one: Planted) -> None:
    """An agent says it in its result."""
    name = f"part-{number}"
    with fixture.ctx.agents.spawn(f"Look at part {number}.", name=name, durable=False) as child:
        child.agents.deliver(f"Found:\n{one.text}")
    fixture.ctx.agents.join(name)


def listed(fixture: SecretFixture, number: int, one: Planted) -> None:
    """A file is named so: a listing shows it, and a call reads it."""
    name = f"backup/{one.text}.bak"
    fixture.called("list_dir", {"path": "backup"}, f"{name}\nbackup/{number}.sql\n")
    fixture.called("read_file", {"path": name}, FILLER * FILLERS)


def searched(fixture: SecretFixture, number: int, one: Planted) -> None:
    """What stands in a result is looked for."""
    fixture.called("Bash", {"n": number}, f"deployment of part{number}\n{one.text}\n{FILLER * 30}")
    fixture.ctx.recall(f"deployment part{number}")


def renewed(fixture: SecretFixture, number: int, one: Planted) -> None:
    """The goal, the plan and the scratchpad say it when the window is renewed."""
    working = fixture.ctx.working
    working.set_goal(f"Deploy with {one.text}")
    working.plan([one.text])
    working.scratch(one.text)
    fixture.ctx.renew()


def ran(fixture: SecretFixture, number: int, one: Planted) -> None:
    """A script prints it, and what it printed is kept."""
    asked = {"path": "scripts/say.py", "args": {"say": one.text}}
    fixture.called("call_tool", {"name": "python:run_script", "arguments": asked})


def _url(one: Planted) -> str:
    return f"https://api.acme.dev/v1/run?access_token={quote(one.secret, safe='')}&page=2"


DOORS: dict[str, Door] = {
    **{name: dressed(dressing) for name, dressing in DRESSINGS.items()},
    "error result": Door(
        lambda f, n, one: f.called("Bash", {"n": n}, f"fatal: {one.text}\nexit 1", error=True)
    ),
    "call's arguments": Door(
        lambda f, n, one: f.called("Bash", {"command": one.text, "n": n}, "done")
    ),
    "user's text": Door(lambda f, n, one: f.ctx.user(f"Here you are:\n{one.text}\nGo on.")),
    "model's text": Door(lambda f, n, one: f.ctx.reply(Reply((_said(one),)))),
    "stream": Door(streamed),
    "note": Door(noted),
    "plan": Door(lambda f, n, one: f.ctx.working.plan([f"Deploy with {one.text}", "Look."])),
    "signal": Door(signalled),
    "evidence": Door(lambda f, n, one: f.ctx.working.evidence(f"e{n}", one.text, [one.text])),
    "system": Door(lambda f, n, one: f.ctx.system(f"Rule {n}: use {one.text}")),
    "URL argument": Door(lambda f, n, one: f.called("browser:navigate", {"url": _url(one)}, "ok")),
    "signed thinking": Door(thought),
    "long-term memory": Door(lambda f, n, one: f.ctx.memory.save(one.text, key=f"k{n}")),
    "memory tool": Door(
        lambda f, n, one: f.called(
            "memory", {"command": "create", "path": f"/memories/{n}.md", "file_text": one.text}
        )
    ),
    "spawn goal": Door(spawned),
    "agent result": Door(delivered),
    "bus event": Door(lambda f, n, one: f.ctx.agents.emit("agent.event", {"note": one.text})),
    "AGENTS.md": Door(guided),
    "skill file": Door(used, skilled),
    "binary": Door(
        lambda f, n, one: f.called(
            "Read", {"n": n}, b"\x7fELF\x02\x01\x00\xff" + one.text.encode() + b"\x00\xff\xfe"
        )
    ),
    "UTF-16": Door(
        lambda f, n, one: f.called("Read", {"n": n}, b"\xff\xfe" + one.text.encode("utf-16-le"))
    ),
    "PNG text": Door(lambda f, n, one: f.ctx.user([png(one.text)])),
    "script cache": Door(ran),
    "file names": Door(
        listed, fits=lambda one: "\n" not in one.text and len(one.text) <= NAME_CHARS
    ),
    "search index": Door(searched),
    "snapshots": Door(renewed),
}


def _said(one: Planted) -> Speech:
    return Speech(f"I use this from now on:\n{one.text}\nand go on.")
