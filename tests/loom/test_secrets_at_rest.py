"""Wherever a host, a model or a tool says a secret, no byte that Loom writes holds it.

One context with everything it can have: a project, memory, skills, a toolbox with a cache, an agent
below it. What lies in `given` is the host's own and stays; what lies in `kept` is Loom's.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from msgspec import json

import loom
from loom.capabilities.agents.bus import EventBus
from loom.capabilities.events.inbox import put_message
from loom.capabilities.toolbox import builtin
from loom.capabilities.toolbox.scripts import Scripts
from loom.errors import BadInput
from loom.redact import SECRETS
from loom_paging import FileStore, MemoryStore
from tests.kit.cases import all_cases

BODY = "a1b2c3d4" * 4
PLAIN = f"sk-ant-{BODY}"  # an agent, a topic and a tool may have such a name
COLOURED = f"sk-ant-\x1b[31m{BODY}\x1b[0m"
NEEDLE = BODY[:12].encode()  # a part of one is as bad
PRINTS = "import json, sys\nprint(json.load(sys.stdin)['say'])\n"
SKILL = "---\nname: deploy\ndescription: How to deploy.\n---\nUse {secret} to deploy.\n"
LONG = "\n" + "and so on, line by line\n" * 300


@contextmanager
def opened(folder: Path, secret: str, **more: Any) -> Iterator[loom.Context]:
    """A context that has everything; the texts of the host hold the secret."""
    project, skills = folder / "given" / "project", folder / "given" / "skills" / "deploy"
    (project / "scripts").mkdir(parents=True, exist_ok=True)
    (project / "scripts" / "say.py").write_text(PRINTS)
    (project / "AGENTS.md").write_text(f"# Guide\n\nUse {secret} here.\n")
    skills.mkdir(parents=True, exist_ok=True)
    (skills / "SKILL.md").write_text(SKILL.format(secret=secret))
    (skills / "more.md").write_text(f"More of {secret}.{LONG}")
    kept = folder / "kept"
    with loom.open(
        kept / "work",
        window=16_000,
        durable=False,
        project=project,
        capabilities=[
            loom.Memory(kept / "memory"),
            loom.Skills(folder / "given" / "skills"),
            builtin(project, cache=kept / "cache", approve=lambda tool, given: True),
        ],
        **more,
    ) as ctx:
        yield ctx


def holding(folder: Path) -> list[str]:
    """The files Loom wrote that hold the secret, in their bytes or their names, in any case."""
    paths = sorted((folder / "kept").rglob("*"))
    return [
        str(path.relative_to(folder / "kept"))
        for path in paths
        if NEEDLE in os.fsencode(path).lower()
        or (path.is_file() and NEEDLE in path.read_bytes().lower())
    ]


def called(ctx: loom.Context, tool: str, /, **arguments: object) -> None:
    """The model calls a tool; one that is not Loom's own is run by the toolbox."""
    ctx.reply(loom.Reply((loom.ToolCall("c", tool, json.encode(arguments).decode()),)))
    for call in ctx.calls:
        ctx.run(call)


def noted(ctx: loom.Context, secret: str) -> None:
    """A host writes a note, half of the secret at a time."""
    notes = ctx.memory.notes
    notes.create("/memories/a.md", f"use {secret}")
    notes.create("/memories/b.md", f"use {secret[:12]}")
    notes.str_replace("/memories/b.md", secret[:12], secret)
    notes.insert("/memories/b.md", 0, secret)


def worked(ctx: loom.Context, secret: str) -> None:
    """An agent below says it in every place it has, and is joined."""
    tool = {"name": "look", "description": f"Look with {secret}."}
    with ctx.agents.spawn(f"Use {secret}.", name="one", tools=[tool]) as child:
        child.user(f"use {secret}")
        child.agents.emit("agent.event", {"key": secret}, to="main")
        child.agents.interrupt(why=f"use {secret}")
        child.agents.deliver(f"used {secret}", error=f"not {secret}", status="failed")
    ctx.turn()
    ctx.agents.join("one")


