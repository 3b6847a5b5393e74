"""What a list says is what the request says: each result with its call, the last word last."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.chat_lists import called, result, said, told, user


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room, whose tools are the host's."""
    policy = loom.Policy(own_tools=False)
    with loom.open(tmp_path / "w", window=64_000, durable=False, policy=policy) as made:
        yield made


def status(id: str) -> dict[str, Any]:
    """The same call every time, under another id."""
    return called((id, "status", "{}"))


def test_a_head_removed_between_two_of_one_call(ctx: loom.Context) -> None:
    """The oldest messages go, and what is left has a call of theirs again."""
    one = [user("Watch."), called(("c1", "status", "{}")), result("c1", "RED: 3 tests fail")]
    two = [status("c2"), result("c2", "GREEN: all pass"), said("Now it is green."), user("Deploy?")]
    ctx.sync(one)
    ctx.sync([*one, *two])
    request = told(ctx, two)
    assert request.count("GREEN: all pass") == 1 == request.count("Deploy?")
    assert "Watch." in request


def test_a_second_result_of_a_call_is_told(ctx: loom.Context) -> None:
    """Some hosts list one again when a job has ended; what was said before is not told twice."""
    start = [user("go"), status("c1"), result("c1", "started"), said("It runs."), user("And?")]
    request = told(ctx, [*start, result("c1", "FINISHED 42"), user("Well?")])
    assert "another result of call c1" in request and "FINISHED 42" in request
    assert request.index("FINISHED 42") < request.index("Well?")
    request = told(
        ctx, [*start, result("c1", "FINISHED 42"), user("Well?"), result("c1", "started")]
    )
    assert request.count("started") == 1


def test_system_messages_in_the_middle_hold_in_their_order(ctx: loom.Context) -> None:
    """One said again is the last word; each stands where it was said, before and after a cut."""
    messages: list[Any] = [{"role": "system", "content": "You plan."}]
    for at, mode in enumerate(("PLAN", "ACT", "PLAN")):
        messages += [user(f"q{at}"), said(f"a{at}"), {"role": "system", "content": f"mode: {mode}"}]
        ctx.sync(messages)
    request = told(ctx, [*messages, user("q4")])
    places = [request.rindex(f"mode: {mode}") for mode in ("ACT", "PLAN")]
    assert places == sorted(places) and request.count("mode: PLAN") == 2
    ctx.renew()
    request = told(ctx, [*messages, user("q4")])
    assert request.rindex("mode: ACT") < request.rindex("mode: PLAN")


def test_one_exchange_taken_out_is_an_edit(ctx: loom.Context) -> None:
    """What the user deletes in the middle is not said to the model again."""
    listed = [user("A"), said("a"), user("my secret"), said("ok"), user("B"), said("b"), user("C")]
    ctx.sync(listed)
    request = told(ctx, [*listed[:2], *listed[4:]])
    assert "my secret" not in request and request.count("'B'") == 1


@pytest.mark.parametrize("given", [{"system": 5}, {"compacted": "yes"}])
def test_odd_arguments_are_refused(ctx: loom.Context, given: dict[str, Any]) -> None:
    """Before anything is done, by name."""
    with pytest.raises(loom.BadArgument, match=next(iter(given))):
        ctx.sync([user("go")], **given)
    assert ctx.window.history.next_id == 1
