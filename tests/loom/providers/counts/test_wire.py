"""What is measured is at least what is sent: requests recounted from their wire form."""

from __future__ import annotations

from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.providers.counts import Sizes, counter_for
from loom.providers.counts.sizes import TOOL
from loom.providers.formats import FORMATS, declared
from loom.replay.audit import message_tokens
from tests.kit.opened import plain

COUNT = counter_for()


def recount(turn: loom.Turn) -> int:
    """Tokens of a Chat Completions request."""
    messages = sum(message_tokens(m, COUNT) for m in turn.request("openai")["messages"])
    sizes = (
        max(COUNT(declared(format, document)) for format in FORMATS) for document in turn.tools
    )
    return messages + sum(TOOL + size for size in sizes)


def test_nothing_yet(tmp_path: Path) -> None:
    """A request that holds a dashboard alone is measured."""
    with loom.open(tmp_path / "w", durable=False) as ctx:
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total <= recount(turn) + 8


@given(lead=st.sampled_from(["1 ", "我", "7", "(", "\t", "\n", "é", ".", "{", "p"]))
def test_failed_results(lead: str) -> None:
    """The mark of a failed result is counted, whatever text follows it."""
    sizes, text = Sizes(COUNT), f"{lead}我们需要修复登录模块的错误，并保持会话状态。"
    message: dict[str, object] = {"role": "tool", "tool_call_id": "c", "content": f"[error] {text}"}
    assert message_tokens(message, COUNT) <= sizes.result("c", COUNT(text), error=True)


def test_blocks_of_a_reply(tmp_path: Path) -> None:
    """Blocks of a reply that one message joins are counted with what joins them."""
    with plain(tmp_path / "w") as ctx:
        before = ctx.turn()
        slack = before.pressure.tokens.total - recount(before)
        blocks = [loom.Speech(f"x9Kq2x9Kq{n}") for n in range(40)]
        ctx.reply(loom.Reply(tuple(blocks)))
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total - slack


def test_an_empty_reply(tmp_path: Path) -> None:
    """A reply without any block is sent as a placeholder, which is counted."""
    with plain(tmp_path / "w") as ctx:
        ctx.reply(loom.Reply(()))
        turn = ctx.turn()
        assert recount(turn) <= turn.pressure.tokens.total


def test_a_reply_of_reasoning_alone_after_a_cut(tmp_path: Path) -> None:
    """A reply that was reasoning alone is a placeholder after a cut, which is counted."""
    opaque = '{"type":"thinking","thinking":"hm","signature":"s"}'
    with plain(tmp_path / "w", window=8_000) as ctx:
        ctx.reply(loom.Reply((loom.Reasoning("hm", opaque, "anthropic"),)))
        for _ in range(12):
            ctx.reply(loom.Reply((loom.Reasoning("hm", opaque, "anthropic"),)))
        ctx.turn()
        ctx.overflowed(RuntimeError("prompt is too long"))
        turn = ctx.turn()
        assert ctx.window.sent.cuts
        assert recount(turn) <= turn.pressure.tokens.total
