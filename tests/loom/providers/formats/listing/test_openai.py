"""Lists of Chat Completions."""

from __future__ import annotations

import pytest

from loom.providers.formats.listing import BadMessage, listed


def test_instructions_of_either_role() -> None:
    """The system's and the developer's, as text or as parts."""
    parts = [{"type": "text", "text": "Be"}, {"type": "text", "text": "brief."}]
    given = [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": parts}]
    assert [one.system for one in listed("openai", given)] == ["Be brief.", "Be\n\nbrief."]


def test_a_result_of_the_old_kind_names_its_function() -> None:
    """Of the calls there were before tools."""
    [one] = listed("openai", [{"role": "function", "name": "look", "content": "seen"}])
    assert (one.results[0].call_id, one.results[0].content) == ("look", "seen")


def test_a_result_without_a_call() -> None:
    """It says of no call what came of it."""
    with pytest.raises(BadMessage, match="no `tool_call_id`"):
        [*listed("openai", [{"role": "tool", "content": "x"}])]
