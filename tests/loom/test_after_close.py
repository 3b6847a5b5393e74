"""After `close` nothing writes and nothing answers: a row for everything that is public."""

import asyncio
import inspect
import os
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.aio import AsyncContext
from loom.capabilities.agents.capability import Agents
from loom.capabilities.events.capability import Heartbeat
from loom.capabilities.memory.capability import Memory
from loom.capabilities.skills.capability import Skills
from loom.context.history import Archive
from loom.context.working import WorkingSurfaces
from loom.live import Tools
from loom.session.turn import Turn
from tests.kit.cases import all_cases
from tests.kit.step import calls

Use = Callable[[Any], object]
# What holds values in memory answers as before; all else would look at the disk, or write.
ANSWERS = {
    "ctx": {"window", "pressure", "done", "close"},
    "working": {"dashboard", "goal"},
    "memory": {"merged", "text", "warnings", "notes"},
    "skills": {"found", "warnings"},
    "tools": {"declared", "own", "toolbox"},
    "agents": {"address"},
    "events": set[str](),
    "history": set[str](),
    "turn": {"messages", "request"},
}
CLOSED: dict[str, dict[str, Use]] = {
    "ctx": {
        "system": lambda c: c.system("x"), "user": lambda c: c.user("x"),
        "reply": lambda c: c.reply("x"), "collect": lambda c: [*c.collect([])],
        "metered": lambda c: c.metered(9), "calls": lambda c: c.calls,
        "result": lambda c: c.result("open", "x"), "run": lambda c: c.run("open"),
        "abandon": lambda c: c.abandon(), "answer": lambda c: c.answer("x", "y"),
        "overflowed": lambda c: c.overflowed(Exception("prompt is too long: 9 tokens > 8 maximum")),
        "resize": lambda c: c.resize(9_000), "renew": lambda c: c.renew(),
        "finish": lambda c: c.finish("x"), "look": lambda c: c.look(), "turn": lambda c: c.turn(),
        "sync": lambda c: c.sync([]),
        "text": lambda c: c.text, "pin": lambda c: c.pin("x"), "unpin": lambda c: c.unpin("x"),
        "page_in": lambda c: c.page_in("user_0001"), "recall": lambda c: c.recall("x"),
    },
    "working": {
        "set_goal": lambda w: w.set_goal("x"), "plan": lambda w: w.plan(["x"]),
        "progress": lambda w: w.progress("x"), "scratch": lambda w: w.scratch("x"),
        "note": lambda w: w.note("x"), "ask": lambda w: w.ask("q", "x"),
        "answered": lambda w: w.answered("q"), "as_dict": lambda w: w.as_dict(),
        "evidence": lambda w: w.evidence("e", "x"),
    },
    "memory": {
        "remember": lambda m: m.remember("k", "x"), "forget": lambda m: m.forget("k"),
        "save": lambda m: m.save("x"),
        "query": lambda m: m.query("x"), "use_embedder": lambda m: m.use_embedder(None),
    },
    "skills": {
        "activate": lambda s: s.activate("k", "x"), "drop": lambda s: s.drop("k"),
        "use": lambda s: s.use("k"),
    },
    "tools": {
        "declare": lambda t: t.declare({"name": "x"}), "answer": lambda t: t.answer("x"),
        "schemas": lambda t: t.schemas(), "without_own": lambda t: t.without_own("x"),
    },
    "agents": {
        "spawn": lambda a: a.spawn("x"), "child": lambda a: a.child("kid"),
        "fork": lambda a: a.fork("other"), "give_up": lambda a: a.give_up("kid", "x"),
        "join": lambda a: a.join("kid"), "wait": lambda a: a.wait("kid", timeout=0.0),
        "deliver": lambda a: a.deliver("x"), "grant": lambda a: a.grant({"a": b"x"}),
        "emit": lambda a: a.emit("t", "x"), "subscribe": lambda a: a.subscribe("t", print),
        "interrupt": lambda a: a.interrupt("kid", "x"), "bus": lambda a: a.bus,
        "children": lambda a: a.children,
    },
    "events": {
        "signal": lambda e: e.signal("e", "x"),
        "acknowledge": lambda e: e.acknowledge("e", "ignore"),
        "watch": lambda e: e.watch(os.getpid()), "remind": lambda e: e.remind(1.0, "r", "x"),
        "heartbeat": lambda e: e.heartbeat,
    },
    "history": {
        "synced": lambda h: h.synced,
        "restore": lambda h: h.restore(1), "payload": lambda h: h.payload("x"),
        "undo": lambda h: h.undo(1), "gc": lambda h: h.gc(),
        "promote": lambda h: h.promote("x"),
    },
    "turn": {"asks": lambda t: t.asks},
}  # fmt: skip
KINDS: dict[str, type] = {
    "ctx": loom.Context, "working": WorkingSurfaces, "memory": Memory, "skills": Skills,
    "tools": Tools, "agents": Agents, "events": Heartbeat, "history": Archive, "turn": Turn,
}  # fmt: skip
OF_CAPABILITIES = {*dir(loom.Capability)}  # moments, which a context asks at


