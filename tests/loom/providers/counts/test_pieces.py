"""The tokens of a text are those of its pieces, in every encoding that is taken apart."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from loom.providers.counts.counter import ADDS, LEAST, _batch_of, pieces
from loom.providers.counts.vocabulary import tiktoken_encoding

BLANK = ["\n", "\r", "\r\n", " ", "  ", "\t", "\x0b", "\x0c", "\x1c", "\x85", "\xa0", "\u2028"]
SAID = ["/", "//", "}", ");", ".", "-", "a", "Bc", "12", "3456", "'s", "'re", "é", "日本", "\u0301",
        "\u200b", "_", "return x", "🙂"]  # fmt: skip
TEXTS = st.lists(st.sampled_from(BLANK + SAID), min_size=1, max_size=60).map("".join)


def test_a_short_text_is_one_piece() -> None:
    """Nothing is taken apart that is counted as fast."""
    assert pieces("") == [""]
    assert pieces("a\nb\n") == ["a\nb\n"]


@pytest.mark.parametrize("encoding", sorted(ADDS))
@given(text=TEXTS)
def test_their_tokens_add_up(encoding: str, text: str) -> None:
    """Whatever stands around the ends of lines; a long line makes the text one that is split."""
    text = f"{'x' * LEAST}\n{text}"
    _, count = _batch_of(encoding)
    parts = pieces(text)
    assert "".join(parts) == text
    assert sum(count(parts)) == count([text])[0]


@pytest.mark.parametrize("encoding", ["o200k_base", "cl100k_base"])
@given(text=TEXTS)
def test_tiktoken_agrees(encoding: str, text: str) -> None:
    """The library the encodings come from adds up as well."""
    known = tiktoken_encoding(encoding)
    if known is None:
        pytest.skip("its vocabulary is not on this machine")
    text = f"{'x' * LEAST}\n{text}"
    tokens = known.encode(text, disallowed_special=())
    assert sum(len(known.encode(part, disallowed_special=())) for part in pieces(text)) == len(
        tokens
    )
