"""Lists of items of the Responses format."""

from __future__ import annotations

import pytest

from loom.providers.formats.listing import BadMessage, listed


def test_a_message_in_the_easy_shape() -> None:
    """A text under a role, without a type."""
    [user, reply, system] = listed(
        "responses",
        [
            {"role": "user", "content": "hello"},
            {"role": "assistant", "content": "good day"},
            {"role": "developer", "content": "Be brief."},
        ],
    )
    assert user.content == ("hello",) and system.system == "Be brief."
    assert reply.reply is not None and reply.reply.parts[0].text == "good day"  # type: ignore[union-attr]


def test_a_result_ends_a_reply() -> None:
    """What follows it is the next one."""
    call = {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"}
    out = {"type": "function_call_output", "call_id": "c", "output": "x"}
    found = [*listed("responses", [call, out, {**call, "call_id": "d"}])]
    assert [bool(one.reply) for one in found] == [True, False, True]


def test_a_result_without_a_call() -> None:
    """It says of no call what came of it."""
    with pytest.raises(BadMessage, match="no `call_id`"):
        [*listed("responses", [{"type": "function_call_output", "output": "x"}])]
