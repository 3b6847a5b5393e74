"""`seeds`: the design documents' figures, on the real engine in their window of 8,192 tokens.

Theory of operation. A run plays scripted steps through the eager preset and asks for a turn before
each reply, as an agent does. What a step cost before is counted on its bare text. What it costs
after is read off the window, once later steps have pushed it out of the last three: its own line,
or the whole of the digest that stands for it, and the heading over the lines.

What left the window is asked for by nothing but the names it shows: `page_in` takes every name, the
agent's own file tool every path of the workspace folder. All that a name allows are tried, and
compared byte for byte with what went in.
"""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from msgspec.structs import replace
from rich.table import Table

import loom
from benchmarks.documented.payloads import EVEN, MIX, PayloadStep, mixed, step
from benchmarks.options import CommandResult, measuring
from benchmarks.show import by_row
from loom.errors import LoomError
from loom.inputs import Reply, ToolCall
from loom.live import Context
from loom.providers.counts import counter_for
from loom_bench.sessions.material import Material
from loom_paging import PagingError
from loom_partitions.message import Detail, Digest, Step, name_of

PAGE = re.compile(r"\boutputs/[\w.-]*\w")
ENTRY = re.compile(r"\bstep_\d{4,}\b")
VIEW = re.compile(r"\bhistory/step_\d{4,}\.json\b")


class Offloaded(NamedTuple):
    """A result that rests on a page: the page, the entry it belongs to, its call, its text."""

    page: str
    entry: str
    call: str
    text: str


class Run(NamedTuple):
    """A context in its folder, and what it has offloaded so far."""

    ctx: Context
    folder: Path
    offloaded: list[Offloaded]

    def shown(self) -> str:
        """Everything the next request shows, as one text."""
        messages = self.ctx.turn().request("openai")["messages"]
        return "\n".join(str(message.get("content") or "") for message in messages)

    def play(self, steps: Sequence[PayloadStep]) -> None:
        """Play steps as an agent does: a turn, the reply, the result; and the turn that follows."""
        for one in steps:
            self.ctx.turn()
            self.ctx.reply(one.reply(self.ctx.window.history.next_id))
            call = self.ctx.calls[0].id
            self.ctx.result(call, one.result)
            entry = self.ctx.window.history.stream.last
            assert isinstance(entry, Step)
            if page := entry.outcomes[0].text.page:
                self.offloaded.append(Offloaded(page, name_of(entry), call, one.result))
        self.ctx.turn()

    def names(self) -> set[str]:
        """The names of pages and steps that the request shows, those on the digest pages it names,
        and on theirs; and the paths of steps it shows."""
        unread = [self.shown()]
        found = set(VIEW.findall(unread[0]))
        while unread:
            listed = unread.pop()
            fresh = {*PAGE.findall(listed), *ENTRY.findall(listed)} - found
            found |= fresh
            digests = (name for name in fresh if name.startswith("outputs/digest_"))
            unread += [self.ctx.page_in(name).text for name in digests]
        return found

    def recovered(self) -> float:
        """Share of offloaded bytes, 0 to 1, that both ways bring back from the last request."""
        shown = self.names()
        sizes = [len(one.text.encode()) for one in self.offloaded]
        back = (
            size * self._back(one, shown) for size, one in zip(sizes, self.offloaded, strict=True)
        )
        return sum(back) / sum(sizes) if sizes else 1.0

    def _back(self, one: Offloaded, shown: set[str]) -> bool:
        """True when a result is whole by its page's name and path, or else by its step's."""
        view = f"history/{one.entry}.json"
        try:
            if one.page in shown:
                paged = self.ctx.page_in(one.page).text
                return paged == (self.folder / one.page).read_text("utf-8") == one.text
            if one.entry not in shown:
                return False
            texts = {json.loads(self.ctx.page_in(one.entry, pointer=f"/results/{one.call}").text)}
            if view in shown:
                told = json.loads((self.folder / view).read_text("utf-8"))
                texts.add(told["results"][one.call])
            return texts == {one.text}
        except (LoomError, OSError):
            return False

    def look_up(self, tool: str, arguments: dict[str, str], number: int) -> bool:
        """Ask for a name; True when that fails. The agent's file tool has the folder as its own."""
        ctx = self.ctx
        ctx.turn()
        ctx.reply(Reply((ToolCall(f"look_{number:04d}", tool, json.dumps(arguments)),)))
        for call in ctx.calls:
            try:
                ctx.result(call.id, (self.folder / arguments["path"]).read_text("utf-8"))
            except (OSError, PagingError) as error:
                ctx.result(call.id, str(error), error=True)
        return bool(ctx.history.restore(ctx.window.history.next_id - 1).errors)


