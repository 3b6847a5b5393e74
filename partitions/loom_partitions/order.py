"""Two orders of the five partitions: of their protection, and of their place in a request."""

# What a renewal gives up last comes first; compression touches the last one alone.
PROTECTION = ("system", "working", "memory", "skill", "history")
# What seldom changes stands in front, so that a provider's cache finds it again.
RENDERED = ("system", "skill", "memory", "history", "working")
