"""Lists of items of the Responses format."""

from __future__ import annotations

import pytest

from loom.providers.formats.listing import BadMessage, listed


def test_a_result_without_a_call() -> None:
    """It says of no call what came of it."""
    with pytest.raises(BadMessage, match="no `call_id`"):
        [*listed("responses", [{"type": "function_call_output", "output": "x"}])]
