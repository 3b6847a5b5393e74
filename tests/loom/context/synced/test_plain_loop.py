"""A list that only grows asks the provider for what the plain loop asks for, byte for byte."""

from __future__ import annotations

import re
import shutil
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import loom
from loom.context.synced.sync import INSTRUCTIONS
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
