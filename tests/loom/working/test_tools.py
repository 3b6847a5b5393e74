"""Loom's own tools, as a model calls them: each a twin of the host's call, bad calls harmless."""

import random
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from msgspec import json
from msgspec.structs import replace

import loom
from loom.providers.counts import counter_for
from loom.session.tools.own_tools import tools_by_name
from loom_bench.laws import broken
from loom_partitions import laws
from loom_partitions.working import Working
from tests.kit.cases import all_cases
from tests.kit.step import call, own, write

OWN = tools_by_name(
    tool for one in (loom.Memory(), loom.Skills(), loom.Toolbox()) for tool in one.tools
)
COUNT = counter_for()
DISPOSITIONS = ("ignore", "defer", "replan", "decompose", "hand off", "stop", "resolved")
PINNED = 10  # entries for which what was fetched a second time keeps its detail


def step(ctx: loom.Context, text: str) -> None:
    """A call of the host's, which reads a file of its own, and its result."""
    ctx.result(call(ctx, "Read", {"path": f"c{ctx.window.history.next_id}"}), text)


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context whose first request was made, with something on some surfaces."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=8_192, durable=False) as made:
        prepare(made)
        yield made


def prepare(ctx: loom.Context) -> None:
    """An event, a question, a note."""
    ctx.events.signal("e-1", "the build broke", urgency="high")
    ctx.working.ask("q-1", "Which reader?")
    ctx.working.note("first")
    ctx.turn()


def numbers(chance: random.Random, lines: int) -> str:
    """Lines that no other text has."""
    return "\n".join(f"row {line} is {chance.randrange(10**9)}" for line in range(lines))


def shows(ctx: loom.Context, text: str) -> bool:
    """Whether the next request holds a text in full."""
    return (
        json.encode(text).decode().strip('"')
        in json.encode(ctx.turn().request("openai")["messages"]).decode()
    )


def written(working: Working) -> Working:
    """C_working but for its count of failures and a scratchpad that names its page."""
    pad = working.scratchpad
    return replace(working, errors=(), scratchpad=None if pad and pad.page else pad)


# Twins
FOUND = {"citations": ["step_0001"], "facts": ["f", "g"], "conflicts": ["h"], "confidence": 0.25}
DONE = [("a", "done"), ("b", "doing"), ("c", "todo"), "d", ("e", "done")]
NUMBERS = [str(n) for n in range(40)]
# A tool, its arguments, and those of the host's method where they differ.
TWINS: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
    ("plan", {"items": ["[x] a", "[>] b", "[ ] c", "d", "[x]e"]}, {"items": DONE}),
    ("plan", {"items": []}, {}),
    ("plan", {"items": [f"[ ] {n}" for n in NUMBERS]}, {"items": NUMBERS}),
    ("progress", {"text": "half"}, {}),
    ("note", {"text": "second"}, {}),
    *[("scratch", {"text": text}, {}) for text in ("anew", "", "word " * 3_000)],
    *[("ask", {"id": id, "text": "Why?"}, {}) for id in ("q-1", "q-2")],
    ("answer", {"id": "q-1"}, {}),
    ("evidence", {"id": "v", "text": "so"}, {}),
    ("evidence", {"id": "v", "text": "so", **FOUND}, {}),
    *[("acknowledge", {"id": "e-1", "disposition": how}, {}) for how in DISPOSITIONS],
]
METHODS = {"answer": "working.answered", "acknowledge": "events.acknowledge"}
CALLED = {"ask": "question", "evidence": "summary"}  # what the host calls the text


@all_cases(
    ("name", "arguments", "twin"), TWINS, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(TWINS)]
)
def test_a_tool_does_what_its_twin_does(
    ctx: loom.Context, tmp_path: Path, name: str, arguments: dict[str, Any], twin: dict[str, Any]
) -> None:
    """The same C_working by the model's call and by the host's; no error, no open call."""
    before = ctx.window.working
    _, error = write(ctx, name, arguments)
    assert not error and ctx.calls == () and not ctx.done
    given = {CALLED.get(name, key) if key == "text" else key: one for key, one in arguments.items()}
    with loom.open(tmp_path / "t", goal="Fix it.", window=8_192, durable=False) as other:
        prepare(other)
        attrgetter(METHODS.get(name, f"working.{name}"))(other)(**{**given, **twin})
        assert written(ctx.window.working) == written(other.window.working)
        assert (ctx.window.working != before) == bool(arguments.get("items", True))
        for surface in ("plan", "scratchpad", "questions", "evidence", "risks", "decisions"):
            page = f"working/{surface}.md"
            assert ctx.page_in(page).text == other.page_in(page).text


