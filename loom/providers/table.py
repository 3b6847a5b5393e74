"""Differences between providers that go beyond the shape of a request, in one table, by model.

Prices are relative to a plain input token of the same model (its price is in `prices`), from the
providers' own price lists as of November 2026; the page is named beside each. A provider whose
models differ has several rows, and the row with the longest fitting prefix counts. A host of other
makers' models (OpenRouter, Azure, Bedrock, Vertex) has no row: the maker of the model decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal, TypeVar

from msgspec import Struct
from msgspec.structs import replace

Demand = Literal["", "last", "turn"]
T = TypeVar("T")


class Provider(Struct, frozen=True, kw_only=True):
    """How one provider charges for its models, counts their tokens, and wants their reasoning back.

    - `models`: prefixes of bare model names. `formats`: the formats of its requests, () for any.
    - `read`, `write`, `hour`: the price of a token read from the prompt cache, written to it, and
      written to it for an hour, relative to a plain input token. `hour` is 0 if it equals
      `write`; `read` and `write` are 1 if there is no cache.
    - `ratio`, `high`: how many tokens the provider counts for one token counted by Loom (median
      and 90th percentile), used until the provider has reported sizes.
    - `demands`: the opaque reasoning that must be sent back even if messages before it changed:
      "" none, "last" that of the last tool step, "turn" that of each step since the user spoke.
    - `keyed`: requests may carry a `prompt_cache_key`.
    - `reasons`: prefixes of models that return encrypted reasoning when asked to.
    - `max_tokens`: the name of the Chat Completions field that limits the reply.
    - `echo`: a field that each Chat Completions message with calls must have, even if empty; "" if
      there is none.
    - `thinks`: True if unsigned reasoning is sent back with its reply.
    - `tags`: True if reasoning tags in a reply's text are ordinary text."""

    name: str
    models: tuple[str, ...] = ()
    formats: tuple[str, ...] = ()
    read: float = 0.1
    write: float = 1.25
    hour: float = 0.0
    ratio: float = 1.0
    high: float = 1.0
    demands: Demand = ""
    keyed: bool = False
    reasons: tuple[str, ...] = ()
    max_tokens: str = "max_tokens"
    echo: str = ""
    thinks: bool = False
    tags: bool = False


def claude_prefixes(family: str, minors: str) -> tuple[str, ...]:
    """Return the prefixes of model names in a Claude family: `("opus-5", "5")` →
    `("claude-opus-5-5", "claude-opus-5.5")`. `minors` holds one character for each minor version.
    """
    return tuple(f"claude-{family}{joint}{minor}" for minor in minors for joint in "-.")


# An unknown model. Caching that is worth most makes for the fewest cuts. No key: Groq, Cerebras
# and Google refuse a request with a field they do not know (zed-industries/zed#36215).
ANY = Provider(name="any", max_tokens="max_completion_tokens")

# Prices, four marks: platform.claude.com, "Pricing" and "Prompt caching". With thinking enabled,
# the last assistant message of a tool loop must begin with its thinking block: "Extended thinking".
# Its counts are from `python -m benchmarks calibration`, against o200k.
ANTHROPIC = Provider(
    name="anthropic",
    models=(
        "claude-2", "claude-3", "claude-instant", "claude-opus-4", "claude-sonnet-4",
        "claude-haiku-4", "claude-opus-5", "claude-sonnet-5", "claude-fable-5", "claude-mythos-5",
    ),
    formats=("anthropic", "openai"),
    read=0.1, write=1.25, hour=2.0, tags=True, ratio=1.16, high=1.36, demands="last",
)  # fmt: skip
# Since Fable 5.1 a thinking block is bound to all that stands before it, and refused after an edit;
# without any the request is taken: "Preserved thinking". Later models are taken to do the same.
BOUND = replace(ANTHROPIC, models=("claude",), demands="")

# developers.openai.com, "Pricing" and "Prompt caching": every model since GPT-4o has a cache, and
# writing to it is free before GPT-5.6. `max_tokens` is deprecated and refused by reasoning models:
# "Chat Completions". Azure charges and takes the same: learn.microsoft.com, "Prompt caching".
OPENAI = Provider(
    name="openai",
    models=("gpt-",),  # later than the families below
    formats=("openai", "responses"),
    read=0.1, write=1.25, keyed=True, max_tokens="max_completion_tokens", reasons=("gpt-",),
    tags=True,
)  # fmt: skip
FREE = replace(OPENAI, write=1.0, reasons=())  # writing costs what not writing costs
PLAIN = replace(FREE, read=1.0)  # no price of cached input is listed

