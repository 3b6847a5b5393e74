"""A model without a memory of its own finishes a long piece of work by Loom's tools alone.

Theory of operation
-------------------
`Desk` is the host: it hands out orders in batches, each once; records, each once, with a random
value deep in them; and a manual, once, with a code for every record. What is wanted is the value
and the code of every record, put down in the order of the batches, some forty steps after the
record was read. `decide` is the model: a function of one request and nothing else. It reads what a
model reads — the tools it has, what was said, the dashboards — and keeps what it will need in the
plan and on the scratchpad, where it has them; without them it goes by what it still sees.
"""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from msgspec import json

import loom
from tests.kit.cases import all_cases, some

ITEMS, BATCH, HELD, LIMIT = 60, 10, 8, 420
HOST = ("orders", "fetch", "manual", "put")
WORDS = ("shard", "queue", "index", "retry", "token", "reader", "cache", "schema", "lock")


class Desk:
    """The host's side: what is asked for, and what was put down."""

    def __init__(self, seed: int) -> None:
        self.chance = random.Random(seed)
        order = list(range(1, ITEMS + 1))
        self.chance.shuffle(order)
        self.order = tuple(order)
        self.values = {item: str(self.chance.randrange(10**6, 10**7)) for item in order}
        self.codes = {item: str(self.chance.randrange(10**4, 10**5)) for item in order}
        self.left, self.gone = list(order), set[str]()
        self.put: list[tuple[int, str, str]] = []

    @property
    def wanted(self) -> list[tuple[int, str, str]]:
        """The end state: every record in the order given, with its value and its code."""
        return [(item, self.values[item], self.codes[item]) for item in self.order]

    def pad(self, lines: int) -> list[str]:
        """Lines without meaning."""
        return [
            " ".join([f"{self.chance.randrange(10**6)}", *self.chance.choices(WORDS, k=7)])
            for _ in range(lines)
        ]

    def answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """The result of one call, and whether it is an error; nothing is given twice."""
        key = f"{name} {arguments.get('record', '')}"
        if key in self.gone and name in ("fetch", "manual"):
            return f"{key} was given before and is gone", True
        self.gone.add(key)
        if name == "orders":
            batch, self.left = self.left[:BATCH], self.left[BATCH:]
            return f"batch: {' '.join(map(str, batch)) or 'none'}", False
        if name == "fetch":
            item = int(arguments["record"])
            lines = self.pad(60)
            lines.insert(self.chance.randrange(60), f"record {item} value {self.values[item]}")
            return "\n".join(lines), False
        if name == "manual":
            lines = [f"code of record {item:02d} is {self.codes[item]}" for item in self.codes]
            return "\n".join(line for row in lines for line in (row, *self.pad(16))), False
        if name == "put":
            given = (int(arguments["record"]), str(arguments["value"]), str(arguments["code"]))
            self.put.append(given)
            return f"put down {given[0]}", False
        return f"there is no tool {name}", True


class View:
    """What one request shows: the plan, the notes, what is visible of the work, the last result."""

    def __init__(self, request: Mapping[str, Any]) -> None:
        self.tools = {tool["function"]["name"] for tool in request["tools"]}
        self.plan: list[tuple[str, int]] = []
        self.notes: dict[str, str] = {}
        self.batch: list[int] = []
        self.fetched: set[int] = set()
        self.name, self.arguments, self.result = "", dict[str, Any](), ""
        calls: dict[str, tuple[str, dict[str, Any]]] = {}
        for message in request["messages"]:
            text = message.get("content") or ""
            if message["role"] == "user" and text.startswith("[dashboard "):
                self.dashboard(text)
            for call in message.get("tool_calls", ()):
                name, arguments = call["function"]["name"], call["function"]["arguments"]
                calls[call["id"]] = (name, json.decode(arguments))
                self.called(*calls[call["id"]])
            if message["role"] == "tool":
                self.name, self.arguments = calls[message["tool_call_id"]]
                self.result = text
                self.returned()

    def dashboard(self, text: str) -> None:
        """A whole block says all that stands; a line says only what changed."""
        if not text.partition("\n")[0].endswith("]"):
            return
        self.planned(re.findall(r"^plan (\[.\] .*)$", text, re.M))
        _, _, pad = text.partition("\nscratchpad:")
        self.notes = dict(re.findall(r"(\w+)=(\S+)", pad))

    def planned(self, items: list[str]) -> None:
        """A plan as the tool takes it, and as a dashboard shows it."""
        self.plan = [(item[1], int(item[4:])) for item in items]

    def called(self, name: str, arguments: dict[str, Any]) -> None:
        """What the model did and still sees."""
        if name == "plan":
            self.planned(arguments.get("items", []))
        if name in ("note", "scratch"):
            fresh = dict(re.findall(r"(\w+)=(\S+)", arguments.get("text", "")))
            self.notes = {**self.notes, **fresh} if name == "note" else fresh
        if name == "fetch" and "record" in arguments:
            self.fetched.add(int(arguments["record"]))

    def returned(self) -> None:
        """What a result says, as far as it stands; without a scratchpad it is all there is."""
        if self.name == "orders" and (found := re.search(r"batch: ([\d ]+)", self.result)):
            self.batch = [int(item) for item in found[1].split()]
        if "note" in self.tools:
            return
        if self.name == "orders" and "none" in self.result:
            self.notes["end"] = "yes"
        if value := re.search(r"record (\d+) value (\d+)", self.result):
            self.notes[f"r{value[1]}"] = value[2]
        if self.name == "manual" and (page := re.search(r"outputs/\S+\.txt", self.result)):
            self.notes["manual"] = page[0]
        if self.name == "put":
            self.notes.pop(f"r{self.arguments.get('record')}", None)

    @property
    def held(self) -> list[int]:
        """Records whose values are noted and not yet put down, oldest first."""
        return [int(key[1:]) for key in self.notes if re.fullmatch(r"r\d+", key)]

    @property
    def current(self) -> int:
        """The record the work is at, 0 when a new batch is due."""
        if "plan" in self.tools:
            return next((item for mark, item in self.plan if mark == ">"), 0)
        return next((item for item in self.batch if item not in self.fetched), 0)