def failed(ctx: loom.Context, secret: str) -> None:
    """A tool raises with it, in more characters than are told."""

    def run(given: object) -> object:
        raise ValueError(f"{'x ' * 980}{secret} and more")

    ctx.tools.toolbox.add(loom.ToolDescriptor("fails", "Fails.", {}), run)
    called(ctx, "fails")


def signalled(ctx: loom.Context, secret: str) -> None:
    """Another process leaves a message, by the command and by hand."""
    folder = ctx._engine.workspace.store.root
    put_message(folder, f"use {secret}", id=f"a-{PLAIN}")
    ctx.look()
    (folder / "inbox" / "1.json").write_bytes(json.encode({"text": f"use {secret}", "id": PLAIN}))
    ctx.look()


def forked(ctx: loom.Context, secret: str) -> None:
    """A copy of an agent goes on."""
    with ctx.agents.fork("copy", durable=False) as copy:
        copy.user(f"use {secret}")


Door = Callable[[loom.Context, str], object]
DOORS: dict[str, Door] = {
    "guide and skill list": lambda c, s: c.turn(),
    "emit": lambda c, s: c.agents.emit("agent.event", {"key": [s, {s: 1}]}),
    "emit text": lambda c, s: c.agents.emit("agent.event", s),
    "emit long": lambda c, s: c.agents.emit("agent.event", {"key": s + LONG}),
    "emit bytes": lambda c, s: c.agents.emit("agent.event", s.encode() + b"\xff"),
    "emit json in json": lambda c, s: c.agents.emit(
        "agent.event", json.encode({"key": s}).decode()
    ),
    "interrupt": lambda c, s: (
        c.agents.spawn("Work.", name="one").close(),
        c.agents.interrupt("one", f"{s}!"),
    ),
    "agent": worked,
    "give up": lambda c, s: (
        c.agents.spawn("Work.", name="one").close(),
        c.agents.give_up("one", s),
    ),
    "script": lambda c, s: called(
        c,
        "call_tool",
        name="python:run_script",
        arguments={"path": "scripts/say.py", "args": {"say": s}},
    ),
    "script bytes": lambda c, s: called(
        c, "call_tool", name="scripts/say.py", arguments={"say": f"{s} and "}
    ),
    "tool fails": failed,
    "note": noted,
    "memory tool": lambda c, s: called(
        c, "memory", command="create", path="/memories/n.md", file_text=s
    ),
    "memory": lambda c, s: c.memory.save(f"use {s}", key=s, source=s),
    "memory long": lambda c, s: c.memory.save(f"use {s}{LONG}", kind="fact"),
    "memory kind": lambda c, s: c.memory.save("use it", kind=s),
    "use_skill": lambda c, s: called(c, "use_skill", name="deploy"),
    "skill file": lambda c, s: called(c, "use_skill", name="deploy", file="more.md"),
    "pin": lambda c, s: (c.pin(f"use {s}"), c.pin(f"{'x ' * 985}{s}")),
    "message": signalled,
    "reminder": lambda c, s: (c.events.remind(0, "r", f"use {s}"), c.look()),
    "model": lambda c, s: (c.resize(15_000, model=s), c.metered(1_000, s)),
    "tool": lambda c, s: c.tools.declare(
        {"name": "t", "description": s, "parameters": {"type": "object"}}
    ),
    "snapshot": lambda c, s: (
        c.working.set_goal(s),
        c.working.plan([s]),
        c.working.note(s),
        c.renew(),
        c.finish(s),
    ),
    "result": lambda c, s: (
        c.reply(loom.Reply((loom.ToolCall("c", "Read", "{}"),))),
        c.result("c", {"out": s}),
    ),
    "overflow": lambda c, s: (c.user(s + LONG * 20), c.user(s), c.turn(), c.recall(s), c.renew()),
    "fork": forked,
}
NAMES: dict[str, Door] = {
    "agent name": lambda c, s: c.agents.spawn("Work.", name=s),
    "fork name": lambda c, s: c.agents.fork(s),
    "topic": lambda c, s: c.agents.emit(s, "x"),
    "tool name": lambda c, s: c.tools.declare({"name": s, "description": "x"}),
}


