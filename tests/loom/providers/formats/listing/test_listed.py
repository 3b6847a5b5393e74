"""A list read message by message, whichever provider's shape it has; junk is refused by number."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.inputs import Speech
from loom.providers.formats.listing import BadMessage, ListedMessage, listed
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, Resulted, Told, User, wire
from tests.kit.spoilt import CHANGES, Change, spoilt

ONE, TWO = Called("c1", "bash", "ls"), Called("c2", "read", "a.py")
SESSION: list[Told] = [
    User(("Look.", "Look well."), image=True),
    Replied("I look.", (ONE, TWO)),
    Resulted(ONE, "a\nb"),
    Resulted(TWO, "text"),
    Replied("Done."),
    User(("Go on.",)),
]


def said(messages: list[ListedMessage]) -> list[object]:
    """Who says what."""
    found: list[object] = []
    for one in messages:
        if one.reply is not None:
            text = "".join(part.text for part in one.reply.parts if isinstance(part, Speech))
            found.append((text, [call.name for call in one.reply.calls]))
        found += [result.content for result in one.results]
        found += [part if isinstance(part, str) else "<image>" for part in one.content or ()]
    return found


@all_cases("format", FORMATS)
def test_an_empty_list_has_no_message(format: str) -> None:
    """Nothing is read of nothing."""
    assert [*listed(format, [])] == []


@all_cases("format", FORMATS)
def test_each_format_says_the_same(format: str) -> None:
    """Texts, images, calls and results are read from each."""
    assert said([*listed(format, wire(format, SESSION))]) == [
        "Look.", "<image>", "Look well.", ("I look.", ["bash", "read"]), "a\nb", "text",
        ("Done.", []), "Go on.",
    ]  # fmt: skip


@all_cases("format", FORMATS)
def test_results_are_those_of_their_calls(format: str) -> None:
    """By the id of the call, or where a format has none by the tool's name."""
    read = [*listed(format, wire(format, SESSION))]
    [reply] = [one.reply for one in read if one.reply is not None and one.reply.calls]
    results = [result.call_id for one in read for result in one.results]
    assert results == [call.id for call in reply.calls]


@all_cases("format", FORMATS)
def test_from_a_message_on(format: str) -> None:
    """Read from any message it says what the rest of the whole says."""
    messages = wire(format, SESSION)
    whole, at = [*listed(format, messages)], 0
    for number, one in enumerate(whole):
        assert [*listed(format, messages, at)] == whole[number:]
        at += one.many
    assert at == len(messages)


def test_a_format_nobody_reads() -> None:
    """It is refused by name."""
    with pytest.raises(loom.UnknownFormat):
        [*listed("nobodys", [])]


@all_cases("format", FORMATS)
def test_a_role_there_is_not(format: str) -> None:
    """The error says which message, and which roles there are."""
    bad = {"role": "nobody", "content": "x", "parts": [{"text": "x"}]}
    with pytest.raises(BadMessage, match=r"nobody.*is none of") as caught:
        [*listed(format, [*wire(format, SESSION), bad])]
    assert caught.value.number == len(wire(format, SESSION))


@pytest.mark.parametrize("format", FORMATS)
@given(CHANGES)
def test_junk_is_read_or_refused(format: str, changes: list[Change]) -> None:
    """Whatever stands in a list, it raises BadMessage, or is read."""
    messages: Any = spoilt(wire(format, SESSION), changes)
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        return
    try:
        found = [*listed(format, messages)]
    except BadMessage as error:
        assert 0 <= error.number <= len(messages) and str(error)
    else:
        assert sum(one.many for one in found) == len(messages)


@given(st.integers(0, 4), st.booleans(), st.booleans())
def test_items_of_replies_in_a_row(calls: int, reasoned: bool, spoken: bool) -> None:
    """In the Responses format two messages in a row are two replies, calls belong to the last."""
    reasoning = [{"type": "reasoning", "id": "r1", "summary": []}] if reasoned else []
    text = [{"type": "message", "role": "assistant", "content": "a"}] if spoken else []
    made = [
        {"type": "function_call", "call_id": f"c{at}", "name": "f", "arguments": "{}"}
        for at in range(calls)
    ]
    items = [*reasoning, *text, *made]
    [*found] = listed("responses", [*items, {"role": "user", "content": "x"}])
    assert [one.many for one in found] == ([len(items)] if items else []) + [1]
    if text and not made:
        assert len([*listed("responses", [*items, *items])]) == 2
