"""A list read again: what stands unchanged at its head is not."""

from __future__ import annotations

from typing import Any

import pytest

from loom.context.synced.reading import HostMessages, listed_in
from loom.providers.formats.listing import BadMessage
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, Resulted, Spelling, Told, User, wire


def long_list(many: int) -> list[Told]:
    """So many times a message, a call and its result."""
    told: list[Told] = []
    for at in range(many):
        call = Called(f"c{at}", f"tool{at}", "x")
        told += [User((f"go {at}",)), Replied(f"say {at}", (call,)), Resulted(call, f"out {at}")]
    return told


def test_nothing_is_read_of_an_equal_list() -> None:
    """Given again, or made anew, it is not looked into."""
    read = HostMessages("openai", "")
    read.update([])
    assert (read.messages, read.read_count) == ([], 0)
    read.update(wire("openai", long_list(3)))
    before = read.read_count
    read.update(wire("openai", long_list(3)))
    assert read.read_count == before == 10


@all_cases("format", FORMATS)
def test_what_is_read_is_what_is_new(format: str) -> None:
    """Of a long list as much as of a short one, with a mark that moves too."""
    counts = []
    for many in (10, 100):
        told, read = long_list(many), HostMessages(format, "")
        read.update(wire(format, told, Spelling(marked=True)))
        before = read.read_count
        told.append(User(("more",)))
        read.update(wire(format, told, Spelling(marked=True)))
        counts.append(read.read_count - before)
        again = HostMessages(format, "")
        again.update(wire(format, told))
        assert again.keys == read.keys == [one.key for one in read.known]
    assert counts[0] == counts[1] <= 3


@all_cases("format", FORMATS)
def test_each_growing_list_reads_as_the_whole_one(format: str) -> None:
    """Item by item, the calls of a reply in the Responses format one after another."""
    whole = wire(format, long_list(3))
    read = HostMessages(format, "")
    for many in range(len(whole) + 1):
        read.update(whole[:many])
        at_once = HostMessages(format, "")
        at_once.update(whole[:many])
        assert (read.messages, read.keys) == (at_once.messages, at_once.keys)


def test_a_message_changed_in_place_is_seen() -> None:
    """A host may change the very dicts it gave."""
    given = wire("openai", long_list(2))
    read = HostMessages("openai", "")
    read.update(given)
    before = [*read.keys]
    given[-1]["content"] = "another"
    given[2]["tool_calls"][0]["function"]["arguments"] = "{}"
    read.update(given)
    assert [at for at, key in enumerate(read.keys) if key != before[at]] == [2, 6]


@all_cases("bad", ["text", b"bytes", {"role": "user"}, 7, None])
def test_what_is_no_list(bad: Any) -> None:
    """It is refused, with a word on what it is."""
    with pytest.raises(BadMessage, match=f"a {type(bad).__name__} is no list"):
        listed_in(bad)


def test_a_bad_message_leaves_what_was_read() -> None:
    """The error names the message by its number."""
    read = HostMessages("openai", "")
    good = wire("openai", long_list(2))
    read.update(good)
    state = [*read.messages], [*read.keys]
    with pytest.raises(BadMessage) as caught:
        read.update([*good, {"role": "nobody"}])
    assert caught.value.number == len(good)
    assert ([*read.messages], [*read.keys]) == state
    read.update(good)
    assert read.read_count == len(good)


def test_a_message_that_holds_itself() -> None:
    """A circle is no message."""
    part: dict[str, Any] = {"type": "odd"}
    part["part"] = part
    with pytest.raises(BadMessage):
        HostMessages("openai", "").update([{"role": "user", "content": [part]}])
