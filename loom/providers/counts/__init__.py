"""Token counts of texts: exact if a vocabulary is installed, else an upper bound. No network."""

from loom.providers.counts.counter import Counter, counter_for
from loom.providers.counts.message_sizes import MessageSizes
from loom.providers.counts.vocabulary import is_encoding

__all__ = ["Counter", "MessageSizes", "counter_for", "is_encoding"]
