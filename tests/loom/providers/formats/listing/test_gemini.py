"""Lists of Gemini's contents."""

from __future__ import annotations

import pytest

from loom.providers.formats.listing import BadMessage, listed
from tests.kit.cases import all_cases


@all_cases("parts", [None, "text", ["text"], {}])
def test_parts_that_are_none(parts: object) -> None:
    """They are refused."""
    with pytest.raises(BadMessage, match="no list of parts"):
        [*listed("gemini", [{"role": "user", "parts": parts}])]
