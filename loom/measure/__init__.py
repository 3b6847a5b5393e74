"""How many tokens a text is: exact, counted once, never over the network."""

from loom.measure.counter import Counter, counter_for
from loom.measure.sizes import Sizes

__all__ = ["Counter", "Sizes", "counter_for"]
