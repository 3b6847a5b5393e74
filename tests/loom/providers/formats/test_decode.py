"""Telling the shapes of replies apart."""

from typing import Any

import pytest

from loom.providers.formats import UnknownReply, decode
from tests.kit.cases import all_cases


@all_cases(
    ("value", "given"),
    [
        (None, "NoneType"),
        (7, "int"),
        ({"output": []}, "'output'"),
        ({}, "(none)"),
        (object(), "object"),
        ([], "list"),
    ],
)
def test_unknown(value: Any, given: str) -> None:
    """A refusal says what was given and what would have been accepted."""
    with pytest.raises(UnknownReply) as caught:
        decode(value)
    assert given in str(caught.value)
    assert "Chat Completion" in caught.value.accepted
