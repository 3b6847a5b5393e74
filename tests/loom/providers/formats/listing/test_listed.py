"""A list read message by message, whichever provider's shape it has; junk is refused by number."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import loom
from loom.errors import BadInput
from loom.inputs import Speech
from loom.providers.formats.listing import ListedMessage
from loom.providers.formats.listing.readers import read_list
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
def test_each_format_says_the_same(format: str) -> None:
    """Texts, images, calls and results are read from each."""
    assert [*read_list(format, [])] == []
    read = [*read_list(format, wire(format, SESSION))]
    assert said(read) == [
        "Look.", "<image>", "Look well.", ("I look.", ["bash", "read"]), "a\nb", "text",
        ("Done.", []), "Go on.",
    ]  # fmt: skip
    # By the id of the call, or where a format has none by the tool's name.
    [reply] = [one.reply for one in read if one.reply is not None and one.reply.calls]
    results = [result.call_id for one in read for result in one.results]
    assert results == [call.id for call in reply.calls]
    # Read from any message it says what the rest of the whole says.
    messages, at = wire(format, SESSION), 0
    for number, one in enumerate(read):
        assert [*read_list(format, messages, at)] == read[number:]
        at += one.many
    assert at == len(messages)


@all_cases("format", FORMATS)
def test_a_role_there_is_not(format: str) -> None:
    """The error says which message, and which roles there are; so is a format nobody reads."""
    with pytest.raises(loom.BadInput, match="no format"):
        [*read_list("nobodys", [])]
    bad = {"role": "nobody", "content": "x", "parts": [{"text": "x"}]}
    with pytest.raises(BadInput, match=r"nobody.*is none of") as caught:
        [*read_list(format, [*wire(format, SESSION), bad])]
    assert caught.value.kind == f"message {len(wire(format, SESSION))} of the list"


@pytest.mark.parametrize("format", FORMATS)
@given(CHANGES)
def test_junk_is_read_or_refused(format: str, changes: list[Change]) -> None:
    """Whatever stands in a list, it raises BadInput, or is read."""
    messages: Any = spoilt(wire(format, SESSION), changes)
    if not isinstance(messages, list) or not all(isinstance(one, dict) for one in messages):
        return
    try:
        found = [*read_list(format, messages)]
    except BadInput as error:
        number = int(error.kind.removeprefix("message ").removesuffix(" of the list"))
        assert 0 <= number <= len(messages) and str(error)
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
    [*found] = read_list("responses", [*items, {"role": "user", "content": "x"}])
    assert [one.many for one in found] == ([len(items)] if items else []) + [1]
    if text and not made:
        assert len([*read_list("responses", [*items, *items])]) == 2


@all_cases(
    ("format", "message", "why"),
    [
        ("openai", {"role": "tool", "content": "x"}, "no `tool_call_id`"),
        ("responses", {"type": "function_call_output", "output": "x"}, "no `call_id`"),
        ("anthropic", {"role": "user", "content": [{"type": "tool_result"}]}, "no `tool_use_id`"),
        *(("gemini", {"role": "user", "parts": p}, "no list of parts") for p in (None, ["x"], {})),
    ],
)
def test_what_cannot_be_read_is_refused(format: str, message: Any, why: str) -> None:
    """A result says of no call what came of it; parts are none."""
    with pytest.raises(BadInput, match=why):
        [*read_list(format, [message])]


def test_instructions_and_results_of_chat() -> None:
    """The system's and the developer's, as text or as parts; and calls there were before tools."""
    parts = [{"type": "text", "text": "Be"}, {"type": "text", "text": "brief."}]
    given = [{"role": "system", "content": "Be brief."}, {"role": "developer", "content": parts}]
    assert [one.system for one in read_list("openai", given)] == ["Be brief.", "Be\n\nbrief."]
    [one] = read_list("openai", [{"role": "function", "name": "look", "content": "seen"}])
    assert (one.results[0].call_id, one.results[0].content) == ("look", "seen")
