"""A list read again: what stands unchanged at its head is not."""

from __future__ import annotations

from typing import Any

import pytest

from loom.context.synced.reading import HostMessages, listed_in
from loom.providers.formats.listing import BadMessage
from tests.kit.cases import all_cases


@all_cases("bad", ["text", b"bytes", {"role": "user"}, 7, None])
def test_what_is_no_list(bad: Any) -> None:
    """It is refused, with a word on what it is."""
    with pytest.raises(BadMessage, match=f"a {type(bad).__name__} is no list"):
        listed_in(bad)


def test_a_message_that_holds_itself() -> None:
    """A circle is no message."""
    part: dict[str, Any] = {"type": "odd"}
    part["part"] = part
    with pytest.raises(BadMessage):
        HostMessages("openai", "").update([{"role": "user", "content": [part]}])
