"""Lists of Anthropic's."""

from __future__ import annotations

import pytest

from loom.providers.formats.listing import BadMessage, listed


def test_a_result_without_a_call() -> None:
    """It says of no call what came of it."""
    with pytest.raises(BadMessage, match="no `tool_use_id`"):
        [*listed("anthropic", [{"role": "user", "content": [{"type": "tool_result"}]}])]
