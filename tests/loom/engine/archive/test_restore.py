"""Entries brought back from the journal, one by one and many at once."""

from __future__ import annotations

import pytest

from loom.engine.archive.restore import UnknownEntry, arrived_since
from tests.kit.opened import Open, opened_with

opened = opened_with()


def test_an_entry_that_is_not_there(opened: Open) -> None:
    """Of entries one of which is unknown, it is said which."""
    ctx = opened()
    ctx.user("Go on.")
    with pytest.raises(UnknownEntry, match="99"):
        list(arrived_since(ctx._engine.workspace, [1, 99]))