LOOKUPS = 2  # names the scripted agent looks up, after every second step
FILES = "fs:read_file"  # the agent's own tool, which opens paths alone
# How it words a look-up: tool, the argument that names, and the others.
LOOKS: tuple[tuple[str, str, dict[str, str]], ...] = (
    ("page_in", "ref", {}),
    ("page_in", "ref", {"lines": "1-20"}),
    ("page_in", "ref", {"grep": "price|status"}),
    (FILES, "path", {}),
)


def error_rate(run: Run, steps: Sequence[PayloadStep]) -> float:
    """Share of look-ups that fail, 0 to 1, over a run whose agent asks for names it is shown.

    The context needs its own tools. A plain read is made of paths alone; one that is no file is a
    dead reference.
    """
    failed: list[bool] = []
    rng = Random(1)
    for number, one in enumerate(steps):
        run.ctx.turn()
        run.ctx.reply(one.reply(number))
        run.ctx.result(run.ctx.calls[0], one.result)
        if number % 2:
            text = run.shown()
            paths = sorted({*PAGE.findall(text), *VIEW.findall(text)})
            names = sorted({*PAGE.findall(text), *ENTRY.findall(text)})
            for name in rng.sample(names, min(LOOKUPS, len(names))):
                tool, key, others = LOOKS[len(failed) % len(LOOKS)]
                if tool != FILES or name in paths or paths:
                    asked = name if tool != FILES or name in paths else rng.choice(paths)
                    failed.append(run.look_up(tool, {key: asked, **others}, len(failed)))
    return sum(failed) / len(failed)


GOAL = "Find out where the Bitcoin price is going and save an analysis."
ASK = "Please research the Bitcoin price and save what you find."
# The documents' layout: 1,500 tokens of prompt and tools, 500 of examples.
PROMPT = "You are a careful research agent. Use the tools; keep the results; cite your sources.\n"
RULES, BRIEF = 126, 50  # sentences of prose; fewer beside Loom's own tools, of the same part
# The documents' five steps: search, read the first result, save, search again, save.
EXAMPLE = ("web:search", "browser:navigate", "fs:write_file", "web:search", "fs:write_file")
FILLERS = [step("weather:get", number) for number in range(900, 908)]
# figure → (whether it may be at most or must be at least, the limit)
REQUIRED: dict[str, tuple[str, float]] = {
    "tokens_per_step": ("≤", 100),
    "tokens_10_steps": ("≤", 1_500),
    "tokens_10_even_steps": ("≤", 1_500),
    "tokens_10_even_steps_most": ("≤", 1_500),
    "saved_5_reads": ("≥", 0.92),
    "saved_10_searches": ("≥", 0.94),
    "saved_20_steps": ("≥", 0.90),
    "saved_20_steps_with_recent": ("≥", 0.90),
    "recovered": ("≥", 1.0),
    "tool_error_rate": ("<", 0.05),
}
HOLDS: dict[str, Callable[[float, float], bool]] = {
    "≤": operator.le, "≥": operator.ge, "<": operator.lt,
}  # fmt: skip


@contextmanager
def running(*, own_tools: bool = False) -> Iterator[Run]:
    """A context with the documents' layout, its goal and question given."""
    policy = replace(loom.PRESETS["eager"], own_tools=own_tools)
    with (
        TemporaryDirectory(prefix="loom-seeds-") as folder,
        loom.open(
            folder, goal=GOAL, window=8_192, reply=3_492, policy=policy, durable=False
        ) as ctx,
    ):
        ctx.system(PROMPT + Material(Random(1)).prose(BRIEF if own_tools else RULES))
        ctx.system(Material(Random(2)).prose(45), "examples")
        ctx.user(ASK)
        yield Run(ctx, Path(folder), [])


