"""An interrupt at any line of the store: the same context goes on, and all of it opens again."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

import loom
from loom.cli import main
from loom_paging.remote.open_address import open_tree
from tests.kit.cases import all_cases, each_value
from tests.loom.interrupt import Interrupt, Place

REMOTE = "paging/loom_paging/remote/"
EACH = 1 if os.environ.get("HYPOTHESIS_PROFILE") == "simulate" else 19  # line of so many
LARGE = "a long line of what was said\n" * 1_000  # a page of its own


def turned(ctx: loom.Context) -> None:
    """Take in a large text, and make it durable."""
    ctx.user(f"third {LARGE}", key="third")
    ctx.turn()


def replied(ctx: loom.Context) -> None:
    """Take in a reply, and a large result."""
    if not ctx.calls and "c3" not in json.dumps(ctx.turn().request("openai")):
        ctx.reply(loom.Reply((loom.ToolCall("c3", "Read", '{"path": "third"}'),)))
    if ctx.calls:
        ctx.result("c3", f"third {LARGE}")
    ctx.turn()


def renewed(ctx: loom.Context) -> None:
    """Rebuild the window, which seals a segment and puts a checkpoint."""
    ctx.user("third", key="third")
    ctx.turn()
    ctx.renew(0)


ACTS: dict[str, Callable[[loom.Context], None]] = {
    "turn": turned,
    "reply": replied,
    "renewal": renewed,
}


# What the user said by the end, in order; "" for what is a page of its own.
HEARD = {
    "turn": ["first", "second", "", "fourth"],
    "reply": ["first", "second", "fourth"],
    "renewal": ["first", "second", "third", "fourth"],
}


def heard(address: str) -> list[str]:
    """What the journal says that the user said."""
    store = open_tree(address, write=False)
    segments = [name for name in store.names("journal/") if name.endswith(".jsonl")]
    lines = [line for name in segments for line in store.get(name).splitlines()]
    records = [record for line in lines for record in json.loads(line)["records"]]
    told = [record["turn"]["text"] for record in records if record["type"] == "Heard"]
    return [text.get("body", "") if text["size"] < 1_000 else "" for text in told]


def begun(address: str) -> loom.Context:
    """An agent of two turns."""
    ctx = loom.open(address, goal="Build it.", window=64_000)
    for word in ("first", "second"):
        ctx.user(word)
        ctx.turn()
        ctx.reply(loom.Reply((loom.Speech(f"{word} done"),)))
    return ctx


def lines_of(act: Callable[[loom.Context], None], address: str) -> list[Place]:
    """The lines of the store that an act runs through."""
    with begun(address) as ctx, Interrupt() as seen:
        act(ctx)
    return sorted(place for place in seen.seen if place[0].startswith(REMOTE))


@pytest.mark.timeout(3_600)
@all_cases(("name", "time"), each_value(ACTS, [1, 2]))
def test_the_same_context_goes_on(tmp_path: Path, name: str, time: int) -> None:
    """What was to be done is done at the second try, once; nothing before it is lost."""
    act, raised = ACTS[name], 0
    places = lines_of(act, f"file://{tmp_path}/0?cache=0")
    for number, at in enumerate(places[time % EACH :: EACH], 1):
        address = f"file://{tmp_path}/{number}?cache=0"
        ctx = begun(address)
        with Interrupt(at, time) as interrupt, suppress(KeyboardInterrupt):
            act(ctx)
        raised += interrupt.raised
        act(ctx)
        ctx.user("fourth")
        ctx.turn()
        ctx.close()
        with loom.open(f"{address}&take=1") as again:
            assert not again.calls
        assert heard(address) == HEARD[name], at
        assert main(["check", address]) == 0, at
    assert raised >= len(places) // (EACH * 4)
