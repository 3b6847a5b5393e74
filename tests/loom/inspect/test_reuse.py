import pytest
from msgspec.structs import replace

from loom.engine.sent_size import SentSize
from loom.inspect.reuse import PrefixReuse
from loom.providers.prices import prices_of
from loom_partitions.limits import Tokens


def of(tokens: int, **given: int) -> SentSize:
    """A request of so many tokens of history."""
    return SentSize(Tokens(history=tokens), **given)


def test_nothing_is_reused_at_first() -> None:
    """No request, and one alone."""
    assert PrefixReuse().share == 0.0
    one = PrefixReuse().with_request(of(100))
    assert (one.sent, one.reused, one.front, one.largest) == (100, 0, 100, 100)
    assert PrefixReuse().reported(of(7)) == PrefixReuse()


def test_a_request_begins_with_the_one_before() -> None:
    """All of that is reused, until a cut leaves less of it; of two the shorter front."""
    grown = PrefixReuse().with_request(of(100)).with_request(of(150))
    assert (grown.sent, grown.reused) == (250, 100)
    cut = grown.shortened(40).shortened(60).with_request(of(80))
    assert (cut.sent, cut.reused, cut.front) == (330, 140, 80)
    assert cut.share == 140 / 330


def test_no_more_is_reused_than_is_sent() -> None:
    """After an undo a request may be smaller than the front that stands."""
    assert PrefixReuse().with_request(of(100)).with_request(of(70)).reused == 70


def test_a_clients_part_is_reused_while_it_is_the_same() -> None:
    """It stands in front of the window; where it changed, nothing of it is in the cache."""
    one = PrefixReuse().with_request(of(100, beside=1_000)).with_request(of(150, beside=1_000))
    assert (one.sent, one.reused, one.largest) == (2_250, 1_100, 1_150)
    assert one.with_request(of(150, beside=1_001)).reused == 1_100 + 150


def test_what_a_provider_reports_takes_the_place_of_the_count() -> None:
    """Of the last request alone, as often as it is told, and its share of the cache with it."""
    first = PrefixReuse().with_request(of(100)).reported(of(100, reported=200))
    both = (
        first.with_request(of(200)).reported(of(200, reported=300)).reported(of(200, reported=500))
    )
    assert (first.sent, both.sent, both.reused, both.largest) == (200, 700, 250, 500)
    prices = prices_of("")
    assert both.cost(prices) == pytest.approx((250 * prices.read + 450 * prices.write) / 1e6)
    assert replace(both, last=None).largest == 200
