"""Mutations that change nothing anybody could notice, each with the reason why."""

from msgspec import Struct

from tests.mutate.mutations import Mutation

LARGE = "any large value asks the same of a store"
AS_LONG = "both are as long by the line above"


class Equivalent(Struct, frozen=True):
    """A mutation by its file, function, line of source and change, and why it is none."""

    path: str
    function: str
    text: str
    change: str
    reason: str


_VALUES = '_VALUES = (b"", b"\\0", b"text\\r\\n", "页 ünï 🧵".encode(), bytes(range(256)) * 4096)'
EQUIVALENTS: tuple[Equivalent, ...] = (
    Equivalent("paging/loom_paging/testing.py", "", _VALUES, "4096 -> 4095", LARGE),
    Equivalent("paging/loom_paging/testing.py", "", _VALUES, "4096 -> 4097", LARGE),
    Equivalent("paging/loom_paging/segments.py", "missing_segment",
     "return next((name for name, held in zip(wanted, segments, strict=True) if name != held),"
     ' "")', "True -> False", AS_LONG),
)  # fmt: skip


def reason(mutation: Mutation) -> str:
    """Why a mutation is equivalent; "" when nothing is known of it."""
    key = (mutation.path, mutation.function, mutation.text, mutation.change)
    for one in EQUIVALENTS:
        if (one.path, one.function, one.text, one.change) == key:
            return one.reason
    return ""