def listing(folder: Path) -> dict[str, tuple[int, int]]:
    """Every path below a folder, with its size and when it changed."""
    found = ((path, path.lstat()) for path in sorted(folder.rglob("*")))
    return {str(path): (stat.st_size, stat.st_mtime_ns) for path, stat in found}


def opened(folder: Path) -> dict[str, Any]:
    """A context that has something of everything, its namespaces and a turn of it, by name."""
    project = folder / "project"
    project.mkdir()
    (project / "AGENTS.md").write_text("- Run `make test` before committing.\n")
    ctx = loom.open(
        folder / "w", window=16_000, goal="Go. " * 400, durable=False, project=project,
        capabilities=[loom.Memory(folder / "m"), loom.Heartbeat(60.0)],
    )  # fmt: skip
    ctx.user("a line\n" * 400)
    ctx.memory.save("It is so.")
    ctx.agents.spawn("Read.", name="kid").close()
    turn = ctx.turn()
    ctx.reply(calls("open"))
    return {"ctx": ctx, "turn": turn} | {
        name: getattr(ctx, name) for name in KINDS if name not in ("ctx", "turn")
    }


@pytest.fixture(scope="module")
def closed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[dict[str, Any], Path]]:
    """The same after `close`, and the folder it all lies in."""
    folder = tmp_path_factory.mktemp("closed")
    found = opened(folder)
    found["ctx"].close()
    yield found, folder


@all_cases("place", KINDS)
def test_everything_public_has_a_row(place: str) -> None:
    """A new method or property is in one of the tables."""
    moments = OF_CAPABILITIES if issubclass(KINDS[place], loom.Capability) else set[str]()
    held = inspect.getmembers_static(KINDS[place])
    public = {
        name
        for name, value in held
        if not name.startswith("_") and (callable(value) or isinstance(value, property))
    }
    assert public - moments == {*ANSWERS[place], *CLOSED[place]}


@all_cases("place", KINDS)
def test_what_is_in_memory_answers(closed: tuple[dict[str, Any], Path], place: str) -> None:
    """Values are as they were; nothing is written; so is a description of each."""
    found, folder = closed
    before = listing(folder)
    assert repr(found[place])
    for name in sorted(ANSWERS[place]):
        try:
            value = getattr(found[place], name)
            if callable(value):
                value()
        except loom.Closed:
            assert (place, name) == ("working", "goal")  # one this long rests on a page
    assert listing(folder) == before


ROWS = [(place, name) for place, rows in CLOSED.items() for name in rows]
METHODS = [
    (p, n) for p, n in ROWS if p != "turn" and not isinstance(getattr(KINDS[p], n), property)
]


@all_cases(("place", "name"), METHODS, ids=[f"{p}.{n}" for p, n in METHODS])
def test_awaited_it_is_closed(tmp_path: Path, place: str, name: str) -> None:
    """The same of `loom.aio`."""

    async def none() -> AsyncIterator[object]:
        return
        yield

    async def session() -> None:
        async with loom.aio.open(tmp_path / "w", window=8_000, durable=False) as ctx:
            await ctx.user("x")
        before = listing(tmp_path)
        with pytest.raises(loom.Closed):
            if name == "collect":
                _ = [one async for one in ctx.collect(none())]
            else:
                asked: Any = ctx if place == "ctx" else getattr(ctx, place)
                made: Any = CLOSED[place][name](asked)
                await made
        assert listing(tmp_path) == before

    assert hasattr(AsyncContext, name) or place != "ctx"
    asyncio.run(session())
