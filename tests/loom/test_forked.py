"""A forked child has no part in what its parent opened: each door of it is shut."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import loom
from loom.capabilities.skills import SkillSet
from loom.inputs import Reply, Speech, ToolCall

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]
HARMLESS = {"close"}  # it closes the child's own copies of files
Given = tuple[Any, ...]

# Arguments with which each public method does something in the parent.
GIVEN: dict[str, Given] = {
    "abandon": (),
    "acknowledge": ("s", "done"),
    "activate": ("how", "to test"),
    "answer": ("c1", "A short one."),
    "answered": ("q",),
    "ask": ("q2", "Which?"),
    "attend": (None, None, 0.0),
    "child": ("kid",),
    "collect": ([],),
    "declare": ({"name": "Look", "description": "Look.", "parameters": {}},),
    "deliver": ("All is built.",),
    "drop": ("how",),
    "emit": ("build.done", "part 1"),
    "equip": (SkillSet((), ()),),
    "evidence": ("e", "It is so."),
    "finish": ("done",),
    "follow": (Path(),),
    "forget": ("note",),
    "fork": ("other",),
    "give_up": ("kid", "it is lost"),
    "grant": ({"outputs/a_0001.txt": b"a"},),
    "interrupt": ("kid", "stop"),
    "join": ("kid",),
    "last": (Path("memory"), "sqlite"),
    "look": (),
    "memory_promote": ("entry 1",),
    "memory_query": ("build",),
    "memory_save": ("the build takes a minute",),
    "metered": (900,),
    "note": ("part 1 is slow",),
    "overflowed": (RuntimeError("maximum context length is 100 tokens, prompt is too long"),),
    "page_in": ("entry 1",),
    "payload": ("outputs/a_0001.txt",),
    "pin": (1,),
    "plan": (["one"],),
    "progress": ("halfway",),
    "recall": ("build",),
    "remember": ("note", "tabs"),
    "remind": (60.0, "r", "Time."),
    "renew": (),
    "reply": (Reply((Speech("Yes."),)),),
    "resize": (9_000,),
    "restore": (1,),
    "result": ("c1", "built"),
    "run": ("c1",),
    "scratch": ("a thought",),
    "settle": (Path(), loom.open),
    "signal": ("s2", "It broke."),
    "spawn": ("Count.",),
    "subscribe": ("build.done", print),
    "system": ("Be careful.",),
    "task": ("Another goal.",),
    "turn": (),
    "unpin": (1,),
    "use_embedder": (None,),
    "use_skill": ("none",),
    "user": ("Mine?",),
    "wait": (),
    "watch": (1,),
}
SPACES = ("bus", "heartbeat")  # what leads to further methods that write


def methods() -> dict[str, Callable[..., object]]:
    """The public methods of a context, by name."""
    found = {name: getattr(loom.Context, name) for name in dir(loom.Context)}
    public = {name: held for name, held in found.items() if not name.startswith("_")}
    return {name: held for name, held in public.items() if callable(held)}


def files(path: Path) -> dict[str, bytes]:
    """What lies in a folder."""
    return {str(file): file.read_bytes() for file in path.rglob("*") if file.is_file()}


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


def test_each_method_has_arguments_here() -> None:
    """A method that is new must be looked at here."""
    assert set(methods()) == set(GIVEN) | HARMLESS


@pytest.mark.parametrize("name", sorted(GIVEN))
def test_a_forked_child_is_refused(ctx: loom.Context, tmp_path: Path, name: str) -> None:
    """Forked, before anything is run or written; the parent goes on."""
    before = files(tmp_path)
    assert forked(lambda: drained(getattr(ctx, name)(*GIVEN[name]))) == "Forked"
    assert files(tmp_path) == before
    ctx.result("c1", "built")
    ctx.turn()
    assert list(ctx.agents.children.values()) == ["at work"]


@pytest.mark.parametrize("name", SPACES)
def test_what_leads_to_further_methods_is_refused_too(ctx: loom.Context, name: str) -> None:
    """Nothing is told, and nothing is looked at."""
    getattr(ctx, name)
    assert forked(lambda: getattr(ctx, name)) == "Forked"
