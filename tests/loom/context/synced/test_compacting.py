"""What a client does to a list it has compacted: edits, summaries of summaries, cleared results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import loom
from tests.kit.cases import all_cases
from tests.kit.chat_lists import SUMMED, called, result, said, texts, told, turns, user

SUMMARY = user("SUM " + "It was read and noted. " * 40)
AGAIN = user("SUM2 " + "It was read and noted. " * 40)


@pytest.fixture
def ctx(tmp_path: Path):  # type: ignore[no-untyped-def]
    """A context with room."""
    with loom.open(tmp_path / "w", window=64_000, durable=False) as made:
        yield made


def grown(ctx: loom.Context, listed: list[Any]) -> list[Any]:
    """Give a list as it grew, a message at a time where no call waits."""
    for at, one in enumerate(listed, 1):
        if not one.get("tool_calls"):
            ctx.sync(listed[:at])
    return listed


def session(ctx: loom.Context) -> list[Any]:
    """A task, what was asked and done, and a question; compacted to a summary and the newest."""
    listed = grown(ctx, [
        user("task"), said("a0"), user("Drop A."), called(("c1", "drop", '{"table": "A"}')),
        result("c1", "dropped"), said("done"), user("q3"),
    ])  # fmt: skip
    compacted = [SUMMARY, *listed[2:]]
    assert "SUM" in told(ctx, compacted)
    return compacted


@all_cases("first", [2, 4])
@all_cases("then", [0, 2, 3])
@all_cases("task", [[], [user("Never touch f3.")]])
@all_cases("more", [[], [user("Q4")]])
def test_a_trimmed_list_that_grows_longer_again(
    ctx: loom.Context, first: int, then: int, task: list[Any], more: list[Any]
) -> None:
    """How much a host shows may vary: what it shows again is what it was, and its user's."""
    talk = [user("Q1"), said("A1"), user("Q2"), said("A2"), user("Q3"), said("A3")]
    listed = [*task, *talk]
    ctx.sync(listed)
    ctx.sync([*task, *talk[first:]])
    assert texts(ctx, [*task, *talk[then:], *more]) == [one["content"] for one in [*listed, *more]]
    assert ctx.window.history.next_id == len(listed) + len(more) + 1


def test_a_second_summary_is_none_of_an_edit(ctx: loom.Context) -> None:
    """It is as long as the first, which it takes the place of: nothing is undone."""
    compacted = session(ctx)
    work = [said("On it."), user("go"), called(("c2", "make", "{}")), result("c2", "made")]
    grown(ctx, [*compacted, *work, said("a2"), user("q4")])
    request = told(ctx, [AGAIN, user("q4")])
    assert "undone" not in request and "made" in request
    assert request.count("SUM2") == 1 == request.count("'q4'")


def test_a_call_whose_id_was_used_before_is_another(ctx: loom.Context) -> None:
    """Behind a summary a server counts its calls from the start."""
    call, again = ("f:0", "bash", '{"command": "cat a"}'), ("f:0", "bash", '{"command": "pytest"}')
    grown(ctx, [user("t"), called(call), result("f:0", "A text"), said("x"), user("q"), said("y")])
    listed = [SUMMARY, called(again), result("f:0", "3 FAILED"), said("they fail"), user("sure?")]
    request = told(ctx, listed)
    assert "pytest" in request and "3 FAILED" in request and "> they fail" not in request


def test_old_results_that_were_cleared(ctx: loom.Context) -> None:
    """A word stands for each in the list; here they stand, and nothing is undone."""
    listed: list[Any] = [user("task")]
    for at in range(6):
        call = called((f"c{at}", "bash", f'{{"command": "make {at}"}}'))
        listed += [call, result(f"c{at}", f"made {at} " * 30)]
        ctx.sync(listed)
    made = ctx.window.history.next_id
    for gone in (1, 3):
        listed[2 * gone] = result(f"c{gone - 1}", "[cleared]")
        request = told(ctx, listed)
        assert "[cleared]" not in request and "made 0 made 0" in request
    assert ctx.window.history.next_id == made
    assert told(ctx, listed) == request


@pytest.mark.parametrize(
    "listed",
    [
        [SUMMED, *turns("q2", "a2", "q3")],
        [*turns("task"), *turns("q1"), SUMMED, *turns("q3")],
    ],
)
def test_a_summary_of_the_providers_before_what_is_known(
    ctx: loom.Context, listed: list[Any]
) -> None:
    """It is sent on wherever it stands in the list."""
    ctx.sync(turns("task", "a0", "q1", "a1", "q2", "a2", "q3"), "responses")
    request = told(ctx, listed, "responses")
    assert "'encrypted_content': 'ENC'" in request
    assert request.count("'q3'") == 1 and "undone" not in request
    assert told(ctx, listed, "responses") == request
