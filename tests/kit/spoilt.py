"""JSON values spoilt anywhere: members gone, other values in their place, others beside them."""

from collections.abc import Iterable, Iterator
from copy import deepcopy
from typing import Any

from hypothesis import strategies as st

WORDS = st.sampled_from(
    ["", "user", "assistant", "model", "tool", "function", "text", "tool_use", "tool_result",
     "image", "message", "thinking", "reasoning", "function_call", "\x00", "\ud800", "c1", "data:,",
     "{", "%%"]
)  # fmt: skip
KEYS = st.sampled_from(
    ["type", "role", "content", "text", "id", "name", "function", "source", "input", "message",
     "choices", "tool_calls", "function_call", "arguments", "data", "image_url", "usage", "parts",
     "functionCall", "delta", "index", "media_type", "mimeType", "url", "\ud800"]
)  # fmt: skip
NUMBERS = st.integers() | st.sampled_from([-1, 2**63, 10**400, -(10**400)]) | st.floats()
VALUES = st.recursive(
    st.none() | st.booleans() | NUMBERS | WORDS | st.binary(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=3),
    max_leaves=6,
)
GONE, TWICE, NESTED = "gone", "twice", "nested"
# Where (which of all places, as a share), and what becomes of what stands there.
Change = tuple[float, str | list[Any]]
CHANGES: st.SearchStrategy[list[Change]] = st.lists(
    st.tuples(
        st.floats(0, 1, exclude_max=True),
        st.sampled_from([GONE, TWICE, NESTED]) | VALUES.map(lambda value: [value]),
    ),
    min_size=1,
    max_size=5,
)


def places(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every (container, key) of a JSON value."""
    items: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        items = list(value.items())
    elif isinstance(value, list):
        items = list(enumerate(value))
    for key, inner in items:
        yield value, key
        yield from places(inner)


def nested(value: Any, depth: int = 3_000) -> Any:
    """A value in so many lists."""
    for _ in range(depth):
        value = [value]
    return value


def spoilt(value: Any, changes: Iterable[Change]) -> Any:
    """A copy of the value with the changes made one after another."""
    [value] = made = [deepcopy(value)]
    for share, change in changes:
        found = list(places(made))
        if not found:
            break
        container, key = found[int(share * len(found))]
        if change == GONE:
            del container[key]
        elif change == TWICE and isinstance(container, list):
            container.insert(key, container[key])
        elif change == NESTED:
            container[key] = nested(container[key])
            break  # nothing walks into it here
        elif isinstance(change, list):
            container[key] = change[0]
    return made[0] if made else None
