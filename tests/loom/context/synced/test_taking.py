"""What is new in a list becomes entries; what the host gave itself before is known again."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.context.synced.reading import HostMessages
from tests.kit.hosts import PNG, Called, Replied, Resulted, Told, User, wire
from tests.kit.journal import lawful
from tests.kit.opened import Open, opened_with, opening
from tests.kit.spoilt import CHANGES, Change, spoilt

opened = opened_with(window=60_000)
CALL = Called("c1", "bash", "ls")
BEGUN: list[Told] = [User(("Look.",)), Replied("I look.", (CALL,)), Resulted(CALL, "a b")]


def entries(ctx: loom.Context) -> list[tuple[str, int]]:
    """Whose each message of the list is, and its entry."""
    return [(one.role, one.entry) for one in ctx.history.synced if one.role != "system"]


@pytest.mark.parametrize("content", ["Look.", ["Look.", PNG, "Look well."]])
def test_a_message_the_host_gave_is_known_again(opened: Open, content: object) -> None:
    """A text, or texts and an image: one entry each, and the next message is another."""
    ctx = opened()
    ctx.sync(wire("openai", BEGUN))
    ctx.user(content)
    made = ctx.window.history.next_id
    user = User(("Look.",)) if content == "Look." else User(("Look.", "Look well."), image=True)
    ctx.sync(wire("openai", [*BEGUN, user]))
    assert ctx.window.history.next_id == made
    ctx.sync(wire("openai", [*BEGUN, user, User(("Look well.",))]))
    assert ctx.window.history.next_id == made + 1


def test_a_result_without_a_call(opened: Open) -> None:
    """A list that was trimmed before it was first given: the result stands quoted, once."""
    ctx = opened()
    told = wire("openai", [BEGUN[2], User(("Go on.",))])
    request = str(ctx.sync(told).request())
    assert request.count("a b") == 1 and "result without a call: c1" in request
    made = ctx.window.history.next_id
    ctx.sync([*told, {"role": "user", "content": "And on."}])
    assert ctx.window.history.next_id == made + 1
    assert len({entry for _, entry in entries(ctx)}) == 3


WHOLE: dict[str, list[dict[str, Any]]] = {
    format: wire(format, [*BEGUN, Replied("So."), User(("A.", "B."), image=True)])
    for format in ("openai", "responses", "anthropic", "gemini")
}


@pytest.mark.parametrize("format", WHOLE)
@settings(max_examples=max(settings().max_examples // 4, 1))
@given(changes=CHANGES, begun=st.booleans())
def test_junk_is_taken_or_refused(
    format: str, changes: list[Change], begun: bool, tmp_path_factory: Any
) -> None:
    """A typed error, and what is listed is what it was where the message could not be read;
    never a window that is not lawful."""
    messages: Any = spoilt(WHOLE[format], changes)
    with opening(tmp_path_factory.mktemp("junk"), window=60_000) as opened:
        ctx = opened()
        if begun:
            ctx.sync(WHOLE[format], format)
        before = ctx.window, ctx.history.synced
        try:
            ctx.sync(messages, format)
        except loom.BadMessage:
            assert (ctx.window, ctx.history.synced) == before
        except loom.LoomError as error:
            assert str(error)
        assert lawful(ctx) == []
        ctx.sync(WHOLE[format], format)
        read = HostMessages(format, ctx.window.config.mark)
        read.update(WHOLE[format])
        leading = sum(one.system is not None for one in read.messages)
        assert [one.key for one in ctx.history.synced] == read.keys[leading:]
