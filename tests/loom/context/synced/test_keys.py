"""What a message is known by: what it says, however it is written."""

from __future__ import annotations

from typing import Any

import pytest

from loom.context.synced.keys import known_by
from loom.context.synced.reading import HostMessages
from loom.providers.formats.listing import BadMessage, listed


def test_usage_and_names_of_a_message_do_not_count() -> None:
    """What a client keeps beside a message is not what it says; its id is kept."""
    plain = {"role": "user", "content": "hello"}
    [one, two] = listed("openai", [plain, {**plain, "id": "m7", "usage": {"tokens": 3}}])
    assert known_by(one, "").key == known_by(two, "").key
    assert (known_by(one, "").id, known_by(two, "").id) == ("", "m7")


def test_a_text_that_no_encoding_takes_has_one() -> None:
    """Half of a surrogate pair, as a cut stream leaves it, is hashed all the same."""
    [one] = listed("openai", [{"role": "user", "content": "\ud800"}])
    assert known_by(one, "").key


def test_a_message_that_holds_itself() -> None:
    """A circle is no message."""
    part: dict[str, Any] = {"type": "odd"}
    part["part"] = part
    with pytest.raises(BadMessage):
        HostMessages("openai", "").update([{"role": "user", "content": [part]}])
