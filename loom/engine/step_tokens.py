"""Tokens of the parts of a reply, alone and together, and the facts of a step."""

from __future__ import annotations

from collections.abc import Sequence

from loom.providers.counts.sizes import BLANK, JOINT
from loom_partitions.message import Fact, Part, Said, thought_tokens

FACTS_MAX = 256  # typed facts a step carries


def joined(facts: Sequence[Fact], more: Sequence[Fact]) -> tuple[Fact, ...]:
    """Facts of an entry with those of another result, bounded: what was done twice counts twice."""
    return (*facts, *more)[:FACTS_MAX]


def size_of(part: Part) -> int:
    """Tokens of one part."""
    return part.text.tokens if isinstance(part, Said) else part.tokens


def together(parts: Sequence[Part]) -> int:
    """Tokens of a reply's parts, of what joins its texts, and of what stands for nothing at all.

    Reasoning may leave at a cut, so it does not count as something.
    """
    thought = thought_tokens(parts)
    visible = sum(size_of(part) for part in parts) - thought
    texts = sum(isinstance(part, Said) for part in parts)
    return thought + max(visible, BLANK) + JOINT * max(texts - 1, 0)
