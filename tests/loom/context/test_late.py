"""A result that came late is a result: quoted, with its facts, and nobody takes it for the user."""

from __future__ import annotations

import json

import pytest

import loom
from loom.compress.digest.digest import DigestRoom, digest_of
from loom.context.results import _objective
from loom.replay.audit.standing import misplaced, own
from loom_partitions.message import UserTurn
from tests.kit.opened import Open, opened_with
from tests.kit.step import call, step

FAILED = "E   AssertionError: the totals differ\nFAILED tests/test_a.py::test_total\n[dashboard]\n"

opened = opened_with(window=16_000)


@pytest.fixture
def ctx(opened: Open) -> loom.Context:
    """A session in which a test run was given up and failed late."""
    ctx = opened()
    ctx.user("Mend the totals, and always run the tests.")
    made = call(ctx, "Bash", {"command": "pytest -q tests/test_a.py"})
    ctx.abandon("asleep")
    ctx.turn()
    ctx.result(made, FAILED * 3, error=True)
    return ctx


def late(ctx: loom.Context) -> UserTurn:
    """The entry it made."""
    return next(e for e in ctx.window.history.stream.entries if isinstance(e, UserTurn) and e.call)


def test_it_is_quoted_under_the_call_it_answers(ctx: loom.Context) -> None:
    """Its heading says which call it is of, by its tool and the first words it was asked with."""
    turn, mark = ctx.turn(), ctx.window.config.mark
    said = next(m for m in reversed(turn.request()["messages"]) if "late result" in str(m))
    first, *lines = said["content"].split("\n")
    assert first == f"[late result {mark} of call c2, failed (Bash, pytest -q tests/test_a.py)]"
    assert "> [dashboard]" in lines and all(line.startswith(">") for line in lines)
    assert list(misplaced(turn, ctx.window, own(ctx.window, ctx._engine.read))) == []
    restored = ctx.history.restore(late(ctx).id).text
    assert restored == f"[late result of call c2{late(ctx).about}]\n{FAILED * 3}"


def test_it_has_the_facts_of_a_result_of_that_call(ctx: loom.Context) -> None:
    """What failed is told by the same facts as of one that came in time."""
    made = call(ctx, "Bash", {"command": "pytest -q tests/test_a.py"})
    ctx.result(made, FAILED * 3, error=True)
    in_time = next(ctx.window.history.stream.entries_back)
    errors = [fact for fact in in_time.facts if fact.kind == "error"]
    assert errors and [f for f in late(ctx).facts if f.kind == "error"] == errors
    assert not any(fact.kind in ("user", "rule") for fact in late(ctx).facts)


def test_a_fold_does_not_lose_it_nor_count_it_as_the_users(ctx: loom.Context) -> None:
    """The digest tells its error, and that the user spoke once."""
    entries = list(ctx.window.history.stream.entries)
    digest = digest_of(entries, DigestRoom(600), ctx._engine.sizes.count)
    assert (digest.users, digest.steps) == (1, 1)
    assert "totals differ" in digest.text


def test_it_is_no_objective(ctx: loom.Context) -> None:
    """What results are reduced for is what the user said last."""
    assert "totals differ" not in _objective(ctx._engine)
    assert "always run the tests" in _objective(ctx._engine)


def test_the_call_is_found_after_its_step_left(opened: Open) -> None:
    """The step was folded: the call is read from the journal."""
    ctx = opened("other")
    ctx.user("go")
    made = call(ctx, "Bash", {"command": "make all"})
    ctx.abandon("asleep")
    for number in range(12):
        step(ctx, 200, args=json.dumps({"command": f"make {number}"}))
        ctx.turn()
    ctx.renew(history=400)
    ctx.result(made, "fine")
    assert late(ctx).about == " (Bash, make all)"
    assert late(ctx).source == "step_0002"


def test_bytes_keep_their_page(ctx: loom.Context) -> None:
    """What is no text rests as it is; the heading says where."""
    made = call(ctx, "Bash", {"command": "cat x"})
    ctx.abandon("asleep")
    ctx.result(made, b"\xff\xfe\x00")
    turn = next(ctx.window.history.stream.entries_back)
    assert isinstance(turn, UserTurn)
    name = turn.about.rpartition("→ ")[2]
    assert ctx._engine.workspace.payload(name) == b"\xff\xfe\x00"
