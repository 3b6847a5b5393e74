"""What one of Loom's own tools is, and what it answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from loom.engine.working import Desk
from loom.providers.schema import ToolSchema
from loom_partitions.message import Reduction
from loom_partitions.records import Record

TEXT = {"type": "string"}
TEXTS = {"type": "array", "items": TEXT}
OBJECT = {"type": "object"}


class Answer(Struct, frozen=True):
    """The result of one of Loom's own calls, its reduced form, and the records it leads to."""

    text: str
    reduction: Reduction
    error: bool = False
    records: tuple[Record, ...] = ()


class OwnTool(Struct, frozen=True):
    """A tool of Loom's: its declaration and what answers it, within `limit` characters.

    `needs` is what of the Desk must be there for it to be declared, "" for nothing.
    """

    schema: ToolSchema
    answer: Callable[[Desk, dict[str, Any], int], Answer]
    needs: str = ""


def tool(
    name: str,
    said: str,
    properties: dict[str, Any],
    answer: Callable[[Desk, dict[str, Any], int], Answer],
    optional: tuple[str, ...] = (),
    needs: str = "",
) -> OwnTool:
    """A tool whose properties are all required but the optional ones."""
    required = [key for key in properties if key not in optional]
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    return OwnTool(ToolSchema(name, said, schema), answer, needs)


def reduction(name: str, args: dict[str, Any], said: str, ref: str = "") -> Reduction:
    """The reduced form of an answer."""
    return Reduction(name, args, said, said[:100], ref)