Act = tuple[str, dict[str, Any]]


def decide(request: Mapping[str, Any]) -> Act | None:
    """The next call, from what this request shows and nothing else; None at the end."""
    view = View(request)
    if view.name == "manual" and "manual" not in view.notes and "note" in view.tools:
        page = re.search(r"outputs/\S+\.txt", view.result)
        return "note", {"text": f"manual={page[0] if page else '-'}"}
    if "manual" not in view.notes and "note" in view.tools:
        return "manual", {}
    if view.name == "put" and "scratch" in view.tools:
        left = {key: of for key, of in view.notes.items() if key != f"r{view.arguments['record']}"}
        return "scratch", {"text": "\n".join(f"{key}={of}" for key, of in left.items())}
    if view.name == "orders" and "none" in view.result and "note" in view.tools:
        return "note", {"text": "end=yes"}
    if view.name == "orders" and "plan" in view.tools and not view.current:
        marks = (">" if at == 0 else " " for at in range(len(view.batch)))
        items = [f"[{mark}] {item}" for mark, item in zip(marks, view.batch, strict=True)]
        return "plan", {"items": items}
    return work(view)


def work(view: View) -> Act | None:
    """The record at hand: read, noted, an older one put down, and the plan moved on."""
    item = view.current
    if item and f"r{item}" not in view.notes:
        value = re.search(rf"record {item} value (\d+)", view.result)
        if value and "note" in view.tools:
            return "note", {"text": f"r{item}={value[1]}"}
        return "fetch", {"record": item}
    if len(view.held) > HELD or (view.notes.get("end") and view.held):
        return deliver(view, view.held[0])
    if view.notes.get("end"):
        return None
    if not item:
        return "orders", {}
    at = [number for _, number in view.plan].index(item)
    marks = ["x" if n <= at else ">" if n == at + 1 else " " for n in range(len(view.plan))]
    done = [f"[{mark}] {n}" for mark, (_, n) in zip(marks, view.plan, strict=True)]
    return "plan", {"items": done}


def deliver(view: View, item: int) -> Act:
    """Look the code up in the manual, then put both down."""
    code = re.search(rf"code of record {item:02d} is (\d+)", view.result)
    if not code and "page_in" in view.tools:
        return "page_in", {"ref": view.notes["manual"], "grep": f"record {item:02d} is"}
    found = {"record": item, "value": view.notes[f"r{item}"], "code": code[1] if code else "?"}
    return "put", found


def live(path: Path, seed: int, *, own_tools: bool) -> tuple[Desk, int, int]:
    """Let the model work to its end: the desk, the steps it took, the cuts it saw."""
    desk = Desk(seed)
    tools = [{"name": name, "parameters": {"type": "object"}} for name in HOST]
    with loom.open(
        path,
        goal="Put every record down.",
        window=8_192,
        tools=tools,
        policy=loom.Policy(own_tools=own_tools),
        durable=False,
    ) as ctx:
        for number in range(LIMIT):
            act = decide(ctx.turn().request("openai"))
            if act is None:
                return desk, number, ctx.window.sent.cuts
            ctx.reply(
                loom.Reply((loom.ToolCall(f"c{number}", act[0], json.encode(act[1]).decode()),))
            )
            for call in ctx.calls:
                text, error = desk.answer(call.name, json.decode(call.arguments))
                ctx.result(call, text, error=error)
        return desk, LIMIT, ctx.window.sent.cuts


@all_cases("seed", some([1, 2, 3], 1))
def test_the_work_is_done_by_loops_tools(tmp_path: Path, seed: int) -> None:
    """Over many cuts every value and every code is put down, in the order of the plan."""
    desk, steps, cuts = live(tmp_path, seed, own_tools=True)
    assert desk.put == desk.wanted
    assert steps >= 300
    assert cuts >= 15


@pytest.mark.parametrize("seed", [1, 2])
def test_without_them_it_is_not(tmp_path: Path, seed: int) -> None:
    """The same model with the same desk and no tools but the host's loses what it read."""
    desk, _, _ = live(tmp_path, seed, own_tools=False)
    assert desk.put != desk.wanted
    right = {item for item, value, _ in desk.put if value == desk.values.get(item)}
    assert len(right) < ITEMS / 2


def test_in_a_window_that_holds_all_the_script_needs_no_tools() -> None:
    """What the failure without them is measured against: values are found in sight."""
    desk = Desk(1)
    messages: list[dict[str, Any]] = []
    for number, (name, arguments) in enumerate([("orders", {}), ("fetch", {"record": 5})]):
        text, _ = desk.answer(name, arguments)
        call = {"name": name, "arguments": json.encode(arguments).decode()}
        messages.append(
            {"role": "assistant", "tool_calls": [{"id": f"c{number}", "function": call}]}
        )
        messages.append({"role": "tool", "tool_call_id": f"c{number}", "content": text})
    view = View({"tools": [], "messages": messages})
    assert view.batch == list(desk.order[:BATCH])
    assert view.notes["r5"] == desk.values[5]
