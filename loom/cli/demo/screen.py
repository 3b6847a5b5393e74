"""`loom demo`: the scripted agent, shown while it works and summed up when it is done."""

from __future__ import annotations

import sys
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import to_builtins
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from loom.cli.demo.proof import DemoResult, DemoStep, run
from loom.cli.demo.script import PLAN
from loom.cli.exits import FINE, FOUND
from loom.cli.show import (
    AsJson,
    bar,
    console,
    emit,
    line,
    lines,
    lively,
    pairs,
    sized,
    speaks,
)
from loom.text import visible

EVERY = 20  # steps between two plain lines
CALLS = 6  # newest steps on the dashboard
PARTITIONS = ("system", "memory", "skill", "history", "working")

Watch = Callable[[DemoStep], None]


def demo(*, json: AsJson = False) -> int:
    """Run a scripted agent in an 8,192-token window and prove that nothing it read was lost."""
    with TemporaryDirectory(prefix="loom-demo-") as folder, _watching(json) as watch:
        outcome = run(Path(folder), watch)
    if json:
        emit({**to_builtins(outcome), "passed": outcome.passed})
    else:
        _closing(outcome)
    return FINE if outcome.passed else FOUND


@contextmanager
def _watching(json: bool) -> Iterator[Watch]:
    """Yield what shows each step: nothing, a live dashboard, or a line now and then."""
    screen = console()
    if json:
        yield lambda frame: None
    elif lively(screen) and speaks(sys.stdout, "ρ█░"):
        board = DemoScreen()
        with Live(console=Console(file=sys.stdout), auto_refresh=False) as live:
            yield lambda frame: live.update(board(frame), refresh=True)
    else:
        line("A scripted agent reads source code through an 8,192-token window.")
        sys.stdout.flush()
        yield _told


def _told(frame: DemoStep) -> None:
    if frame.step % EVERY:
        return
    line(
        f"step {frame.step:3}  {frame.turn.pressure}"
        f"  read {frame.tokens_read:,} tokens  renewals {frame.findings.renewals}"
    )
    sys.stdout.flush()


class DemoScreen:
    """The live picture: ρ by partition, levels fired, the plan, the newest calls."""

    def __init__(self) -> None:
        self._newest: deque[str] = deque(maxlen=CALLS)

    def __call__(self, frame: DemoStep) -> Group:
        """The picture after one more step."""
        pressure = frame.turn.pressure
        calls = ", ".join(f"{name} {_subject(given)}" for name, given in frame.move.calls)
        self._newest.append(visible(f"{frame.step:4}  {calls or frame.move.say}")[:90])
        fired = " · ".join(f"{name} {count}" for name, count in frame.findings.levels.items())
        doing = PLAN[frame.move.doing] if frame.move.doing < len(PLAN) else "done"
        vital = (
            f"step {frame.step} · generation {pressure.generation} · {pressure.pages} pages ·"
            f" read {frame.tokens_read:,} tokens through {pressure.capacity:,}"
        )
        return Group(
            Text(f"loom demo · {doing}", style="bold"),
            Text(vital),
            _bars(frame),
            Text(f"now {pressure.level or '-'} · fired: {fired or 'nothing yet'}", style="yellow"),
            *(Text(text, style="dim", no_wrap=True) for text in self._newest),
        )


def _bars(frame: DemoStep) -> Table:
    pressure = frame.turn.pressure
    table = Table.grid(padding=(0, 1))
    for name in PARTITIONS:
        tokens = getattr(pressure.tokens, name)
        share = tokens / pressure.capacity
        table.add_row(name, Text(bar(share), style="cyan"), f"{tokens:6,}")
    style = "red" if pressure.rho >= 0.8 else "green"
    total = f"{pressure.tokens.total:6,}  ρ {pressure.rho:.2f}"
    table.add_row("total", Text(bar(pressure.rho), style=style), total)
    return table


def _subject(arguments: dict[str, object]) -> str:
    return str(next(iter(arguments.values()), ""))


def _closing(outcome: DemoResult) -> None:
    """The table at the end, and what did not hold."""
    cuts = ", ".join(f"{name} {count}" for name, count in outcome.cuts.items())
    line()
    pairs(
        [
            ("steps", f"{outcome.steps}"),
            ("turns", f"{outcome.turns}"),
            ("renewals", f"{outcome.renewals}"),
            ("cuts by level", cuts or "none"),
            ("window", f"{outcome.window:,} tokens, {outcome.capacity:,} of them for a request"),
            ("tokens read", f"{outcome.tokens_read:,}"),
            ("largest request", f"{outcome.peak_tokens:,} tokens, ρ {outcome.peak_rho:.2f}"),
            ("highest ρ", f"{outcome.reached:.2f}, before the cut it led to"),
            ("tokens sent", f"{outcome.tokens_sent:,}"),
            ("pages", f"{outcome.pages}"),
            (
                "recovered",
                f"{outcome.bytes_recovered:,}/{outcome.bytes_read:,} bytes"
                f" of {outcome.results} results",
            ),
            ("time", f"{outcome.seconds:.1f} s"),
        ]
    )
    if outcome.passed:
        line(f"Closed, reopened, compared: all {sized(outcome.bytes_read)} it read came back.")
    else:
        lines(f"failed: {failure}" for failure in outcome.failures)