@all_cases("secret", [PLAIN, COLOURED], ids=["plain", "coloured"])
@all_cases("door", DOORS)
def test_no_secret_rests(tmp_path: Path, door: str, secret: str) -> None:
    """Journal, pages, snapshots, bus, cache, notes and memories, of every agent: none holds it."""
    with opened(tmp_path, secret) as ctx:
        DOORS[door](ctx, secret)
        if not ctx.calls:
            ctx.turn()
    assert holding(tmp_path) == []


@all_cases("door", NAMES)
def test_no_secret_names_anything(tmp_path: Path, door: str) -> None:
    """A secret is no name of an agent, a fork or a topic, and the refusal does not say it."""
    with opened(tmp_path, PLAIN) as ctx:
        try:
            NAMES[door](ctx, PLAIN)
        except BadInput as error:
            assert BODY not in str(error)
        ctx.turn()
    assert holding(tmp_path) == []


KEPT = [
    "emit",
    "emit long",
    "emit bytes",
    "agent",
    "script",
    "note",
    "memory",
    "message",
    "pin",
    "fork",
]


@all_cases("door", KEPT)
def test_redact_nothing_keeps_secrets(tmp_path: Path, door: str) -> None:
    """`redact=()` turns it off everywhere, but for what other processes leave."""
    with opened(tmp_path, PLAIN, redact=()) as ctx, suppress(loom.LoomError):
        DOORS[door](ctx, PLAIN)
    assert holding(tmp_path)


def test_a_model_of_such_a_name(tmp_path: Path) -> None:
    """Not even the model's name, when it is opened and opened again; it is not resized for it."""
    for _ in range(2):
        with loom.open(tmp_path / "kept", model=PLAIN, window=8_000, durable=False) as ctx:
            assert ctx.window.config.model == "[redacted:api-key]"
            commits = ctx._engine.workspace.commits
        assert holding(tmp_path) == []
    with loom.open(tmp_path / "kept", durable=False) as ctx:
        assert ctx._engine.workspace.commits == commits


def test_rules_of_ones_own_hold_below(tmp_path: Path) -> None:
    """An agent below, and a fork, keep to the rules of the one they come from."""
    with opened(tmp_path, PLAIN, redact=[*SECRETS, ("body", BODY)]) as ctx:
        ctx.agents.emit("agent.event", {"a": BODY})
        ctx.agents.spawn("Work.", name="one", durable=False).close()
        with ctx.agents.child("one") as child, ctx.agents.fork("copy") as copy:
            child.user(f"use {BODY}")
            child.agents.emit("agent.event", {"a": BODY})
            copy.user(f"use {BODY}")
    assert holding(tmp_path) == []


def test_what_comes_back_is_what_is_kept(tmp_path: Path) -> None:
    """What is kept of a script is what it gave the first time; without a cache it is as it came."""
    with opened(tmp_path, PLAIN):
        pass
    project, cache = tmp_path / "given" / "project", tmp_path / "kept" / "cache"
    once, again = (
        Scripts(project, cache=cache).run("scripts/say.py", {"say": PLAIN}) for _ in range(2)
    )
    assert once == again
    assert once.stdout == b"[redacted:api-key]\n"
    assert Scripts(project).run("scripts/say.py", {"say": PLAIN}).stdout == f"{PLAIN}\n".encode()
    assert holding(tmp_path) == []


def test_a_bus_of_its_own(tmp_path: Path) -> None:
    """A host that opens a bus itself has the usual rules, and can give others."""
    bus = EventBus(FileStore(tmp_path / "kept", durable=False), "one")
    event = bus.emit("agent.event", {"key": PLAIN, PLAIN: [1, None, 2.5]}, to=PLAIN)
    mark = "[redacted:api-key]"
    assert (event.body, event.to) == ({"key": mark, mark: [1, None, 2.5]}, mark)
    binary = b"\xff\x00" + PLAIN.encode()
    assert bus.payload(bus.emit("agent.event", binary)) == b"\xff\x00" + mark.encode()
    assert holding(tmp_path) == []
    open_bus = EventBus(MemoryStore(), "one", redact=())
    assert open_bus.emit("agent.event", {"key": PLAIN}).body == {"key": PLAIN}
