"""The lines of lowered messages: whose words they show."""

import pytest

import loom
from loom.compress.entry_line import entry_line
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


@pytest.mark.parametrize(("text", "kind"), [(SUMMARY, ""), ("Never push.", "summary")])
def test_a_summary_is_not_shown_as_the_users_words(opened: Open, text: str, kind: str) -> None:
    """Known by its form or by what the host says, a client's summary is labelled."""
    ctx = opened(window=20_000)
    ctx.user(text, kind=kind)
    assert "not the user's words) " in entry_line(last(ctx), Detail.COMPACT, shown)
