"""Whose model a name is, what it and its cache cost, and what it demands."""

from __future__ import annotations

from collections import Counter

import pytest

from loom.providers.counts.counter import encoding_of
from loom.providers.prices import AS_OF, DEFAULT, LISTED, UNLISTED, prices_of
from loom.providers.table import ANTHROPIC, ANY, GOOGLE, OPENAI, PROVIDERS, fitting, provider_of
from tests.kit.cases import all_cases

NAMES = [
    ("", "any"),
    ("azure/my-deployment", "any"),
    ("arn:aws:bedrock:us-east-1:1:application-inference-profile/abc", "any"),
    ("claude-sonnet-4-5-20250929", "anthropic"),
    ("anthropic/claude-sonnet-4.5", "anthropic"),
    ("vertex_ai/claude-opus-4-1@20250805", "anthropic"),
    ("us.anthropic.claude-sonnet-4-5-20250929-v1:0", "anthropic"),
    ("anthropic.claude-3-haiku-20240307-v1:0", "anthropic"),
    ("bedrock/converse/global.anthropic.claude-opus-4-6-v1", "anthropic"),
    ("arn:aws:bedrock:us-east-1:1:inference-profile/eu.anthropic.claude-sonnet-4", "anthropic"),
    ("gpt-4o", "openai"),
    ("ft:gpt-4o:acme::abc", "openai"),
    ("gpt-35-turbo", "openai"),
    ("openai/o3", "openai"),
    ("codex-mini-latest", "openai"),
    ("gpt-oss-120b", "open"),
    ("openai.gpt-oss-120b-1:0", "open"),
    ("gemini-2.5-pro", "google"),
    ("publishers/google/models/gemini-3-pro-preview", "google"),
    ("google/gemma-3-27b-it", "open"),
    ("deepseek-chat", "deepseek"),
    ("accounts/fireworks/models/deepseek-v3p2", "deepseek"),
    ("us.deepseek.r1-v1:0", "deepseek"),
    ("x-ai/grok-4", "xai"),
    ("mistral-large-latest", "mistral"),
    ("mistral.mistral-large-2402-v1:0", "mistral"),
    ("groq/llama-3.3-70b-versatile", "open"),
    ("command-a-03-2025", "cohere"),
]


@all_cases(("model", "name"), NAMES)
def test_the_provider_of_a_model(model: str, name: str) -> None:
    """A bare name, and one behind folders, a region, a vendor or a kind, is whose model it is."""
    assert provider_of(model).name == name
    assert provider_of(model.upper()).name == name


@all_cases(
    ("model", "format", "name"),
    [
        ("", "openai", "any"),
        ("", "responses", "any"),
        ("", "anthropic", "anthropic"),
        ("", "gemini", "google"),
        ("gpt-4o", "anthropic", "openai"),
        ("claude-sonnet-4", "openai", "anthropic"),
    ],
)
def test_a_format_says_who_when_the_model_does_not(model: str, format: str, name: str) -> None:
    """The name of the model goes before the format of the request."""
    assert provider_of(model, format).name == name


# Cached input and cache writes, per token of plain input, from the price lists named in the table.
PRICES = [
    ("", 0.1, 1.25),
    ("claude-fable-5", 0.1, 1.25),  # 10.00, 1.00, 12.50
    ("claude-fable-5-1", 0.025, 1.25),  # 10.00, 0.25, 12.50
    ("gpt-3.5-turbo", 1.0, 1.0),
    ("gpt-4o-mini", 0.5, 1.0),  # 0.15, 0.075
    ("gpt-4o-2024-05-13", 1.0, 1.0),
    ("gpt-4.1-nano", 0.25, 1.0),  # 0.10, 0.025
    ("gpt-4.5-preview", 0.5, 1.0),  # 75.00, 37.50
    ("o1", 0.5, 1.0),  # 15.00, 7.50
    ("o3", 0.25, 1.0),  # 2.00, 0.50
    ("codex-mini-latest", 0.25, 1.0),  # 1.50, 0.375
    ("gpt-5.5", 0.1, 1.0),  # 5.00, 0.50
    ("gpt-5.6-sol", 0.1, 1.25),  # 2.00, 0.20, 2.50
    ("gemini-2.0-flash", 0.25, 1.0),  # 0.10, 0.025
    ("gemini-2.5-flash", 0.1, 1.0),  # 0.30, 0.03
    ("gemini-3-pro-preview", 0.1, 1.0),  # 2.00, 0.20
    ("deepseek-chat-v3-0324", 0.25, 1.0),  # 0.27, 0.07
    ("deepseek-chat", 0.1, 1.0),  # 0.28, 0.028, since V3.2
    ("deepseek-v3.2", 0.1, 1.0),  # 0.28, 0.028
    ("deepseek-v4-flash", 0.02, 1.0),  # 0.15, 0.003
    ("deepseek-v4-pro", 0.033, 1.0),  # 0.66, 0.022
    ("grok-4", 0.25, 1.0),  # 3.00, 0.75
    ("grok-code-fast-1", 0.1, 1.0),  # 0.20, 0.02
    ("magistral-medium-latest", 0.1, 1.0),
    ("llama-3.3-70b-versatile", 0.5, 1.0),
    ("command-r", 1.0, 1.0),
]


