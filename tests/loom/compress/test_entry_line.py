"""The lines of lowered messages: whose words they show."""

from __future__ import annotations

import pytest

import loom
from loom.compress.entry_line import line
from loom.reduce.clauses import CUT, LIMITED, LONG
from loom_partitions.message import Detail, UserTurn
from tests.kit.opened import Open

SUMMARY = "This session is being continued from a previous conversation. Never push."


def last(ctx: loom.Context) -> UserTurn:
    """The newest entry, a message."""
    turn = next(ctx.window.history.stream.entries_back)
    assert isinstance(turn, UserTurn)
    return turn


def shown(ref: str) -> str:
    """No text here rests in a page."""
    raise AssertionError(ref)


def test_what_was_typed_stands_without_a_label(opened: Open) -> None:
    """A message of the user's is shown under its name alone."""
    ctx = opened(window=20_000)
    ctx.user("Never push.")
    assert line(last(ctx), Detail.COMPACT, shown) == "user_0001: Never push."


@pytest.mark.parametrize(("text", "kind"), [(SUMMARY, ""), ("Never push.", "summary")])
def test_a_summary_is_not_shown_as_the_users_words(opened: Open, text: str, kind: str) -> None:
    """Known by its form or by what the host says, a client's summary is labelled."""
    ctx = opened(window=20_000)
    ctx.user(text, kind=kind)
    assert "not the user's words) " in line(last(ctx), Detail.COMPACT, shown)


RULE = (
    "You may refactor client 7 as you see fit and also rename its helpers and split up its long"
    " functions, but under no circumstances delete its old retry code."
)


@pytest.mark.parametrize("detail", [Detail.REDUCED, Detail.COMPACT])
def test_the_line_of_a_message_says_what_was_said(opened: Open, detail: Detail) -> None:
    """Whole clauses, and that more follows that limits them; never half a ban."""
    ctx = opened(window=200_000)
    for text in (RULE, RULE * 4, f"Mend it, {RULE}", "never push " * 40):
        ctx.user(text)
        made = line(last(ctx), detail, ctx._engine.workspace.read).partition(": ")[2]
        prefix = made.removesuffix(LIMITED).removesuffix(CUT)
        assert made == LONG or text.startswith(prefix)
        assert "no circumstances" not in made.replace("no circumstances delete its old", "")
