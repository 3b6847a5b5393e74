"""C_system: instructions and examples the harness gives. Never compressed."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from loom_partitions.message import Notice, Text
from loom_partitions.shelf import Shelf


class Instructed(Struct, frozen=True, tag="Instructed"):
    """The harness gave instructions or an example (`key`); they belong to the system partition."""

    key: str
    text: Text
    notice: Notice


def _instructed(system: Shelf, record: Instructed) -> Shelf:
    return system.put(record.key, record.text)


CASES: dict[type, Callable[[Shelf, Any], Shelf]] = {Instructed: _instructed}
