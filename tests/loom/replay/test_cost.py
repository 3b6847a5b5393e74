"""A recorded session as messages, and what its requests cost."""

import pytest

from loom.inputs import ClientCompaction, Reply, Session, Speech
from loom.providers.prices import Prices
from loom.replay.cost import Bill, CompactionTally, tally_compactions
from loom.replay.importers.recorded_facts import session_model

PRICES = Prices(input=3.0, read=0.3, write=3.75, output=15.0)


def test_what_is_read_and_written_is_priced_apart() -> None:
    """A million of each, at its price."""
    assert Bill().cost(PRICES) == 0.0
    assert Bill(sent=2_000_000, reused=1_000_000).cost(PRICES) == pytest.approx(0.3 + 3.75)


def test_compactions_are_added_up() -> None:
    """The window read, the summary written, what is left written to the cache anew."""
    assert tally_compactions((), len) == CompactionTally()
    told = (ClientCompaction(5, before=1_000, after=80, wrote=40), ClientCompaction(9, before=500))
    tally = tally_compactions(told, len)
    assert tally == CompactionTally(2, 1_500, 40, 80)
    assert tally.cost(PRICES) == pytest.approx((0.3 * 1_500 + 15 * 40 + 3.75 * 80) / 1e6)


def test_the_model_is_the_one_most_replies_name() -> None:
    """What a client wrote in its place is none; what the recording says counts first."""
    names = ["a", "b", "b", "", "<synthetic>", "<synthetic>", "<synthetic>"]
    events = tuple(Reply((Speech("x"),), model=name) for name in names)
    assert session_model(Session("s", events)) == "b"
    assert session_model(Session("s", events, model="c")) == "c"
    assert session_model(Session("s", events[3:])) == ""
