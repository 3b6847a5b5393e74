"""The steps of the design documents' examples: seven tools, results of their sizes, or even ones.

A step here is what the agent thinks, the call it makes, and the result it gets. Ten steps with the
tools in turn take about 500 tokens each on average, the size the documents count with.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from random import Random
from typing import Any, NamedTuple

from loom.inputs import Reply, Speech, ToolCall
from loom_bench.sessions.material import Material


class PayloadSizes(NamedTuple):
    """How much each tool returns: bytes of files, characters of a page and of a snippet, counts of
    the rest. What the documents' examples name, the weather's a day hour by hour."""

    file: int = 2_048
    report: int = 1_234
    entries: int = 20
    hits: int = 10
    snippet: int = 175
    page: int = 5_000
    lines: int = 20
    hours: int = 24


DOCUMENTED = PayloadSizes()
EVEN = PayloadSizes(1_600, 2_000, 96, 11, 75, 1_600, 25, 40)


class PayloadStep(NamedTuple):
    """One step before it meets a window."""

    thought: str
    tool: str
    arguments: dict[str, Any]
    result: str

    def reply(self, number: int) -> Reply:
        """The model's reply of this step, its call under an id of its own."""
        arguments = json.dumps(self.arguments, ensure_ascii=False)
        return Reply((Speech(self.thought), ToolCall(f"call_{number:04d}", self.tool, arguments)))


Made = tuple[str, dict[str, Any], Any]  # what is thought, arguments, result


def _read(made: Material, number: int, sizes: PayloadSizes) -> Made:
    content = "\n".join(made.code(80))[: sizes.file].ljust(sizes.file, "#")
    path = f"src/{made.name()}.py"
    return f"I need to see what {path} does.", {"path": path}, {"content": content}


def _write(made: Material, number: int, sizes: PayloadSizes) -> Made:
    content = f"# Analysis Report {number}\n\n{made.prose(40)}"[: sizes.report]
    arguments = {"path": f"report_{number}.md", "content": content}
    return "I should save this analysis.", arguments, {"success": True, "bytes": len(content)}


def _list(made: Material, number: int, sizes: PayloadSizes) -> Made:
    folder = f"src/{made.noun()}/"
    names = [f"{made.name()}.py" if at % 4 else f"{made.name()}/" for at in range(sizes.entries)]
    return f"Let me look at what is in {folder}.", {"path": folder}, {"entries": names}


def _search(made: Material, number: int, sizes: PayloadSizes) -> Made:
    arguments = {"query": f"Bitcoin price {made.noun()} {number}", "count": sizes.hits}
    hits = [
        {"title": f"Bitcoin {made.noun()} today", "url": made.url(),
         "snippet": made.prose(5)[: sizes.snippet]}
        for _ in range(sizes.hits)
    ]  # fmt: skip
    return "I need to search for Bitcoin price information.", arguments, {"results": hits}


def _navigate(made: Material, number: int, sizes: PayloadSizes) -> Made:
    text = made.prose(100)[: sizes.page]
    links = [made.url() for _ in range(4)]
    page = {"status": 200, "title": made.sentence(), "text": text, "links": links}
    return "Let me read the first result.", {"url": made.url()}, page


def _shell(made: Material, number: int, sizes: PayloadSizes) -> Made:
    lines = [f"{made.rng.getrandbits(28):07x} fix: {made.sentence()}" for _ in range(sizes.lines)]
    arguments = {"command": "git", "args": ["log", "--oneline", f"-{sizes.lines}"]}
    result = {"stdout": "\n".join(lines), "stderr": "", "exit_code": 0}
    return "The history will tell when that changed.", arguments, result


def _weather(made: Material, number: int, sizes: PayloadSizes) -> Made:
    hours = [{"hour": hour, "temperature": made.rng.randint(-9, 39)} for hour in range(sizes.hours)]
    place = f"{made.noun().title()} City"
    return f"Is it sunny in {place}?", {"location": place}, {"location": place, "hours": hours}


TOOLS: dict[str, Callable[[Material, int, PayloadSizes], Made]] = {
    "fs:read_file": _read, "fs:write_file": _write, "fs:list_dir": _list, "web:search": _search,
    "browser:navigate": _navigate, "system:shell": _shell, "weather:get": _weather,
}  # fmt: skip
MIX = tuple(TOOLS)


def step(tool: str, number: int, sizes: PayloadSizes = DOCUMENTED) -> PayloadStep:
    """The `number`-th step of a run, with one of the tools of MIX."""
    thought, arguments, result = TOOLS[tool](Material(Random(f"{tool}:{number}")), number, sizes)
    return PayloadStep(thought, tool, arguments, json.dumps(result, ensure_ascii=False))


def mixed(count: int, sizes: PayloadSizes = DOCUMENTED, first: int = 0) -> list[PayloadStep]:
    """Steps with the seven tools in turn."""
    return [step(MIX[(at + first) % len(MIX)], at, sizes) for at in range(count)]
