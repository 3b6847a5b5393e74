"""The dashboard as it lives: a whole block after a cut, then a line when something changed."""

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from tests.kit.cases import all_cases


@pytest.fixture
def ctx(tmp_path: Path) -> Iterator[loom.Context]:
    """A context whose first request was made, at a low ρ."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=64_000, durable=False) as made:
        made.turn()
        step(made)
        made.turn()
        yield made


def step(
    ctx: loom.Context, text: str = "ok", *own: tuple[str, object], error: bool = False
) -> None:
    """A call of the host's and its result, perhaps beside calls of Loom's tools."""
    id = f"c{ctx.window.history.next_id}"
    tools = tuple(
        loom.ToolCall(f"{id}-{name}", name, json.encode(given).decode()) for name, given in own
    )
    ctx.reply(loom.Reply((loom.ToolCall(id, "Read", f'{{"path": "{id}"}}'), *tools)))
    ctx.result(id, text, error=error)


def boards(ctx: loom.Context) -> list[str]:
    """Every dashboard of the next request, oldest first."""
    messages = ctx.turn().request("openai")["messages"]
    said = [m["content"] for m in messages if m["role"] == "user"]
    return [text for text in said if text.startswith("[dashboard ")]


def frozen(ctx: loom.Context) -> list[str]:
    """The dashboards that were sent and stand where they were sent."""
    said = [getattr(item, "text", "") for item in ctx.window.history.stream]
    return [text for text in said if text.startswith("[dashboard ")]


def news(ctx: loom.Context) -> list[str]:
    """The dashboards that the next request, after one more step, adds to those sent before."""
    before = frozen(ctx)
    step(ctx)
    after = boards(ctx)
    assert after[: len(before)] == before
    return after[len(before) :]


def compacted(ctx: loom.Context) -> list[str]:
    """The dashboards after a cut."""
    chance = random.Random(4)
    for _ in range(4):
        step(ctx, " ".join(str(chance.randrange(10**6)) for _ in range(1_500)))
    cuts = ctx.window.sent.cuts
    step(ctx, "ok", ("compact_now", {}))
    found = boards(ctx)
    assert ctx.window.sent.cuts > cuts
    return found


OWN: list[tuple[str, object]] = [
    ("plan", {"items": ["[>] a", "[ ] b"]}),
    ("progress", {"text": "half"}),
    ("note", {"text": "kept"}),
    ("scratch", {"text": "kept"}),
    ("ask", {"id": "q-1", "text": "why?"}),
    ("evidence", {"id": "v-1", "text": "so"}),
    ("acknowledge", {"id": "e-0", "disposition": "defer"}),
]


@all_cases(("name", "given"), OWN, ids=[name for name, _ in OWN])
def test_what_the_model_wrote_itself_is_not_told_back(
    ctx: loom.Context, name: str, given: dict[str, Any]
) -> None:
    """Its own tool call is in its context already: no line. The next whole block has it."""
    ctx.events.signal("e-0", "it broke")
    assert len(news(ctx)) == 1
    working, before = ctx.window.working, frozen(ctx)
    step(ctx, "ok", ("working", {"action": name, **given}))
    assert ctx.window.working != working
    assert boards(ctx) == before
    assert news(ctx) == []
    block = compacted(ctx)[-1]
    words = {"plan": "[>] a", "progress": "half", "ask": "q-1", "evidence": "v-1"}
    assert words.get(name, "risk e-0" if name == "acknowledge" else "kept") in block
