from loom.engine.reuse import PrefixReuse


def test_nothing_is_reused_at_first() -> None:
    """No request, and one alone."""
    assert PrefixReuse().share == 0.0
    assert PrefixReuse().with_request(100) == PrefixReuse(100, 0, 100)


def test_a_request_begins_with_the_one_before() -> None:
    """All of that is reused, until a cut leaves less of it; of two the shorter front."""
    grown = PrefixReuse().with_request(100).with_request(150)
    assert (grown.sent, grown.reused) == (250, 100)
    cut = grown.shortened(40).shortened(60).with_request(80)
    assert (cut.sent, cut.reused, cut.front) == (330, 140, 80)
    assert cut.share == 140 / 330


def test_no_more_is_reused_than_is_sent() -> None:
    """After an undo a request may be smaller than the front that stands."""
    assert PrefixReuse().with_request(100).with_request(70).reused == 70
