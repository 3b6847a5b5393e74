"""What is measured is at least what is sent: requests recounted from their wire form."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.audit import message_tokens
from loom.measure import Sizes, counter_for
from loom.measure.sizes import TOOL

COUNT = counter_for()


def recount(turn: loom.Turn) -> int:
    """Tokens of a Chat Completions request."""
    messages = sum(message_tokens(m, COUNT) for m in turn.request("openai")["messages"])
    return messages + sum(TOOL + COUNT(document) for document in turn.tools)


def test_nothing_yet(tmp_path: Path) -> None:
    """A request that holds a dashboard alone is measured."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total <= recount(turn) + 8


@pytest.mark.xfail(strict=True, reason="ERROR is 3; `[error] ` before CJK or a digit costs 4")
@given(text=st.sampled_from(["1 我们", "我们需要", "7", "(x)", "\tx", "\n", "é", "...", "{}", "plain"]))
def test_failed_results(text: str) -> None:
    """The mark of a failed result is counted, whatever text follows it."""
    sizes = Sizes(COUNT)
    message = {"role": "tool", "tool_call_id": "c", "content": f"[error] {text}"}
    assert message_tokens(message, COUNT) <= sizes.result("c", COUNT(text), error=True)


@pytest.mark.xfail(strict=True, reason="the blank lines between the blocks of a reply cost a token each")
def test_blocks_of_a_reply(tmp_path: Path) -> None:
    """Blocks of a reply that one message joins are counted with what joins them."""
    with loom.open(tmp_path / "w", own_tools=False, durable=False) as ctx:
        before = ctx.turn()
        slack = before.pressure.tokens.total - recount(before)
        blocks = [loom.Speech(f"x9Kq2x9Kq{n}") for n in range(40)]
        ctx.reply(loom.Reply(tuple(blocks)))
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total - slack


def test_an_empty_reply(tmp_path: Path) -> None:
    """A reply without any block is sent as a placeholder, which is counted."""
    with loom.open(tmp_path / "w", own_tools=False, durable=False) as ctx:
        ctx.reply(loom.Reply(()))
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total


@pytest.mark.xfail(strict=True, reason="a step that loses its reasoning keeps no size for `(empty)`")
def test_a_reply_of_reasoning_alone_after_a_cut(tmp_path: Path) -> None:
    """A reply that was reasoning alone is a placeholder after a cut, which is counted."""
    opaque = '{"type":"thinking","thinking":"hm","signature":"s"}'
    with loom.open(tmp_path / "w", window=8_000, own_tools=False, durable=False) as ctx:
        ctx.reply(loom.Reply((loom.Reasoning("hm", opaque, "anthropic"),)))
        for _ in range(3):
            ctx.user("go on")
            ctx.reply(loom.Reply((loom.Reasoning("hm", opaque, "anthropic"),)))
        ctx.turn()

        class TooLong(Exception):
            status_code = 413

        ctx.overflowed(TooLong())
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total
