"""Lists of Anthropic's."""

from __future__ import annotations

import pytest

from loom.providers.formats.listing import BadMessage, listed

RESULT = {"type": "tool_result", "tool_use_id": "t1", "content": "out"}


def test_results_and_words_in_one_message() -> None:
    """The results are a message, and the words behind them one of their own, of no other block."""
    [results, words, alone] = listed(
        "anthropic",
        [
            {"role": "user", "content": [RESULT, {"type": "text", "text": "and now?"}]},
            {"role": "user", "content": [RESULT]},
        ],
    )
    assert (words.content, words.many) == (("and now?",), 0) and not words.results
    assert results.content is None is alone.content and results.results == alone.results


def test_a_result_that_failed() -> None:
    """It says so."""
    [one] = listed("anthropic", [{"role": "user", "content": [{**RESULT, "is_error": True}]}])
    assert one.results[0].error


def test_an_image_in_a_result_is_kept() -> None:
    """Its content stays a list of parts; texts alone are one text."""
    image = {"type": "image", "source": {"type": "url", "url": "https://example.org/a.png"}}
    text = {"type": "text", "text": "seen"}
    given = [
        {"role": "user", "content": [{**RESULT, "content": [text, *more]}]}
        for more in ([image], [text])
    ]
    [shown, told] = listed("anthropic", given)
    assert shown.results[0].content == [text, image]
    assert told.results[0].content == "seen\nseen"


def test_a_result_without_a_call() -> None:
    """It says of no call what came of it."""
    with pytest.raises(BadMessage, match="no `tool_use_id`"):
        [*listed("anthropic", [{"role": "user", "content": [{"type": "tool_result"}]}])]
