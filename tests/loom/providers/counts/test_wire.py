"""What is measured is at least what is sent: requests recounted from their wire form."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from loom.providers.counts import Sizes, counter_for
from loom.replay.audit import message_tokens

COUNT = counter_for()


@given(lead=st.sampled_from(["1 ", "我", "7", "(", "\t", "\n", "é", ".", "{", "p"]))
def test_failed_results(lead: str) -> None:
    """The mark of a failed result is counted, whatever text follows it."""
    sizes, text = Sizes(COUNT), f"{lead}我们需要修复登录模块的错误，并保持会话状态。"
    message: dict[str, object] = {"role": "tool", "tool_call_id": "c", "content": f"[error] {text}"}
    assert message_tokens(message, COUNT) <= sizes.result("c", COUNT(text), error=True)
