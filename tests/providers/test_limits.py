"""The server's context limit: its own count, the providers' words, with figures and without."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType
from typing import Any

import pytest

from tests.kit.cases import all_cases
from tests.providers.serving import dialogue

Serve = Callable[..., Any]
LONG = "word " * 3_000
APIS = ("openai", "responses", "anthropic", "gemini")
UNSIZED = "Your input exceeds the context window of this model."
STATED = {
    "openai": "This model's maximum context length is 2500 tokens. However, your messages resulted"
    " in 3",
    "responses": UNSIZED,
    "anthropic": "prompt is too long: 3",
    "gemini": "exceeds the maximum number of tokens allowed (2500).",
}
UNSTATED = {
    "openai": UNSIZED,
    "responses": UNSIZED,
    "anthropic": "Input is too long for requested model.",
    "gemini": "The input token count exceeds the maximum number of tokens allowed.",
}


def refused(serve: Serve, clients: ModuleType, api: str, words: str, **options: Any) -> Any:
    """The error of a prompt of these words."""
    with clients.connected(serve(**options), api) as (ask, _):
        request = dialogue.opening(api, words)
        with pytest.raises(clients.REFUSED) as caught:
            ask(**request)
    return caught.value


@all_cases("api", APIS)
@all_cases(("mode", "table"), [("stated", STATED), ("unstated", UNSTATED)])
def test_a_long_prompt_is_refused(
    api: str, mode: str, table: dict[str, str], serve: Serve, clients: ModuleType
) -> None:
    """Status 400 in each provider's words, with the figures and without."""
    error = refused(serve, clients, api, LONG, limit=2_500, too_long=mode)
    assert getattr(error, "status_code", None) == 400 or error.code == 400
    assert table[api] in str(error)


@all_cases("api", APIS)
def test_a_bare_413(api: str, serve: Serve, clients: ModuleType) -> None:
    """A proxy's 413 says nothing but its name."""
    error = refused(serve, clients, api, LONG, limit=2_500, too_long="413")
    assert 413 in (getattr(error, "status_code", 0), getattr(error, "code", 0))


@pytest.mark.parametrize(
    ("api", "words"),
    [
        ("openai", "However, you requested 3"),
        ("anthropic", "input length and `max_tokens` exceed context limit: 3"),
        ("gemini", "maximum number of tokens allowed ("),
    ],
)
def test_the_replys_limit_counts(api: str, words: str, serve: Serve, clients: ModuleType) -> None:
    """A prompt that fits alone is refused when the reply's limit does not fit beside it."""
    limit = {"openai": 3_400, "anthropic": 3_400, "gemini": 8_500}[api]
    assert words in str(refused(serve, clients, api, LONG, limit=limit))


def test_ratio_and_hidden_tokens_count(serve: Serve, clients: ModuleType) -> None:
    """The same prompt fits a server that counts as we do, and not one that counts more."""
    with clients.connected(serve(limit=3_700), "openai") as (ask, _):
        ask(**dialogue.opening("openai", LONG))
    for options in ({"hidden": 900}, {"ratio": 1.25}):
        assert refused(serve, clients, "openai", LONG, limit=3_700, **options)
