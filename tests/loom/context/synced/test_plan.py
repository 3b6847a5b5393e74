"""What became of a list, told from what its messages are known by."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.context.synced.heads import same_head
from loom.context.synced.keys import known_by
from loom.context.synced.plan import How, ListPlan, planned
from loom.context.synced.reading import HostMessages
from loom.providers.formats.listing import BadMessage, listed
from loom_partitions.synced import SyncedMessage
from tests.kit.cases import all_cases


def told(text: str) -> list[SyncedMessage]:
    """Messages by letters: U a long one of the user, u v w short ones, others replies."""
    return [
        SyncedMessage(one, "user" if one in "uvwU" else "assistant", 9_000 if one == "U" else 90)
        for one in text
    ]


def plan(known: str, given: str, compacted: bool | None = None) -> ListPlan:
    """The plan for two lists."""
    return planned(told(known), told(given), same_head([*known], [*given]), compacted)


CASES = {
    "nothing": ("", "", How.EXTENDED, 0, 0, 0),
    "the first list": ("", "ua", How.EXTENDED, 0, 0, 0),
    "an equal list": ("uavb", "uavb", How.EXTENDED, 4, 0, 0),
    "a message more": ("uavb", "uavbw", How.EXTENDED, 4, 0, 0),
    "cut short": ("uavb", "uav", How.EDITED, 3, 0, 0),
    "emptied": ("uavb", "", How.EDITED, 0, 0, 0),
    "another end": ("uavb", "uaw", How.EDITED, 2, 0, 0),
    "another message of the same length": ("uavbwc", "uawbwc", How.EDITED, 2, 0, 0),
    "another first message": ("uavb", "wavb", How.EDITED, 0, 0, 0),
    "a summary and the newest": ("uavbwc", "Uwc", How.COMPACTED, 0, 2, 1),
    "a summary behind the first": ("uavbwc", "uUwc", How.COMPACTED, 1, 2, 1),
    "a summary, the newest, and more": ("uavbwc", "Uwcd", How.COMPACTED, 0, 2, 1),
    "a summary alone": ("uavbwc", "U", How.COMPACTED, 0, 0, 1),
    "a short text alone": ("uavbwc", "w", How.EDITED, 0, 0, 0),
    "stopped in the middle": ("uavb", "uaw", How.EDITED, 2, 0, 0),
    "a long text in the middle": ("uavbwc", "uaU", How.EDITED, 2, 0, 0),
    "a summary behind what the user said": ("uavbwc", "uvU", How.COMPACTED, 1, 0, 2),
    "another reply to a text that was repeated": ("uavbvcv", "udv", How.EDITED, 1, 0, 0),
    "a text in place of some, and the last question": ("uavbw", "uvw", How.EDITED, 1, 0, 0),
    "the head trimmed": ("uavbwc", "wc", How.COMPACTED, 0, 2, 0),
}


@all_cases("case", CASES)
def test_what_became_of_a_list(case: str) -> None:
    """Grown, taken back, or made smaller."""
    known, given, how, keep, tail, instead = CASES[case]
    found = plan(known, given)
    assert (found.how, found.keep) == (how, keep)
    if how is How.COMPACTED:
        assert (found.tail, found.instead) == (tail, instead)


@given(st.lists(st.integers(0, 2), max_size=20), st.lists(st.integers(0, 2), max_size=20))
def test_it_is_the_first_difference(one: list[int], other: list[int]) -> None:
    """Whatever the lists, it is what a loop over both finds."""
    pairs = enumerate(zip(one, other, strict=False))
    expected = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    assert same_head(one, other) == expected


def test_what_cannot_be_compared_differs() -> None:
    """An object whose comparison raises is another one each time."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not me")

        __hash__ = None  # type: ignore[assignment]

    assert same_head([1, Odd(), 2], [1, Odd(), 2]) == 1


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
