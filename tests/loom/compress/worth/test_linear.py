"""An entry of very many units: work and memory grow with their number, not with its square."""

import json
import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from msgspec.structs import replace

from loom.compress.worth.catalog import Catalog
from loom_partitions.message import Call, Outcome, Reduction, Said, Step, Text, UserTurn

Entry = UserTurn | Step
FEW, MANY = 300, 1_200
RATIO = 6.0  # of the work for MANY, which are four times FEW
READ = Reduction("fs:read_file", {}, "r", "c")
WORDS = (
    "is one of very many and says enough, in words of its own, so that nobody who counts its "
    "tokens takes it for less than a unit"
)


def many_slices(number: int) -> Entry:
    """A message of so many slices."""
    body = "".join(f"line_{n} {'-' * 200}\n" for n in range(40 * number))
    return UserTurn(1, Text(60 * number, len(body), body), 60 * number)


def many_parts(number: int) -> Entry:
    """A reply of so many texts."""
    parts = tuple(Said(Text(30, 100, f"Part {n} {WORDS}")) for n in range(number))
    return Step(1, parts, 30 * number)


def many_calls(number: int) -> Entry:
    """A reply of so many calls, each with a result of one line."""
    calls = tuple(
        Call(f"c{n}", "Read", json.dumps({"path": f"d{n}/index.py"}), 20) for n in range(number)
    )
    outcomes = tuple(
        Outcome(f"c{n}", Text(30, 100, f"Result {n} {WORDS}"), READ) for n in range(number)
    )
    return Step(1, calls, 60 * number, outcomes)


def many_fields(number: int) -> Entry:
    """A reply of one call with so many long arguments."""
    call = Call("c", "Tool", json.dumps({f"f{n}": f"{n} {WORDS}" for n in range(number)}), 40)
    return Step(1, (replace(call, page="history/step_0001.json"),), 40 * number)


MADE = [many_slices, many_parts, many_calls, many_fields]


def traced(work: Callable[[], object]) -> int:
    """Lines of Loom that run while `work` does, each round of a comprehension one."""
    lines = 0

    def note(frame: FrameType, event: str, given: Any) -> Any:
        nonlocal lines
        lines += event == "line"
        return note

    sys.settrace(note)
    try:
        work()
    finally:
        sys.settrace(None)
    return lines


def grown(measure: Callable[[Callable[[], object]], int], work: Callable[[int], Any]) -> float:
    """How many times as much MANY take as FEW; what `work` gives is what is measured."""
    few, many = (measure(work(number)) for number in (FEW, MANY))
    return many / few


@pytest.mark.parametrize("made", MADE)
def test_the_catalog_is_linear(made: Callable[[int], Entry]) -> None:
    """To note an entry takes as much more as it has more units."""

    def work(number: int) -> Callable[[], object]:
        entry = made(number)
        catalog = Catalog(lambda texts: [len(text) // 4 for text in texts])
        return lambda: catalog.note(entry, lambda page: "")

    assert grown(traced, work) < RATIO
