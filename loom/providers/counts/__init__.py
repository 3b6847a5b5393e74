"""How many tokens a text is: exact, counted once, never over the network."""

from loom.providers.counts.counter import Counter, counter_for, is_encoding
from loom.providers.counts.sizes import Sizes

__all__ = ["Counter", "Sizes", "counter_for", "is_encoding"]