Cost = dict[str, Any]  # tokens of steps `before`, as they came, and `after`; the share `saved`


def _cost(steps: Sequence[PayloadStep], after: int) -> Cost:
    count = counter_for()
    before = sum(sum(count.many((one.thought, _bare(one.arguments), one.result))) for one in steps)
    return {"before": before, "after": after, "saved": 1 - after / before}


def _bare(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _settled(steps: Sequence[PayloadStep]) -> Cost:
    """The cost of steps once later ones have pushed them out of the last three."""
    with running() as run:
        last = run.ctx.window.history.next_id + len(steps) - 1
        run.play([*steps, *FILLERS])
        window = run.ctx.window
        own = (
            entry.tokens
            for entry in window.history.stream.entries
            if isinstance(entry, Digest | Step)
            and (entry.first if isinstance(entry, Digest) else entry.id) <= last
        )
        return _cost(steps, sum(own) + window.limits.run)


def _history(steps: Sequence[PayloadStep]) -> Cost:
    """The cost of the whole history of a window after some steps, the last three as they stand."""
    with running() as run:
        run.play(steps)
        return _cost(steps, run.ctx.window.tokens.history)


def _per_step() -> float:
    """Mean tokens of a reduced step as it stands in the window, over all seven tools."""
    sizes: dict[int, int] = {}
    with running() as run:
        for one in [*mixed(21), *FILLERS]:
            run.play([one])
            for entry in run.ctx.window.history.stream.entries:
                if isinstance(entry, Step) and entry.detail is Detail.REDUCED:
                    sizes.setdefault(entry.id, entry.tokens)
    return sum(sizes.values()) / len(sizes)


def figures() -> tuple[dict[str, Any], list[Table]]:
    """The JSON object, and the tables a person reads."""
    runs = {
        "saved_5_reads": [step("fs:read_file", at) for at in range(5)],
        "saved_10_searches": [step("web:search", at) for at in range(10)],
        "saved_20_steps": mixed(20),
        "saved_10_even_searches": [step("web:search", at, EVEN) for at in range(10)],
    }
    saved = {name: _settled(steps) for name, steps in runs.items()}
    saved |= {f"{name}_with_recent": _history(steps) for name, steps in runs.items()}
    # Ten even steps, so that each of the seven tools comes last once.
    even = [_history(mixed(10, EVEN, first)) for first in range(len(MIX))]
    histories = {
        "tokens_10_steps": _history(mixed(10)),
        "tokens_10_even_steps": even[0],
        "tokens_10_even_steps_most": max(even, key=lambda cost: cost["after"]),
    }
    example = _history([step(tool, number) for number, tool in enumerate(EXAMPLE)])
    with running() as run:
        run.play([*mixed(20), *FILLERS])
        share = run.recovered()
    with running(own_tools=True) as run:
        failing = error_rate(run, mixed(20))
    report: dict[str, Any] = {
        "tokens_per_step": round(_per_step(), 1),
        **{name: cost["after"] for name, cost in histories.items()},
        **{name: round(cost["saved"], 4) for name, cost in saved.items()},
        "recovered": share,
        "tool_error_rate": failing,
        "example_before": example["before"],
        "example_after": example["after"],
    }
    late = missed(report)
    reached = {
        name: {
            "required": f"{sign} {limit:,}",
            "measured": report[name],
            "reached": "no" if name in late else "yes",
        }
        for name, (sign, limit) in REQUIRED.items()
    }
    tokens = {**saved, **histories, "example": example}
    return report, [by_row("Tokens", tokens), by_row("Figures", reached)]


def missed(report: dict[str, Any]) -> list[str]:
    """The required figures a report does not reach."""
    return [name for name, (sign, most) in REQUIRED.items() if not HOLDS[sign](report[name], most)]


@measuring
def seeds() -> CommandResult:
    """Reproduce the figures of the design documents through the real engine."""
    report, tables = figures()
    late = [f"{name}: {report[name]} measured" for name in missed(report)]
    return CommandResult(report, tables, missed=late)
