"""Whose model a name is, what it and its cache cost, and what it demands."""

from __future__ import annotations

from collections import Counter

import pytest

from loom.providers.prices import AS_OF, DEFAULT, LISTED, UNLISTED, prices_of
from loom.providers.table import (
    ANTHROPIC,
    ANY,
    GOOGLE,
    OPENAI,
    PROVIDERS,
    best_row_for,
    provider_of,
)
from tests.kit.cases import all_cases

# A model and its provider, a name behind folders, a region, a vendor or a kind too; cached input
# and cache writes per token of plain input, from the price lists named in the table.
MODELS: list[tuple[str, str, float, float]] = [
    ("", "any", 0.1, 1.25),
    ("azure/my-deployment", "any", 0.1, 1.25),
    ("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "any", 0.1, 1.25),
    ("vertex_ai/claude-opus-4-1@20250805", "anthropic", 0.1, 1.25),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic", 0.1, 1.25),
    ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-4", "anthropic", 0.1, 1.25),
    ("claude-fable-5-1", "anthropic", 0.025, 1.25),  # 10.00, 0.25, 12.50
    ("gpt-35-turbo", "openai", 1.0, 1.0),
    ("gpt-4o-mini", "openai", 0.5, 1.0),  # 0.15, 0.075
    ("gpt-4o-2024-05-13", "openai", 1.0, 1.0),
    ("gpt-4.1-nano", "openai", 0.25, 1.0),  # 0.10, 0.025
    ("gpt-4.5-preview", "openai", 0.5, 1.0),  # 75.00, 37.50
    ("o1", "openai", 0.5, 1.0),  # 15.00, 7.50
    ("openai/o3", "openai", 0.25, 1.0),  # 2.00, 0.50
    ("codex-mini-latest", "openai", 0.25, 1.0),  # 1.50, 0.375
    ("ft:gpt-5.5:acme::abc", "openai", 0.1, 1.0),  # 5.00, 0.50
    ("gpt-5.6-sol", "openai", 0.1, 1.25),  # 2.00, 0.20, 2.50
    ("gemini-2.0-flash", "google", 0.25, 1.0),  # 0.10, 0.025
    ("publishers/google/models/gemini-3-pro-preview", "google", 0.1, 1.0),  # 2.00, 0.20
    ("deepseek-chat-v3-0324", "deepseek", 0.25, 1.0),  # 0.27, 0.07
    ("deepseek-chat", "deepseek", 0.1, 1.0),  # 0.28, 0.028, since V3.2
    ("deepseek-v4-flash", "deepseek", 0.02, 1.0),  # 0.15, 0.003
    ("deepseek-v4-pro", "deepseek", 0.033, 1.0),  # 0.66, 0.022
    ("x-ai/grok-4", "xai", 0.25, 1.0),  # 3.00, 0.75
    ("grok-code-fast-1", "xai", 0.1, 1.0),  # 0.20, 0.02
    ("magistral-medium-latest", "mistral", 0.1, 1.0),
    ("openai.gpt-oss-120b-1:0", "open", 0.5, 1.0),
    ("groq/llama-3.3-70b-versatile", "open", 0.5, 1.0),
    ("google/gemma-3-27b-it", "open", 0.5, 1.0),
    ("command-r", "cohere", 1.0, 1.0),
]


@all_cases(("model", "name", "read", "write"), MODELS)
def test_the_provider_of_a_model(model: str, name: str, read: float, write: float) -> None:
    """The row with the longest fitting prefix, in any case, has the name and the prices."""
    provider = provider_of(model)
    assert provider_of(model.upper()) == provider
    assert (provider.name, provider.read, provider.write) == (name, read, write)


@all_cases(
    ("model", "format", "name"),
    [
        ("", "openai", "any"),
        ("", "anthropic", "anthropic"),
        ("", "gemini", "google"),
        ("claude-sonnet-4", "openai", "anthropic"),
    ],
)
def test_a_format_says_who_when_the_model_does_not(model: str, format: str, name: str) -> None:
    """The name of the model goes before the format of the request."""
    assert provider_of(model, format).name == name


NEW, OLD = "max_completion_tokens", "max_tokens"
# Reasoning demanded though what stood before it has changed; whether encrypted reasoning may be
# asked for; a key for the cache; what the limit of the reply is called.
DEMANDS: list[tuple[str, str, bool, bool, str]] = [
    ("", "", False, False, NEW),
    ("gpt-5", "", True, True, NEW),
    ("azure/o3", "", True, True, NEW),
    ("gpt-5-chat-latest", "", False, True, NEW),
    ("gpt-4.1", "", False, True, NEW),
    ("gpt-oss-120b", "", False, False, OLD),
    ("mistral-large-latest", "", False, True, OLD),
    ("grok-4", "", False, True, OLD),
    ("deepseek-reasoner", "", False, False, OLD),
    ("claude-3-7-sonnet", "last", False, False, OLD),
    ("claude-opus-4-6", "last", False, False, OLD),
    ("claude-fable-5-2", "", False, False, OLD),
    ("claude-opus-6", "", False, False, OLD),
    ("gemini-2.5-pro", "", False, False, OLD),
    ("gemini-4-argon", "turn", False, False, OLD),
]


@all_cases(("model", "demands", "reasons", "keyed", "most"), DEMANDS)
def test_what_a_provider_demands(
    model: str, demands: str, reasons: bool, keyed: bool, most: str
) -> None:
    """What must come back, what may be asked for, and what fields are called."""
    row = provider_of(model)
    assert (row.demands, row.keyed, row.max_tokens) == (demands, keyed, most)
    assert model.rpartition("/")[2].startswith(row.reasons) == reasons


def test_every_row() -> None:
    """No prefix stands twice, a figure is a share of what it is, and the rows of a provider agree
    on how it counts; where we count as it does, nothing is added."""
    prefixes = Counter(prefix for row in PROVIDERS for prefix in row.models)
    assert [prefix for prefix, times in prefixes.items() if times > 1] == []
    for row in (*PROVIDERS, ANY):
        assert 0 < row.read <= 1 <= row.write <= 1.25
        assert 1 <= row.ratio <= row.high < 2
        assert all(provider_of(prefix) == row for prefix in row.models)
    assert {row.name for row in PROVIDERS if row.high == 1.0} == {"openai", "open"}
    for base in (ANTHROPIC, GOOGLE, OPENAI):
        rows = [row for row in PROVIDERS if row.name == base.name]
        assert len(rows) > 1 and {(r.ratio, r.high) for r in rows} == {(base.ratio, base.high)}


def test_rows_by_prefix_may_hold_anything() -> None:
    """What fits furthest to the left counts, then the longest; a name nobody has fits nothing."""
    rows = (("gpt", 1), ("gpt-5", 2), ("claude", 3))
    names = ("", "llama", "gpt-4", "openai/GPT-5.1")
    assert [best_row_for(model, rows) for model in names] == [None, None, 1, 2]
    assert best_row_for("us.anthropic.claude-gpt-5", rows) == 3
    assert best_row_for("gpt-5", ()) is None


# From the providers' own pages: input, cached input, cache write, output.
KNOWN = [
    ("claude-opus-4-5-20251101", 5, 0.5, 6.25, 25),
    ("anthropic/claude-opus-4.1", 15, 1.5, 18.75, 75),
    ("claude-opus-5-5", 4, 0.2, 5, 20),
    ("claude-fable-5-1", 10, 0.25, 12.5, 50),
    ("gpt-5-codex", 1.25, 0.125, 1.25, 10),
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