@all_cases(("model", "read", "write"), PRICES)
def test_prices(model: str, read: float, write: float) -> None:
    """The row with the longest fitting prefix has the prices."""
    provider = provider_of(model)
    assert (provider.read, provider.write) == (read, write)


DEMANDS = [
    ("", ""),
    ("gpt-5", ""),
    ("deepseek-reasoner", ""),
    ("claude-3-7-sonnet", "last"),
    ("claude-opus-4-6", "last"),
    ("claude-fable-5-2", ""),
    ("claude-opus-6", ""),
    ("gemini-2.5-pro", ""),
    ("gemini-3-flash-preview", "turn"),
    ("gemini-4-argon", "turn"),
]


@all_cases(("model", "demands"), DEMANDS)
def test_whose_reasoning_must_come_back(model: str, demands: str) -> None:
    """Reasoning that a provider demands, though what stood before it has changed."""
    assert provider_of(model).demands == demands


REASONS = [
    ("gpt-5", True),
    ("o1", True),
    ("codex-mini-latest", True),
    ("gpt-5-chat-latest", False),
    ("gpt-4o", False),
    ("gpt-4.1", False),
    ("gpt-oss-120b", False),
    ("grok-4", False),
]


@all_cases(("model", "reasons"), REASONS)
def test_who_returns_encrypted_reasoning(model: str, reasons: bool) -> None:
    """Only models that reason may be asked for it; the others refuse to be."""
    assert model.startswith(provider_of(model).reasons) == reasons


@all_cases(
    ("model", "keyed", "most"),
    [
        ("", False, "max_completion_tokens"),
        ("gpt-4o", True, "max_completion_tokens"),
        ("azure/o3", True, "max_completion_tokens"),
        ("gpt-oss-120b", False, "max_tokens"),
        ("llama-3.3-70b", False, "max_tokens"),
        ("mistral-large-latest", True, "max_tokens"),
        ("grok-4", True, "max_tokens"),
        ("deepseek-chat", False, "max_tokens"),
        ("claude-sonnet-4", False, "max_tokens"),
        ("gemini-2.5-pro", False, "max_tokens"),
    ],
)
def test_fields_of_a_request(model: str, keyed: bool, most: str) -> None:
    """Who takes a key for the cache, and what the limit of the reply is called."""
    assert (provider_of(model).keyed, provider_of(model).max_tokens) == (keyed, most)


def test_every_row() -> None:
    """No prefix stands twice, a figure is a share of what it is."""
    prefixes = Counter(prefix for row in PROVIDERS for prefix in row.models)
    assert [prefix for prefix, times in prefixes.items() if times > 1] == []
    for row in (*PROVIDERS, ANY):
        assert 0 < row.read <= 1 <= row.write <= 1.25
        assert 1 <= row.ratio <= row.high < 2
        assert all(provider_of(prefix) == row for prefix in row.models)


def test_a_model_of_our_own_encoding_is_counted_exactly() -> None:
    """Where we count as the provider does, nothing is added; elsewhere something is."""
    exact = [row for row in PROVIDERS if row.high == 1.0]
    assert {row.name for row in exact} == {"openai", "open"}
    assert encoding_of("gpt-oss-120b") == "o200k_harmony"
    assert all(row.high > 1.0 for row in PROVIDERS if row not in exact)


def test_rows_of_a_provider_agree_on_how_it_counts() -> None:
    """The ratio of a provider stands in one place, whatever its models cost."""
    for base in (ANTHROPIC, GOOGLE, OPENAI):
        rows = [row for row in PROVIDERS if row.name == base.name]
        assert len(rows) > 1
        assert {(row.ratio, row.high) for row in rows} == {(base.ratio, base.high)}


def test_rows_by_prefix_may_hold_anything() -> None:
    """What fits furthest to the left counts, then the longest; a name nobody has fits nothing."""
    rows = (("gpt", 1), ("gpt-5", 2), ("claude", 3))
    assert [fitting(model, rows) for model in ("", "llama", "gpt-4", "openai/GPT-5.1")] == [
        None,
        None,
        1,
        2,
    ]
    assert fitting("us.anthropic.claude-gpt-5", rows) == 3
    assert fitting("gpt-5", ()) is None


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
