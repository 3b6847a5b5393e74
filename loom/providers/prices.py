"""What models cost in money. List prices by model; prices of cached tokens follow from `table`.

Prices are dollars for a million tokens, from the providers' own price lists at `AS_OF`: standard
tier, the lower rate for short prompts, cache writes of the shortest kind. Only
`loom.providers.table` says what cached and newly written tokens cost relative to plain ones."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct

from loom.providers.table import ANY, Provider, best_row_for, claude_prefixes, provider_of

AS_OF = "2026-11"
MILLION = 1_000_000
DEFAULT = "default"


class Prices(Struct, frozen=True, kw_only=True):
    """A model's prices in dollars for a million tokens: `input` not cached, `output`, `read` from
    the prompt cache, `write` to the cache, and `hour` to write for an hour (0: as `write`). `model`
    is the price row's prefix, `as_of` the price list's date."""

    input: float
    read: float
    write: float
    output: float
    hour: float = 0.0
    model: str = DEFAULT
    as_of: str = AS_OF

    def input_cost(self, read: int, written: int, hourly: int) -> float:
        """Return what a request's cached tokens cost, in dollars, without plain input. `read`
        tokens were read from the cache, `written` were written, of which `hourly` for an hour."""
        more = max(self.hour - self.write, 0.0) * min(hourly, written)
        return (self.read * read + self.write * written + more) / MILLION

    @property
    def known(self) -> bool:
        """False for the default prices of a model that no list has."""
        return self.model != DEFAULT


class GivenPrices(Struct, frozen=True, forbid_unknown_fields=True):
    """A user's own prices, in dollars for a million tokens. None means computed from `input`."""

    input: float
    output: float
    read: float | None = None
    write: float | None = None
    as_of: str = ""


# Prefixes of bare model names → dollars for a million tokens of input and of output.
LISTED: tuple[tuple[tuple[str, ...], float, float], ...] = (
    # platform.claude.com, "Pricing".
    (("claude-fable", "claude-mythos"), 10.0, 50.0),
    (("claude-opus", "claude-3-opus"), 15.0, 75.0),
    (("claude-opus-5", *claude_prefixes("opus-4", "5678")), 5.0, 25.0),
    (claude_prefixes("opus-5", "5"), 4.0, 20.0),
    (("claude-sonnet", "claude-3-sonnet", "claude-3-5-sonnet", "claude-3.5-sonnet"), 3.0, 15.0),
    (("claude-3-7-sonnet", "claude-3.7-sonnet"), 3.0, 15.0),
    (("claude-sonnet-5",), 2.0, 10.0),
    (("claude-haiku",), 1.0, 5.0),
    (claude_prefixes("haiku-5", "5"), 0.10, 0.50),
    (("claude-3-5-haiku", "claude-3.5-haiku"), 0.80, 4.0),
    (("claude-3-haiku",), 0.25, 1.25),
    # developers.openai.com, "Pricing".
    (("gpt-6-astra",), 10.0, 50.0),
    (("gpt-6-sol", "gpt-6.1-sol"), 2.0, 10.0),
    (("gpt-6.1-terra",), 1.0, 5.0),
    (("gpt-6-luna",), 0.10, 0.50),
    (("gpt-5.6",), 4.0, 20.0),
    (("gpt-5.6-terra",), 2.0, 12.0),
    (("gpt-5.6-luna",), 0.20, 1.20),
    (("gpt-5.5",), 5.0, 30.0),
    (("gpt-5.4",), 2.50, 15.0),
    (("gpt-5.4-mini",), 0.75, 4.50),
    (("gpt-5.4-nano",), 0.20, 1.25),
    (("gpt-5.2", "gpt-5.3"), 1.75, 14.0),
    (("gpt-5", "gpt-5.1"), 1.25, 10.0),
    (("gpt-5-mini", "gpt-5.1-codex-mini"), 0.25, 2.0),
    (("gpt-5-nano",), 0.05, 0.40),
    (("gpt-4.1", "o3"), 2.0, 8.0),
    (("gpt-4.1-mini",), 0.40, 1.60),
    (("gpt-4.1-nano",), 0.10, 0.40),
    (("o4-mini", "o3-mini"), 1.10, 4.40),
    (("gpt-4o",), 2.50, 10.0),
    (("gpt-4o-mini",), 0.15, 0.60),
    # ai.google.dev, "Gemini API pricing".
    (("gemini-3-pro", "gemini-3.1-pro"), 2.0, 12.0),
    (("gemini-3.5-flash",), 1.50, 9.0),
    (("gemini-3-flash",), 0.50, 3.0),
    (("gemini-3.1-flash-lite",), 0.25, 1.50),
    (("gemini-2.5-pro",), 1.25, 10.0),
    (("gemini-2.5-flash",), 0.30, 2.50),
    (("gemini-2.5-flash-lite", "gemini-2.0-flash"), 0.10, 0.40),
)  # fmt: skip
# A model without a row: what the middle models of the two largest providers cost at `AS_OF`.
UNLISTED = (2.0, 10.0)


def prices_of(model: str) -> Prices:
    """Return the list prices of a model; the prices `UNLISTED` if the list lacks the model."""
    row = best_row_for(model, _ROWS)
    name, (plain, output) = row if row is not None else (DEFAULT, UNLISTED)
    return _make_prices(provider_of(model) if row is not None else ANY, name, plain, output)


def user_prices_of(model: str, given: Mapping[str, GivenPrices]) -> Prices:
    """Return a model's prices: those in `given` (by model name prefix), else the list prices."""
    row = best_row_for(
        model, [(prefix.lower(), (prefix, prices)) for prefix, prices in given.items()]
    )
    if row is None:
        return prices_of(model)
    name, own = row
    made = _make_prices(provider_of(model), name, own.input, own.output)
    return Prices(
        input=own.input,
        read=made.read if own.read is None else own.read,
        write=made.write if own.write is None else own.write,
        output=own.output,
        hour=made.hour if own.write is None else 0.0,
        model=name,
        as_of=own.as_of,
    )


def _make_prices(provider: Provider, name: str, plain: float, output: float) -> Prices:
    read, write = round(plain * provider.read, 6), round(plain * provider.write, 6)
    hour = round(plain * provider.hour, 6)
    return Prices(input=plain, read=read, write=write, output=output, hour=hour, model=name)


_ROWS = tuple(
    (prefix, (prefix, (plain, output))) for names, plain, output in LISTED for prefix in names
)
