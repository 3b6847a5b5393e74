"""The prices by which requests are billed."""

from __future__ import annotations

from loom.providers.prices import prices_of

MODEL = "claude-sonnet-4"  # a model whose cache costs extra to write
PRICES = prices_of(MODEL)  # dollars for a million tokens, so millionths of a dollar for one
