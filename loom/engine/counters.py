"""Which counter of tokens a workspace is opened with."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from loom.errors import LoomError
from loom.policy import Policy
from loom.providers.counts import Counter, counter_for, is_encoding
from loom_partitions.window import Window

if TYPE_CHECKING:
    from loom.capability import Capability


def fresh_counter(model: str, policy: Policy, capabilities: Sequence[Capability]) -> Counter:
    """The counter of tokens for a new workspace."""
    own = (one.counter for one in capabilities if one.counter is not None)
    counter = next(own, None) or counter_for(model, policy.encoding)
    if policy.encoding and not is_encoding(counter.encoding):
        raise LoomError(f"no encoding {policy.encoding!r}: give one that tiktoken knows, or none")
    return counter


def known_counter(
    window: Window, model: str, policy: Policy, capabilities: Sequence[Capability]
) -> Counter:
    """The counter of tokens for a known workspace: they are counted as they were before.

    Raises LoomError where that takes a counter which is not given.
    """
    known = window.config
    own = (one.counter for one in capabilities if one.counter is not None)
    given = next((one for one in own if one.encoding == known.encoding), None)
    if given is not None:
        return given
    counter = counter_for(known.model, known.encoding or policy.encoding)
    if not counter.exact and not is_encoding(counter.encoding):
        raise LoomError(
            f"counted in {known.encoding!r}, by the counter of a capability: give it again"
        )
    return counter
