"""`seeds`: the design documents' figures, on the real engine in their window of 8,192 tokens.

Theory of operation. A run plays scripted steps through the eager preset and asks for a turn before
each reply, as an agent does. What a step cost before is counted on its bare text: thought, call
and result. What it costs after is read off the window, once later steps have pushed it out of the
last three: its own line, or the whole of the digest that stands for it, and the heading over the
lines. Nothing is estimated.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

from msgspec import Struct, json
from msgspec.structs import replace
from rich.table import Table

import loom
from benchmarks.documented.payloads import EVEN, MIX, PayloadStep, mixed, step
from benchmarks.documented.retrieval import Offloaded, error_rate, recovered
from benchmarks.options import CommandResult, measuring
from benchmarks.show import by_row
from loom.context import Context
from loom.providers.counts import counter_for
from loom_bench.sessions.material import Material
from loom_partitions.message import Detail, Digest, name_of
from loom_partitions.message import Step as Entry

WINDOW, REPLY = 8_192, 3_492
GOAL = "Find out where the Bitcoin price is going and save an analysis."
# The documents' layout: 1,500 tokens of prompt and tools, 500 of examples.
PROMPT = "You are a careful research agent. Use the tools; keep the results; cite your sources.\n"
RULES = Material(Random(1)).prose(126)
BRIEF = Material(Random(1)).prose(50)  # beside Loom's own tools, which are of the same part
EXAMPLES = Material(Random(2)).prose(45)
ASK = "Please research the Bitcoin price and save what you find."
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


class Cost(Struct, frozen=True):
    """Tokens of some steps: as they came, and as they stand in the window."""

    before: int
    after: int

    @property
    def saved(self) -> float:
        """Share saved, 0 to 1."""
        return 1 - self.after / self.before


HOLDS: dict[str, Callable[[float, float], bool]] = {
    "≤": operator.le, "≥": operator.ge, "<": operator.lt,
}  # fmt: skip


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
    turned = (
        [step(MIX[(at + first) % len(MIX)], at, EVEN) for at in range(10)]
        for first in range(len(MIX))
    )
    histories = {
        "tokens_10_steps": _history(mixed(10)),
        "tokens_10_even_steps": _history(mixed(10, EVEN)),
        "tokens_10_even_steps_most": max(map(_history, turned), key=lambda cost: cost.after),
    }
    example = _history([step(tool, number) for number, tool in enumerate(EXAMPLE)])
    with _opened() as run:
        run.play([*mixed(20), *FILLERS])
        share = recovered(run.ctx, run.folder, run.offloaded)
    with _opened(own_tools=True) as run:
        failing = error_rate(run.ctx, run.folder, mixed(20))
    report: dict[str, Any] = {
        "tokens_per_step": round(_per_step(), 1),
        **{name: cost.after for name, cost in histories.items()},
        **{name: round(cost.saved, 4) for name, cost in saved.items()},
        "recovered": share,
        "tool_error_rate": failing,
        "example_before": example.before,
        "example_after": example.after,
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
    tokens = {
        name: {"before": one.before, "after": one.after, "saved": one.saved}
        for name, one in {**saved, **histories, "example": example}.items()
    }
    return report, [by_row("Tokens", tokens), by_row("Figures", reached)]


def missed(report: dict[str, Any]) -> list[str]:
    """The required figures a report does not reach."""
    return [name for name, (sign, most) in REQUIRED.items() if not HOLDS[sign](report[name], most)]


class Run(NamedTuple):
    """A context in its folder, and what it has offloaded so far."""

    ctx: Context
    folder: Path
    offloaded: list[Offloaded]

    def play(self, steps: Sequence[PayloadStep]) -> None:
        """Play steps as an agent does: a turn, the reply, the result; and the turn that follows."""
        for one in steps:
            self.ctx.turn()
            self.ctx.reply(one.reply(self.ctx.window.history.next_id))
            call = self.ctx.calls[0].id
            self.ctx.result(call, one.result)
            entry = self.ctx.window.history.stream.last
            assert isinstance(entry, Entry)
            if page := entry.outcomes[0].text.page:
                self.offloaded.append(Offloaded(page, name_of(entry), call, one.result))
        self.ctx.turn()


@contextmanager
def _opened(*, own_tools: bool = False) -> Iterator[Run]:
    """A context with the documents' layout, its goal and question given."""
    with (
        TemporaryDirectory(prefix="loom-seeds-") as folder,
        loom.open(
            folder,
            goal=GOAL,
            window=WINDOW,
            reply=REPLY,
            policy=replace(loom.PRESETS["eager"], own_tools=own_tools),
            durable=False,
        ) as ctx,
    ):
        ctx.system(PROMPT + (BRIEF if own_tools else RULES))
        ctx.system(EXAMPLES, "examples")
        ctx.user(ASK)
        yield Run(ctx, Path(folder), [])


def _raw(steps: Sequence[PayloadStep]) -> int:
    """Tokens of steps as they come from the model and its tools."""
    count = counter_for()
    return sum(
        sum(count.many((one.thought, json.encode(one.arguments).decode(), one.result)))
        for one in steps
    )


def _settled(steps: Sequence[PayloadStep]) -> Cost:
    """The cost of steps once later ones have pushed them out of the last three."""
    with _opened() as run:
        last = run.ctx.window.history.next_id + len(steps) - 1
        run.play([*steps, *FILLERS])
        window = run.ctx.window
        own = [
            entry.tokens
            for entry in window.history.stream.entries
            if (isinstance(entry, Digest) and entry.first <= last)
            or (isinstance(entry, Entry) and entry.id <= last)
        ]
        return Cost(_raw(steps), sum(own) + window.limits.run)


def _history(steps: Sequence[PayloadStep]) -> Cost:
    """The cost of the whole history of a window after some steps, the last three as they stand."""
    with _opened() as run:
        run.play(steps)
        return Cost(_raw(steps), run.ctx.window.tokens.history)


def _per_step() -> float:
    """Mean tokens of a reduced step as it stands in the window, over all seven tools."""
    sizes: dict[int, int] = {}
    with _opened() as run:
        for one in [*mixed(21), *FILLERS]:
            run.play([one])
            for entry in run.ctx.window.history.stream.entries:
                if isinstance(entry, Entry) and entry.detail is Detail.REDUCED:
                    sizes.setdefault(entry.id, entry.tokens)
    return sum(sizes.values()) / len(sizes)


@measuring
def seeds() -> CommandResult:
    """Reproduce the figures of the design documents through the real engine."""
    report, tables = figures()
    late = [f"{name}: {report[name]} measured" for name in missed(report)]
    return CommandResult(report, tables, missed=late)
