"""What a million tokens of a model cost."""

import pytest

from loom.providers.prices import AS_OF, DEFAULT, LISTED, UNLISTED, prices_of
from loom.providers.table import provider_of
from tests.kit.cases import all_cases

# From the providers' own pages: input, cached input, cache write, output.
KNOWN = [
    ("claude-opus-4-5-20251101", 5, 0.5, 6.25, 25),
    ("anthropic/claude-opus-4.1", 15, 1.5, 18.75, 75),
    ("claude-sonnet-4-5-20250929", 3, 0.3, 3.75, 15),
    ("claude-opus-5-5", 4, 0.2, 5, 20),
    ("claude-sonnet-5-5", 2, 0.1, 2.5, 10),
    ("claude-fable-5-1", 10, 0.25, 12.5, 50),
    ("claude-haiku-4-5", 1, 0.1, 1.25, 5),
    ("gpt-5-codex", 1.25, 0.125, 1.25, 10),
    ("gpt-6.1-sol", 2, 0.1, 2.5, 10),
    ("gpt-4.1-mini", 0.4, 0.1, 0.4, 1.6),
    ("gemini-2.5-flash", 0.3, 0.03, 0.3, 2.5),
]


@all_cases(("model", "plain", "read", "write", "output"), KNOWN)
def test_the_prices_of_a_model(
    model: str, plain: float, read: float, write: float, output: float
) -> None:
    """As its provider lists them, with the date."""
    prices = prices_of(model)
    assert (prices.input, prices.output, prices.as_of) == (plain, output, AS_OF)
    assert (prices.read, prices.write) == (pytest.approx(read), pytest.approx(write))
    assert prices.known


@pytest.mark.parametrize("model", ["", "my-model", "llama-9"])
def test_an_unknown_model_has_the_default(model: str) -> None:
    """And says that it has."""
    prices = prices_of(model)
    assert (prices.input, prices.output, prices.model, prices.known) == (*UNLISTED, DEFAULT, False)


def test_every_row_is_of_a_known_provider() -> None:
    """A price list names no model the table of providers has not, and none twice."""
    names = [name for row in LISTED for name in row[0]]
    assert len(names) == len(set(names))
    assert all(provider_of(name).name != "any" for name in names)
