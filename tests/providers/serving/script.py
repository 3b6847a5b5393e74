"""The scripted model: what it says at a step, from a seed, the step's number and the tools.

It thinks, sometimes speaks beside its calls, calls one tool or two to four at once, sometimes
without arguments, now and then with arguments that are no JSON; after its steps it answers.
"""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Sequence
from random import Random
from typing import Any, NamedTuple

from tests.providers.serving.prompt import canonical

WORDS = [
    "alpha", "beta", "gamma", "delta", "config", "parser", "retry", "socket", "budget", "window",
    "ledger", "schema", "token", "cursor", "migrate", "rollback", "timeout", "invoice", "customer",
    "shard", "replica", "index", "cache", "latency", "queue",
]  # fmt: skip
BROKEN = ('{"path": "src/mod_', '{path: src}', '{"a": 1,}', "[1, 2", "not json at all")  # fmt: skip


class Tool(NamedTuple):
    """A tool of the request: its name, and the JSON schema of its arguments."""

    name: str
    schema: dict[str, Any]


class Call(NamedTuple):
    """One call: a bare id, the tool's name, arguments as JSON text (perhaps invalid)."""

    id: str
    name: str
    arguments: str


class Line(NamedTuple):
    """What the model does at one step."""

    thought: str
    text: str
    calls: tuple[Call, ...]
    final: bool = False


class Script(NamedTuple):
    """A deterministic agent: `steps` tool steps, then an answer. `avoid` are tools it leaves alone;
    `rare` ones it asks for now and then only."""

    seed: str = "0"
    steps: int = 5
    avoid: Collection[str] = ()
    rare: Collection[str] = ()

    def line(self, step: int, tools: Sequence[Tool], *, broken: bool) -> Line:
        """Step `step` (from 0), with these tools; `broken` arguments only where a text may be."""
        random = Random(f"{self.seed}/{step}")
        thought = _prose(random, 6, 40)
        usual = [tool for tool in tools if tool.name not in {*self.avoid, *self.rare}]
        rare = [tool for tool in tools if tool.name in self.rare]
        if step >= self.steps or not usual:
            return Line(thought, f"All done after {step} steps: {_prose(random, 8, 30)}.", (), True)
        text = f"Next: {_prose(random, 3, 12)}." if random.random() < 0.4 else ""
        count = random.choice((1, 1, 1, 1, 2, 2, 3, 4))
        calls = []
        for number in range(count):
            pool = rare if rare and random.random() < 0.08 else usual
            arguments = _arguments(random, tool := random.choice(pool))
            if broken and tool not in rare and random.random() < 0.06:
                arguments = random.choice(BROKEN)
            calls.append(Call(_id(self.seed, step, number), tool.name, arguments))
        return Line(thought, text, tuple(calls))


def _id(seed: str, step: int, number: int) -> str:
    return hashlib.sha256(f"{seed}/{step}/{number}".encode()).hexdigest()[:24]


def _prose(random: Random, least: int, most: int) -> str:
    return " ".join(random.choices(WORDS, k=random.randint(least, most)))


def _arguments(random: Random, tool: Tool) -> str:
    """Arguments by the schema: the required ones, and some of the others."""
    required = tool.schema.get("required") or ()
    given = {
        name: _value(random, name, schema)
        for name, schema in (tool.schema.get("properties") or {}).items()
        if name in required or random.random() < 0.3
    }
    return canonical(given)


def _value(random: Random, name: str, schema: dict[str, Any]) -> Any:
    if "enum" in schema:
        return random.choice(schema["enum"])
    kind = schema.get("type", "string")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "string" and name == "path":
        return f"src/mod_{random.randrange(12)}.py"
    values = {
        "integer": random.randrange(1, 200),
        "number": random.random(),
        "boolean": random.random() < 0.5,
        "array": [random.choice(WORDS)],
        "object": {random.choice(WORDS): random.randrange(9)},
    }
    return values.get(kind, _prose(random, 1, 6))