ORDERED: list[tuple[list[tuple[str, dict[str, Any]]], Callable[[Working], bool]]] = [
    ([("ask", {"id": "x", "text": "?"}), ("answer", {"id": "x"})],
     lambda working: "x" not in dict(working.questions)),
    ([("answer", {"id": "x"}), ("ask", {"id": "x", "text": "?"})],
     lambda working: "x" in dict(working.questions)),
    ([("note", {"text": "lost"}), ("scratch", {"text": "a"}), ("note", {"text": "b"})],
     lambda working: working.scratchpad is not None and working.scratchpad.body == "a\nb"),
    ([(("acknowledge"), {"id": "e-1", "disposition": how}) for how in ("defer", "resolved")],
     lambda working: working.risks == () and working.events == ()),
    ([("progress", {"text": "1"}), ("progress", {}), ("progress", {"text": "2"})],
     lambda working: working.progress == "2"),
]  # fmt: skip


@all_cases(("made", "holds"), ORDERED)
def test_calls_of_one_reply_apply_in_order(
    ctx: loom.Context, made: list[tuple[str, dict[str, Any]]], holds: Callable[[Working], bool]
) -> None:
    """One after another, a bad one between them included."""
    ctx.reply(
        loom.Reply(
            tuple(
                loom.ToolCall(
                    f"c{at}", "working", json.encode({"action": name, **arguments}).decode()
                )
                for at, (name, arguments) in enumerate(made)
            )
        )
    )
    assert ctx.calls == ()
    assert holds(ctx.window.working)


# Bad calls
HUGE = "x" * 300_000
BAD: list[Any] = [
    ("working", {}, "action"),
    ("working", {"action": "remember", "text": "a"}, "evidence"),
    ("working", {"action": HUGE}, "action"),
    ("working", {"action": "plan"}, "items"),
    ("working", {"action": "plan", "items": "a"}, "items"),
    ("working", {"action": "progress"}, "text"),
    ("working", {"action": "note", "wrong": "a"}, "text"),
    ("working", {"action": "ask", "id": "q-9"}, "text"),
    ("working", {"action": "answer"}, "id"),
    ("working", {"action": "evidence", "id": "v"}, "text"),
    ("working", {"action": "evidence", "id": "v", "text": "s", "confidence": "high"}, "confidence"),
    ("working", {"action": "acknowledge", "id": "e-1"}, "disposition"),
    ("working", {"action": "acknowledge", "id": "e-1", "disposition": "forget"}, "disposition"),
    ("working", {"action": "acknowledge", "id": "e-1", "disposition": HUGE}, "disposition"),
    ("page_in", {}, "ref"),
    ("recall", {}, "query"),
    ("working", {"action": "plan", "items": [{"text": "a"}]}, ""),
    ("working", {"action": "progress", "text": ["a"]}, ""),
    ("working", {"action": "note", "text": {"a": 1}}, ""),
    ("working", {"action": "ask", "id": "", "text": "why"}, ""),
    ("working", {"action": "ask", "id": "q-9", "text": ["why"]}, ""),
    ("working", {"action": "answer", "id": ["q-1"]}, ""),
    ("working", {"action": "evidence", "id": "v", "text": "s", "citations": 7}, ""),
    ("working", {"action": "evidence", "id": "v", "text": "s", "facts": {"a": 1}}, ""),
    ("working", {"action": "evidence", "id": "v", "text": "s", "confidence": 7}, ""),
    *[(name, text, "") for name in ("working", "page_in") for text in (
        "", "null", "[]", '"text"', "{", '{"text": "a"', "nonsense", "[" * 50_000, HUGE
    )],
]  # fmt: skip


