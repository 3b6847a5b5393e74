"""A forked child has no part in what its parent opened: each door of it is shut."""

from __future__ import annotations

import os
from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.inputs import Reply, Speech, ToolCall
from tests.kit.cases import all_cases
from tests.kit.journal import files

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
NAMESPACES = ("working", "memory", "skills", "tools", "agents", "events", "history")
HARMLESS = {"close"}  # it closes the child's own copies of files
Given = tuple[Any, ...]

# Arguments with which each public method does something in the parent.
GIVEN: dict[str, Given] = {
    "abandon": (),
    "events.acknowledge": ("s", "done"),
    "skills.activate": ("how", "to test"),
    "answer": ("c1", "A short one."),
    "working.answered": ("q",),
    "working.as_dict": (),
    "working.ask": ("q2", "Which?"),
    "agents.child": ("kid",),
    "collect": ([],),
    "tools.declare": ({"name": "Look", "description": "Look.", "parameters": {}},),
    "agents.deliver": ("All is built.",),
    "skills.drop": ("how",),
    "agents.emit": ("build.done", "part 1"),
    "working.evidence": ("e", "It is so."),
    "finish": ("done",),
    "memory.forget": ("note",),
    "agents.fork": ("other",),
    "agents.give_up": ("kid", "it is lost"),
    "agents.grant": ({"outputs/a_0001.txt": b"a"},),
    "agents.interrupt": ("kid", "stop"),
    "agents.join": ("kid",),
    "look": (),
    "memory.promote": ("entry 1",),
    "memory.query": ("build",),
    "memory.save": ("the build takes a minute",),
    "metered": (900,),
    "working.note": ("part 1 is slow",),
    "overflowed": (RuntimeError("maximum context length is 100 tokens, prompt is too long"),),
    "page_in": ("entry 1",),
    "history.gc": (),
    "history.promote": ("outputs/a_0001.txt",),
    "history.payload": ("outputs/a_0001.txt",),
    "pin": (1,),
    "working.plan": (["one"],),
    "working.progress": ("halfway",),
    "recall": ("build",),
    "memory.remember": ("note", "tabs"),
    "events.remind": (60.0, "r", "Time."),
    "renew": (),
    "reply": (Reply((Speech("Yes."),)),),
    "resize": (9_000,),
    "history.restore": (1,),
    "history.undo": (1,),
    "result": ("c1", "built"),
    "run": ("c1",),
    "working.scratch": ("a thought",),
    "events.signal": ("s2", "It broke."),
    "agents.spawn": ("Count.",),
    "agents.subscribe": ("build.done", print),
    "system": ("Be careful.",),
    "working.set_goal": ("Another goal.",),
    "turn": (),
    "sync": ([],),
    "tools.schemas": (),
    "tools.without_own": ("x",),
    "tools.answer": ("x",),
    "unpin": (1,),
    "memory.use_embedder": (None,),
    "skills.use": ("none",),
    "user": ("Mine?",),
    "agents.wait": (),
    "events.watch": (1,),
}
SPACES = ("agents.bus", "events.heartbeat")  # what leads to further methods that write


def methods(ctx: loom.Context) -> set[str]:
    """The public methods of a context and of its namespaces, by name."""
    found = {name for name in public(loom.Context) if callable(getattr(loom.Context, name))}
    for space in NAMESPACES:
        held = type(getattr(ctx, space))
        found |= {f"{space}.{name}" for name in public(held) if callable(getattr(held, name))}
    return found


def public(held: type) -> set[str]:
    """The names a host uses; not when a capability is asked."""
    hooks = set(dir(loom.Capability)) if issubclass(held, loom.Capability) else set[str]()
    return {name for name in dir(held) if not name.startswith("_")} - hooks


def forked(act: Callable[[], object]) -> str:
    """What an act raises in a forked child, by its name; "" when it returns."""
    read, write = os.pipe()
    child = os.fork()
    if not child:
        said = ""
        try:
            act()
        except BaseException as error:
            said = type(error).__name__
        os.write(write, said.encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read) as told:
        said = told.read()
    os.waitpid(child, 0)
    return said


def drained(given: object) -> None:
    """Go through what is made chunk by chunk."""
    for _ in given if hasattr(given, "__next__") else ():  # type: ignore[attr-defined]
        pass


@pytest.fixture
def ctx(tmp_path: Path) -> Any:
    """A context with a child, an open call and whatever else there may be."""
    toolbox = loom.Toolbox()
    with loom.open(
        tmp_path / "w",
        window=8_000,
        durable=False,
        capabilities=[loom.Memory(tmp_path / "m"), toolbox],
        goal="Build it.",
    ) as made:
        made.user("Build every part.")
        made.agents.spawn("Count.", name="kid").close()
        made.working.ask("q", "Which?")
        made.events.signal("s", "It broke.")
        made.memory.remember("note", "tabs")
        made.turn()
        made.reply(Reply((ToolCall("c1", "Bash", '{"command": "make"}'),)))
        yield made


def test_each_method_has_arguments_here(ctx: loom.Context) -> None:
    """A method that is new must be looked at here."""
    assert methods(ctx) == set(GIVEN) | HARMLESS


@all_cases("name", sorted(GIVEN))
def test_a_forked_child_is_refused(ctx: loom.Context, tmp_path: Path, name: str) -> None:
    """Forked, before anything is run or written; the parent goes on."""
    before = files(tmp_path)
    assert forked(lambda: drained(attrgetter(name)(ctx)(*GIVEN[name]))) == "Forked"
    assert files(tmp_path) == before
    ctx.result("c1", "built")
    ctx.turn()
    assert list(ctx.agents.children.values()) == ["at work"]


@pytest.mark.parametrize("name", SPACES)
def test_what_leads_to_further_methods_is_refused_too(ctx: loom.Context, name: str) -> None:
    """Nothing is told, and nothing is looked at."""
    attrgetter(name)(ctx)
    assert forked(lambda: attrgetter(name)(ctx)) == "Forked"
