"""A reply nobody named follows the preset at each window; one that was named stays."""

from __future__ import annotations

import pickle
import warnings
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.opened import Open, opened_with

opened = opened_with()


def sizes(ctx: loom.Context) -> tuple[int, int]:
    """Window and reply."""
    return ctx.window.limits.window, ctx.window.limits.reply


def test_a_named_reply_stays(opened: Open) -> None:
    """It gives way to a smaller window, and comes back with a larger one."""
    ctx = opened(window=32_000, reply=5_000)
    ctx.resize(64_000)
    assert sizes(ctx) == (64_000, 5_000)
    ctx.resize(8_000)
    assert sizes(ctx) == (8_000, 2_000)
    assert sizes(opened(window=64_000)) == (64_000, 5_000)


@all_cases("name", ["window", "reply"])
@all_cases("value", ["8192", 8_192.5, float("nan"), True])
def test_what_is_no_number_of_tokens(opened: Open, name: str, value: Any) -> None:
    """Opening and resizing say what to give, and change nothing."""
    with pytest.raises(loom.LoomError, match=f"{name}=.*whole number of tokens"):
        opened(**{name: value})
    ctx = opened(window=16_000)
    before = ctx.window
    with pytest.raises(loom.LoomError, match=f"{name}=.*whole number of tokens"):
        ctx.resize(**{"window": 16_000, name: value})
    assert ctx.window is before


@pytest.mark.parametrize("reply", [0, -1])
def test_a_reply_of_nothing(opened: Open, reply: int) -> None:
    """The error says that it is the reply that is wrong, at the door and when it is changed."""
    with pytest.raises(loom.LoomError, match=f"reply={reply}: give .* above 0"):
        opened(reply=reply)
    ctx = opened(window=16_000)
    with pytest.raises(loom.LoomError, match=f"reply={reply}: give .* above 0"):
        ctx.resize(16_000, reply)


def test_tools_that_are_no_list(opened: Open) -> None:
    """The error says what to give."""
    with pytest.raises(loom.LoomError, match="tools= is a list of tools"):
        opened(tools=5)


def test_another_policy_is_told_of(opened: Open) -> None:
    """The workspace keeps its own, and a warning names in which fields they differ."""
    opened(policy="eager")
    with pytest.warns(loom.PolicyIgnored, match="keeps the one it was made with") as told:
        ctx = opened(policy="lazy")
    assert ctx.window.config.policy["preset"] == "eager"
    warning = told[0].message
    assert isinstance(warning, loom.PolicyIgnored)
    assert "preset" in warning.fields
    again = pickle.loads(pickle.dumps(warning))
    assert (str(again), again.fields) == (str(warning), warning.fields)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        opened()


def test_kinds_that_weigh(opened: Open) -> None:
    """A kind there is not: the error names those there are."""
    with pytest.raises(loom.LoomError, match="user, said, old, new"):
        opened(policy=loom.Policy(kind_weights={"reed": 3}))  # type: ignore[dict-item]
