"""A host: its tools, and results of every size and kind, by what was asked.

Deterministic: the same call in the same step of the same session has the same result.
"""

from __future__ import annotations

import json
from random import Random
from typing import Any, NamedTuple

import loom
from loom.session.tools.own_tools import tools_by_name

OWN_TOOLS = frozenset(
    tools_by_name(
        tool for one in (loom.Memory(), loom.Skills(), loom.Toolbox()) for tool in one.tools
    )
)


def _tool(name: str, required: tuple[str, ...], **fields: str) -> dict[str, Any]:
    properties = {field: {"type": kind} for field, kind in fields.items()}
    schema = {"type": "object", "properties": properties, "required": list(required)}
    return {"name": name, "description": f"{name.replace('_', ' ')}.", "parameters": schema}


TOOLS = (
    _tool("read_file", ("path",), path="string", first="integer"),
    _tool("search", ("query",), query="string", exact="boolean"),
    _tool("run", ("command",), command="string", timeout="number"),
    _tool("edit_file", ("path", "changes"), path="string", changes="object"),
    _tool("status", ()),
)

SYSTEM = "You keep the ledger service in order. Change nothing you have not read."
TASK = "Find why invoices are counted twice, and mend it. Never touch the archive folder."
LINE = "    total += ledger.amount(row, currency='EUR')  # invoice {} of shard {}\n"


class Given(NamedTuple):
    """The result of a call."""

    value: Any
    error: bool = False


class Host:
    """The host of one session."""

    def __init__(self, seed: object) -> None:
        self._random = Random(f"host/{seed}")
        self._most = 60_000

    def result(self, name: str, arguments: str) -> Given:
        """What a tool gives: files are the same each time, all else varies."""
        try:
            given = json.loads(arguments)
        except ValueError:
            given = None
        if not isinstance(given, dict):
            return Given(f"{name}: the arguments are no JSON object", error=True)
        if name == "read_file":
            random = Random(str(given.get("path")))
            return Given(_code(random, random.choice((400, 2_500, 6_000, 14_000))))
        if name == "status":
            return self._random.choice((Given(""), Given({"ok": True, "open": 3}), Given(None)))
        if name == "edit_file":
            return self._random.choice((Given("edited"), Given("no such text", error=True)))
        return self._any()

    def _any(self) -> Given:
        random, kind = self._random, self._random.randrange(12)
        if kind == 0:
            self._most //= 2  # the first of the largest results is of 60 KB
            return Given(_log(random, self._most * 2))
        if kind == 1:
            return Given("Traceback (most recent call last):\n" + _code(random, 600), error=True)
        if kind == 2:
            return Given(b"\x89PNG\r\n\x1a\n" + random.randbytes(3_000))
        if kind == 3:
            return Given(_log(random, 900).encode())
        if kind in (4, 5):
            count = random.choice((2, 12, 60))
            return Given([{"id": n, "amount": random.randrange(10**6)} for n in range(count)])
        if kind == 6:
            return Given("")
        return Given(_log(random, random.choice((60, 300, 1_500, 5_000, 12_000))))


def _code(random: Random, size: int) -> str:
    lines, length = ["def count(ledger):\n    total = 0\n"], 0
    while length < size:
        lines.append(LINE.format(random.randrange(10_000), random.randrange(64)))
        length += len(lines[-1])
    return "".join(lines)


def _log(random: Random, size: int) -> str:
    lines, length = [], 0
    while length < size:
        at = f"2026-11-{random.randrange(1, 29):02} 12:{random.randrange(60):02}"
        level = random.choice(("INFO", "INFO", "WARN", "ERROR"))
        lines.append(f"{at} {level} shard={random.randrange(64)} took {random.random():.3f} s\n")
        length += len(lines[-1])
    return "".join(lines)
