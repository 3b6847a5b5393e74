"""Values no argument is meant to have, each made anew: generators are used up, lists change."""

from collections.abc import Callable
from pathlib import Path


class OwnText(str):
    """A text of a class of its own."""


class OwnNumber(int):
    """A whole number of a class of its own."""


def nested(depth: int = 5_000) -> list[object]:
    """A list in a list, `depth` deep."""
    made: list[object] = []
    for _ in range(depth):
        made = [made]
    return made


ODD: dict[str, Callable[[], object]] = {
    "None": lambda: None,
    "True": lambda: True,
    "-1": lambda: -1,
    "2**70": lambda: 2**70,
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "nothing": lambda: "",
    "a surrogate": lambda: "\ud800",
    "bytes": lambda: b"x",
    "no UTF-8": lambda: b"\xff\xfe\x00\xff",
    "gapped bytes": lambda: memoryview(b"abcdef")[::2],
    "nested": nested,
    "an object": object,
    "a type": lambda: int,
    "an own text": lambda: OwnText("x"),
    "an own number": lambda: OwnNumber(3),
    "a generator": lambda: (one for one in (1, "a", None)),
    "a set": lambda: {1},
    "a dict": lambda: {1: object()},
    "a megabyte": lambda: "x" * (1 << 20),
    "5,000 digits": lambda: "9" * 5_000,
    "a path with NUL": lambda: Path("a\0b"),
}
