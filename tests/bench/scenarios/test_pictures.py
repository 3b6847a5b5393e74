"""Pictures take room; facts and rules stand in the words beside them."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from loom_bench.scenarios import session_of
from loom_bench.session import HALVES, ChangingValue, FactDue, StandingRule, Wire
from loom_bench.wires import WireReader
from tests.kit.owed import said

both = pytest.mark.parametrize("half", HALVES)
SEEDS = st.integers(1, 100_000)
FEW = settings(max_examples=5, deadline=None)


def shows(message: Wire) -> bool:
    """True for a message with an image."""
    content = message.get("content")
    return isinstance(content, list) and any(part["type"] == "image_url" for part in content)


@both
@given(seed=SEEDS)
@FEW
def test_what_matters_stands_beside_a_picture(half: str, seed: int) -> None:
    """And nowhere else: who drops the message with its picture has lost it."""
    session = session_of("pictures", seed, half)
    owed = session.owed(FactDue) + session.owed(StandingRule)
    assert len(session.owed(ChangingValue)) == 3
    for one in owed:
        text = one.value if isinstance(one, FactDue) else one.text
        holders = [at for at, message in enumerate(session.messages) if text in said(message)]
        assert holders == [one.at]
        assert shows(session.messages[one.at])


@both
@given(seed=SEEDS)
@FEW
def test_pictures_take_room_of_many_sizes(half: str, seed: int) -> None:
    """Some thousands of tokens beyond the words, in pictures that differ."""
    session = session_of("pictures", seed, half)
    pictures = [message for message in session.messages if shows(message)]
    words = [{**message, "content": said(message)} for message in pictures]
    reader = WireReader()
    assert reader.count(pictures) - reader.count(words) > 6_000
    urls = [part["image_url"]["url"] for one in pictures for part in one["content"][1:]]
    assert len(urls) >= 18 and len(set(urls)) == len(urls)