@all_cases(
    ("name", "arguments", "argument"), BAD, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(BAD)]
)
def test_a_bad_call_is_told_how_and_changes_nothing(
    ctx: loom.Context, name: str, arguments: object, argument: str
) -> None:
    """An error that names the tool and its arguments, in a few words; the next turn goes on."""
    before = ctx.window.working
    text, error = own(ctx, name, arguments)
    assert error
    assert name in text and argument in text
    assert all(one in text for one in OWN[name].schema.parameters["required"])
    assert COUNT(text) < 400
    assert written(ctx.window.working) == written(before)
    assert ctx.calls == () and not ctx.done
    assert broken("openai", {"messages": ctx.turn().request("openai")["messages"]}) == []


@all_cases("name", ["note", "scratch", "progress", "ask", "evidence"])
def test_a_huge_text_is_bounded(ctx: loom.Context, name: str) -> None:
    """300 kB in one argument: the window stays lawful and small, the scratchpad keeps it all."""
    write(ctx, name, {"text": HUGE} | ({"id": "h"} if name in ("ask", "evidence") else {}))
    assert ctx.turn().pressure.rho < 0.6
    assert laws.paired(ctx.window) == laws.counted(ctx.window) == []
    if name in ("note", "scratch"):
        assert HUGE in ctx.page_in("working/scratchpad.md").text


# Thrashing
@pytest.fixture
def paged(ctx: loom.Context, tmp_path: Path) -> tuple[str, str]:
    """The name of a page, and its last sixty lines."""
    chance = random.Random(5)
    wanted = numbers(chance, 60)
    step(ctx, numbers(chance, 300) + "\n" + wanted)
    ctx.turn()
    (name,) = (f"outputs/{path.name}" for path in (tmp_path / "w" / "outputs").glob("read_*"))
    return name, wanted


def test_what_was_compressed_away_comes_back_and_stays(
    ctx: loom.Context, paged: tuple[str, str]
) -> None:
    """The second time within ten entries it is given whole, and is kept ten entries of cuts."""
    name, wanted = paged
    chance = random.Random(6)
    own(ctx, "page_in", {"ref": name, "lines": "301-360"})
    for _ in range(3):  # each asks for half of what the request holds
        step(ctx, numbers(chance, 30))
        own(ctx, "compact_now", {})
        standing = shows(ctx, wanted)
    assert not standing
    back, error = own(ctx, "page_in", {"ref": name, "lines": "301-360"})
    assert not error and wanted in back
    entry, cuts = ctx.window.history.next_id - 1, ctx.window.sent.cuts
    assert shows(ctx, wanted)
    for _ in range(PINNED - 1):
        step(ctx, numbers(chance, 20))
        if ctx.window.history.next_id % 3 == 0:
            own(ctx, "compact_now", {})
        if ctx.window.history.next_id - 1 > entry + PINNED:
            break
        assert shows(ctx, wanted)
        assert ctx.window.sent.generation == 1
    assert ctx.window.sent.cuts > cuts


def test_a_dead_name_is_told_once_in_full(ctx: loom.Context, paged: tuple[str, str]) -> None:
    """An error with near names and recall; the second time that there is nothing to retry."""
    name, _ = paged
    dead = name.replace("0001", "0007")
    first, error = own(ctx, "page_in", {"ref": dead})
    assert error and dead in first and name in first and "recall" in first
    again, error = own(ctx, "page_in", {"ref": dead})
    assert error and dead in again and again != first
    assert COUNT(again) < COUNT(first)


def test_compact_now_with_nothing_to_free_does_nothing(ctx: loom.Context) -> None:
    """No cut, however often it is called; the requests only grow."""
    for _ in range(3):
        before = ctx.turn().request("openai")["messages"]
        _, error = own(ctx, "compact_now", {})
        assert not error
        after = ctx.turn().request("openai")["messages"]
        assert ctx.window.sent.cuts == 0 and ctx.window.sent.generation == 1
        assert after[: len(before)] == before


@all_cases(("own_tools", "most"), [(True, 450), (("page_in", "recall"), 175)])
def test_their_declarations_are_short(
    tmp_path: Path, own_tools: bool | tuple[str, ...], most: int
) -> None:
    """All of them take what the quickstart says of each request, the two about 170 tokens."""
    policy = loom.Policy(own_tools=own_tools)
    with loom.open(tmp_path / str(most), model="gpt-5", policy=policy, durable=False) as made:
        assert 0 < made.turn().pressure.tokens.skill <= most
