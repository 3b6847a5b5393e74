"""A list that only grows asks for what the plain loop asks for; and what became of a list."""

import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.context.synced.host_messages import HostMessages, equal_head_size
from loom.context.synced.list_plan import ListFate, plan_list
from loom.context.synced.message_keys import synced_message
from loom.context.synced.sync import INSTRUCTIONS
from loom.errors import BadInput
from loom.providers.formats.listing.readers import read_list
from loom_partitions.journaled import SyncedMessage
from tests.kit.cases import all_cases
from tests.kit.hosts import FORMATS, Called, Replied, Resulted, Told, User, enveloped, wire

WINDOW = 8_192
ROUNDS = st.lists(
    st.tuples(
        st.integers(0, 3),  # calls of the reply
        st.booleans(),  # and it speaks
        st.sampled_from([3, 60, 1_500]),  # words of each result
        st.booleans(),  # the user goes on afterwards
    ),
    min_size=1,
    max_size=14,
)
Round = tuple[int, bool, int, bool]


@settings(max_examples=settings.default.max_examples // 2)
@given(ROUNDS, st.sampled_from(FORMATS), st.booleans())
def test_any_list_that_grows(rounds: list[Round], format: str, own: bool) -> None:
    """Whoever calls `user`, `reply` and `result` sends the same."""
    versions(rounds, format, own)


@all_cases("format", FORMATS)
@all_cases("rounds", [[(2, True, 1_500, True)] * 6, [(1, False, 60, False)] * 60])
def test_lists_that_outgrow_the_window(rounds: list[Round], format: str) -> None:
    """So they do where both cut and begin fresh windows."""
    assert len(versions(rounds, format, own=True)) > 1


def versions(rounds: list[Round], format: str, own: bool) -> set[int]:
    """Give a list that grows to both, compare what they ask for; the versions its window had."""
    policy = loom.Policy(own_tools=own)
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        one, other = Path(folder) / "one", Path(folder) / "other"
        loom.open(one, durable=False, window=WINDOW, policy=policy).close()
        shutil.copytree(one, other)  # both have the same mark
        synced = stack.enter_context(loom.open(one, durable=False))
        plain = stack.enter_context(loom.open(other, durable=False))
        told: list[Told] = [User(("Fix the parser of parse.py.",))]
        plain.system("You build things.", INSTRUCTIONS)
        plain.user("Fix the parser of parse.py.")
        found = {_same(format, synced, plain, told)}
        for at, (many, speaks, words, goes_on) in enumerate(rounds):
            calls = tuple(Called(f"call_{at}_{n}", f"t{n}", f"w{at}") for n in range(many))
            reply = Replied(f"reply {at}" if speaks or not calls else "", calls)
            results = [Resulted(call, f"out {at} {call.name} " * words) for call in calls]
            message = [one for one in wire(format, [reply]) if not _is_system(one)]
            plain.reply({**enveloped(format, message, 1), "usage": None, "usage_metadata": None})
            for waiting, result in zip(plain.calls, results, strict=True):
                plain.result(waiting, result.text)
            told += [reply, *results]
            if goes_on or not calls:
                told.append(User((f"And then? {at}",)))
                plain.user(f"And then? {at}")
            found.add(_same(format, synced, plain, told))
        return found


def _same(format: str, synced: loom.Context, plain: loom.Context, told: list[Told]) -> int:
    messages = [one for one in wire(format, told) if not _is_system(one)]
    turn, other = synced.sync(messages, format, system="You build things."), plain.turn()
    assert _timeless(turn.request(format)) == _timeless(other.request(format))
    return turn.version


def _is_system(message: dict[str, Any]) -> bool:
    return message.get("role") in ("system", "developer")


def _timeless(request: dict[str, Any]) -> str:
    return re.sub(r"\d\d:\d\d:\d\d", "TIME", repr(request))


HOUR = {"type": "ephemeral", "ttl": "1h"}


def marks(request: dict[str, Any]) -> list[str]:
    """How long the marks of a request last, in its order."""
    blocks = [*request.get("tools", ()), *request.get("system", ())]
    blocks += [block for one in request["messages"] for block in one["content"]]
    return [one["cache_control"].get("ttl", "5m") for one in blocks if "cache_control" in one]


def test_marks_last_as_those_of_the_list(tmp_path: Path) -> None:
    """Five minutes where none says more; an hour where the list does, and until it does not, or
    where `cache_control` beside the messages says so. A longer mark stands before a shorter: the
    end of the list lasts as its last mark says, what is before as the longest."""
    said: dict[str, Any] = {"type": "text", "text": "hi"}
    with loom.open(tmp_path / "w", model="claude-opus-5", window=64_000) as ctx:
        ctx.system("Be careful.")
        for mark, wanted in (({"cache_control": HOUR}, "1h"), ({}, "5m")):
            turn = ctx.sync([{"role": "user", "content": [{**said, **mark}]}], "anthropic")
            assert {*marks(turn.request("anthropic"))} == {wanted}
        assert {*marks(ctx.turn().request("anthropic", cache_control=HOUR))} == {"1h"}
        short = {"cache_control": {"type": "ephemeral"}}
        talk = [
            {"role": "user", "content": [{**said, "cache_control": HOUR}]},
            {"role": "assistant", "content": [said]},
            {"role": "user", "content": [{**said, **short}]},
        ]
        found = marks(ctx.sync(talk, "anthropic").request("anthropic"))
    assert found == sorted(found, key=("1h", "5m").index) and {*found} == {"1h", "5m"}


def told(text: str) -> list[SyncedMessage]:
    """Messages by letters: U a long one of the user, u v w short ones, others replies."""
    return [
        SyncedMessage(one, "user" if one in "uvwU" else "assistant", 9_000 if one == "U" else 90)
        for one in text
    ]


CASES = {
    "nothing": ("", "", ListFate.EXTENDED, 0, 0, 0),
    "the first list": ("", "ua", ListFate.EXTENDED, 0, 0, 0),
    "an equal list": ("uavb", "uavb", ListFate.EXTENDED, 4, 0, 0),
    "a message more": ("uavb", "uavbw", ListFate.EXTENDED, 4, 0, 0),
    "cut short": ("uavb", "uav", ListFate.EDITED, 3, 0, 0),
    "emptied": ("uavb", "", ListFate.EDITED, 0, 0, 0),
    "another end": ("uavb", "uaw", ListFate.EDITED, 2, 0, 0),
    "another message of the same length": ("uavbwc", "uawbwc", ListFate.EDITED, 2, 0, 0),
    "another first message": ("uavb", "wavb", ListFate.EDITED, 0, 0, 0),
    "a summary and the newest": ("uavbwc", "Uwc", ListFate.COMPACTED, 0, 2, 1),
    "a summary behind the first": ("uavbwc", "uUwc", ListFate.COMPACTED, 1, 2, 1),
    "a summary, the newest, and more": ("uavbwc", "Uwcd", ListFate.COMPACTED, 0, 2, 1),
    "a summary alone": ("uavbwc", "U", ListFate.COMPACTED, 0, 0, 1),
    "a short text alone": ("uavbwc", "w", ListFate.EDITED, 0, 0, 0),
    "stopped in the middle": ("uavb", "uaw", ListFate.EDITED, 2, 0, 0),
    "a long text in the middle": ("uavbwc", "uaU", ListFate.EDITED, 2, 0, 0),
    "a summary behind what the user said": ("uavbwc", "uvU", ListFate.COMPACTED, 1, 0, 2),
    "another reply to a text that was repeated": ("uavbvcv", "udv", ListFate.EDITED, 1, 0, 0),
    "a text in place of some, and the last question": ("uavbw", "uvw", ListFate.EDITED, 1, 0, 0),
    "the head trimmed": ("uavbwc", "wc", ListFate.COMPACTED, 0, 2, 0),
}


@all_cases("case", CASES)
def test_what_became_of_a_list(case: str) -> None:
    """Grown, taken back, or made smaller."""
    known, given, how, keep, tail, instead = CASES[case]
    found = plan_list(told(known), told(given), equal_head_size([*known], [*given]), None)
    assert (found.how, found.keep) == (how, keep)
    if how is ListFate.COMPACTED:
        assert (found.tail, found.instead) == (tail, instead)


@given(st.lists(st.integers(0, 2), max_size=20), st.lists(st.integers(0, 2), max_size=20))
def test_it_is_the_first_difference(one: list[int], other: list[int]) -> None:
    """Whatever the lists, it is what a loop over both finds."""
    pairs = enumerate(zip(one, other, strict=False))
    expected = next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
    assert equal_head_size(one, other) == expected


def test_what_cannot_be_compared_differs() -> None:
    """An object whose comparison raises is another one each time."""

    class Odd:
        def __eq__(self, other: object) -> bool:
            raise RuntimeError("not me")

        __hash__ = None

    assert equal_head_size([1, Odd(), 2], [1, Odd(), 2]) == 1


def test_usage_and_names_of_a_message_do_not_count() -> None:
    """What a client keeps beside a message is not what it says; its id is kept."""
    plain = {"role": "user", "content": "hello"}
    [one, two] = read_list("openai", [plain, {**plain, "id": "m7", "usage": {"tokens": 3}}])
    assert synced_message(one, "").key == synced_message(two, "").key
    assert (synced_message(one, "").id, synced_message(two, "").id) == ("", "m7")


def test_a_text_that_no_encoding_takes_has_one() -> None:
    """Half of a surrogate pair, as a cut stream leaves it, is hashed all the same."""
    [one] = read_list("openai", [{"role": "user", "content": "\ud800"}])
    assert synced_message(one, "").key


def test_a_message_that_holds_itself() -> None:
    """A circle is no message."""
    part: dict[str, Any] = {"type": "odd"}
    part["part"] = part
    with pytest.raises(BadInput):
        HostMessages("openai", "").update([{"role": "user", "content": [part]}])
