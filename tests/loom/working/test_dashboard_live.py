"""The dashboard as it lives: a whole block after a cut, then a line when something changed."""

import json
import random
from pathlib import Path
from typing import Any

import loom
from tests.kit.cases import all_cases
from tests.kit.step import own, step


def boards(ctx: loom.Context, *, sent: bool = False) -> list[str]:
    """Every dashboard of the next request, oldest first; or those that were sent."""
    if sent:
        said = [getattr(item, "text", "") for item in ctx.window.history.stream]
    else:
        messages = ctx.turn().request("openai")["messages"]
        said = [one["content"] for one in messages if one["role"] == "user"]
    return [text for text in said if text.startswith("[dashboard ")]


def news(ctx: loom.Context) -> list[str]:
    """The dashboards that the next request, after one more step, adds to those sent before."""
    before = boards(ctx, sent=True)
    step(ctx)
    after = boards(ctx)
    assert after[: len(before)] == before
    return after[len(before) :]


OWN: list[tuple[str, dict[str, Any], str]] = [
    ("plan", {"items": ["[>] a", "[ ] b"]}, "[>] a"),
    ("progress", {"text": "half"}, "half"),
    ("note", {"text": "kept"}, "kept"),
    ("scratch", {"text": "kept"}, "kept"),
    ("ask", {"id": "q-1", "text": "why?"}, "q-1"),
    ("evidence", {"id": "v-1", "text": "so"}, "v-1"),
    ("acknowledge", {"id": "e-0", "disposition": "defer"}, "risk e-0"),
]


@all_cases(("name", "given", "told"), OWN)
def test_what_the_model_wrote_itself_is_not_told_back(
    tmp_path: Path, name: str, given: dict[str, Any], told: str
) -> None:
    """Its own tool call is in its context already: no line. The next whole block has it."""
    with loom.open(tmp_path / "w", goal="Fix it.", window=64_000, durable=False) as ctx:
        ctx.turn()
        step(ctx)
        ctx.turn()
        ctx.events.signal("e-0", "it broke")
        assert len(news(ctx)) == 1
        working, before = ctx.window.working, boards(ctx, sent=True)
        beside = loom.ToolCall("own", "working", json.dumps({"action": name, **given}))
        ctx.reply(loom.Reply((loom.ToolCall("c", "Read", '{"path": "c"}'), beside)))
        ctx.result("c", "ok")
        assert ctx.window.working != working
        assert boards(ctx) == before and news(ctx) == []
        chance, cuts = random.Random(4), ctx.window.sent.cuts
        for _ in range(4):
            step(ctx, " ".join(str(chance.randrange(10**6)) for _ in range(1_500)))
        own(ctx, "compact_now", {})
        assert told in boards(ctx)[-1] and ctx.window.sent.cuts > cuts