# ai.google.dev, "Gemini API pricing" and "Context caching" (implicit, nothing to write). A token is
# 100 ÷ 60 to 80 words, "Understand and count tokens"; one of ours is 100 ÷ 75 (help.openai.com,
# "What are tokens"). Gemini 3 refuses calls of the current turn that have lost their signature,
# earlier models do not: "Thought signatures". `prompt_cache_key` is an unknown field there.
GOOGLE = Provider(
    name="google", models=("gemini",), formats=("gemini", "openai"),
    read=0.1, write=1.0, ratio=1.07, high=1.25, demands="turn", tags=True,
)  # fmt: skip

# Whose tokenizer is unknown or another: no figure of their own is published, so that of those who
# publish one is rounded up (Google's 1.25, DeepSeek's 1.2). Groq halves the price of cached tokens,
# as Fireworks does for most models: console.groq.com and docs.fireworks.ai, "Prompt caching".
OPEN = Provider(
    name="open",
    models=(
        "llama", "meta-llama", "qwen", "qwq", "kimi", "moonshot", "glm", "minimax", "mixtral",
        "open-mi", "gemma", "phi-", "nemotron", "granite", "hermes",
    ),
    read=0.5, write=1.0, ratio=1.1, high=1.3,
)  # fmt: skip

# api-docs.deepseek.com, "Models & Pricing" (V3 and R1: its archived prices) and "Token Usage": 0.3
# tokens for an English character, where one of ours is 0.25 (help.openai.com).
# OpenRouter calls the V3 that does not think `deepseek-chat-v3-0324`, and the like.
DEEPSEEK = Provider(
    name="deepseek", models=("deepseek", "deepseek-chat-v"),
    read=0.25, write=1.0, ratio=1.1, high=1.2,
)  # fmt: skip
THINKS = replace(DEEPSEEK, echo="reasoning_content", thinks=True)

PROVIDERS = (
    ANTHROPIC,
    BOUND,
    # Later minors of the families above are among those that bind.
    replace(BOUND, models=(
        *claude_prefixes("opus-5", "6789"), *claude_prefixes("sonnet-5", "6789"),
        *claude_prefixes("fable-5", "3456789"), *claude_prefixes("mythos-5", "3456789"),
    )),
    # Opus and Sonnet 5.5 read at 0.05, Fable and Mythos since 5.1 at 0.025, Haiku 5.5 at 0.1.
    replace(BOUND, models=(
        *claude_prefixes("opus-5", "5"), *claude_prefixes("sonnet-5", "5"),
    ), read=0.05),
    replace(BOUND, models=(
        *claude_prefixes("fable-5", "12"), *claude_prefixes("mythos-5", "12"),
    ), read=0.025),
    OPENAI,
    replace(OPENAI, models=("gpt-5.6",), reasons=("gpt-5.6",)),
    replace(OPENAI, models=("gpt-6.1",), read=0.05),
    replace(FREE, models=("gpt-5", "codex"), reasons=("gpt-5", "codex")),
    # It does not reason, and refuses to be asked for it: pydantic/pydantic-ai#3326.
    replace(FREE, models=("gpt-5-chat",)),
    replace(PLAIN, reasons=("gpt-5", "o1", "o3"), models=(
        "gpt-5-pro", "gpt-5.2-pro", "gpt-5.4-pro", "gpt-5.5-pro", "o1-pro", "o3-pro",
    )),
    replace(FREE, models=("gpt-4.1",), read=0.25),
    replace(FREE, models=("codex-mini",), read=0.25, reasons=("codex",)),
    replace(FREE, models=("o3", "o4"), read=0.25, reasons=("o3", "o4")),
    replace(FREE, models=("o1", "o3-mini"), read=0.5, reasons=("o1", "o3")),
    replace(FREE, models=("gpt-4o", "gpt-4.5"), read=0.5),
    replace(PLAIN, models=("gpt-4", "gpt-3", "chatgpt", "gpt-4o-2024-05-13")),
    GOOGLE,
    replace(GOOGLE, models=("gemini-2.5",), demands=""),
    replace(GOOGLE, models=("gemini-1", "gemini-2"), read=0.25, demands=""),
    OPEN,
    # Thinking with tools, November 2026: reasoning comes back with the calls it led to, and is
    # better kept for all turns (docs.z.ai, "Thinking Mode", since GLM-4.5; platform.minimax.io,
    # "Tool Use & Interleaved Thinking", since M2). Kimi refuses calls without any, and takes an
    # empty one (platform.kimi.ai, "Tool Use Compatibility"; Lapis0x0/obsidian-yolo#243).
    replace(OPEN, models=("glm-4.5", "glm-4.6", "glm-4.7", "glm-5", "minimax-m"), thinks=True),
    replace(OPEN, echo="reasoning_content", thinks=True,
            models=("kimi-k2-thinking", "kimi-k2.", "kimi-k3", "kimi-for-coding")),
    # platform.xiaomimimo.com, "Passing Back reasoning_content", May 2026: V2 and V2.5 refuse calls
    # without any while they think.
    replace(OPEN, models=("mimo-v2",), echo="reasoning_content", thinks=True),
    # Open weights, counted in the encoding we have.
    replace(OPEN, models=("gpt-oss",), ratio=1.0, high=1.0),
    DEEPSEEK,
    # Thinking with tools, since V3.2: api-docs.deepseek.com, "Thinking Mode".
    replace(THINKS, models=("deepseek-v3.2",), read=0.1),
    # Its API's own names meant V3.2 from December 2025 and V4 from April 2026 ("Change Log"), and
    # calls without any are refused where it thinks: anomalyco/opencode#9397.
    replace(THINKS, models=("deepseek-chat", "deepseek-reasoner"), read=0.1),
    replace(THINKS, models=("deepseek-flash", "deepseek-v4"), read=0.02),
    replace(THINKS, models=("deepseek-v4-pro",), read=0.033),
    # docs.x.ai, "Models" and "Prompt caching"; chat takes the key too: genkit-ai/genkit#6036.
    replace(OPEN, name="xai", models=("grok",), read=0.25, keyed=True, tags=True),
    replace(OPEN, name="xai", models=("grok-code",), read=0.1, keyed=True, tags=True),
    # docs.mistral.ai, "Prompt caching". `max_completion_tokens` is refused: Gitlawb/openclaude#739.
    replace(OPEN, name="mistral", read=0.1, keyed=True,
            models=("mistral", "magistral", "ministral", "codestral", "devstral", "pixtral")),
    # docs.cohere.com, "Pricing": no cached input.
    replace(OPEN, name="cohere", models=("command",), read=1.0),
)  # fmt: skip
# Prefixes of bare model names → tokens, of windows smaller than most: developers.openai.com,
# "Models"; platform.claude.com, "Models overview"; the cards of Gemma 2 and of Llama 2 and 3.
SMALL_WINDOWS = (
    ("gpt-3.5-turbo", 16_385), ("gpt-4", 8_192), ("gpt-4-32k", 32_768), ("gpt-4-turbo", 128_000),
    ("gpt-4-1106", 128_000), ("gpt-4-0125", 128_000), ("gpt-4.", 128_000), ("gpt-4o", 128_000),
    ("claude-2", 100_000), ("claude-instant", 100_000), ("gemma-2-", 8_192), ("gemma2", 8_192),
    ("llama-2-", 4_096), ("llama2", 4_096), ("llama-3-", 8_192),
)  # fmt: skip
BY_FORMAT = {"anthropic": ANTHROPIC, "gemini": GOOGLE}


def provider_of(model: str, format: str = "") -> Provider:
    """Return the Provider row for a model, or for the format `format` if no row fits the model;
    else `ANY`."""
    return best_row_for(model, _ROWS) or BY_FORMAT.get(format, ANY)


def best_row_for(model: str, rows: Sequence[tuple[str, T]]) -> T | None:
    """Return the value of the row that fits a model best; None if no row fits. `rows` are (prefix
    of a model name, value). The prefix may come after a path or a vendor, as in
    `us.anthropic.claude-…`."""
    name = model.rsplit("/", 1)[-1].lower()
    for start in (0, *(match.end() for match in re.finditer(r"[.:]", name))):
        found = [row for row in rows if name.startswith(row[0], start)]
        if found:
            return max(found, key=lambda row: len(row[0]))[1]
    return None


_ROWS = tuple((prefix, provider) for provider in PROVIDERS for prefix in provider.models)
