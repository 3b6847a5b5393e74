"""A frame of `loom top` as lines of a given width and height, styled; printed plain they hold.

The most telling stand first: where there are more lines than the terminal is high, the last leave.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct
from rich.text import Text

from loom.cli.records import when
from loom.cli.show import bar, sized
from loom.cli.stat_log import told_size
from loom.cli.styled import STYLES, flowed, short, spark
from loom.engine.pressure import CLIENT, Pressure
from loom.inspect.requests import CutPoint
from loom.reduce.lines import counted
from loom_partitions.surfaces import PlanItem

LABEL = 8  # columns of the first word of a row
LABELS = {"skill": "skill+"}  # a window counts its tools with its skills
URGENT = {"critical": "bold red", "high": "red", "normal": "yellow", "low": "dim"}
STATES = {"done": "x", "doing": ">", "todo": " "}
Line = tuple[str, str]  # a text and its style


class Series(Struct, frozen=True):
    """The newest requests, oldest first, a column each: ρ, tokens in and out, by partition."""

    turn: tuple[int, ...]
    rho: tuple[float, ...]
    sent: tuple[int, ...]
    replied: tuple[int, ...]
    tokens: dict[str, tuple[int, ...]]


class Alert(Struct, frozen=True):
    """A pending event, or a risk (`disposition` says how it was put off)."""

    urgency: str
    kind: str
    summary: str
    ids: tuple[str, ...]
    count: int = 1
    disposition: str = ""


class Told(Struct, frozen=True):
    """A record as `loom log` tells it."""

    commit: int
    at: int
    kind: str
    text: str


class Frame(Struct, frozen=True):
    """All a frame shows. Tokens are as Loom counts them; `pressure` is of the window as it stands.

    `sent` are the tokens of all requests as they were sent, `largest` those of the largest, `cost`
    dollars for them by list prices. `reuse` is the share of all tokens sent that stood at the front
    of the request before, so that a provider's cache could serve them; None before the first.
    `torn` bytes at the end of the journal are no whole commit yet; `note` says what befell it.
    """

    folder: str
    model: str
    goal: str
    turn: int
    pressure: Pressure
    series: Series
    levels: dict[str, int]
    cuts: tuple[CutPoint, ...]
    renewals: tuple[CutPoint, ...]
    reuse: float | None
    alerts: tuple[Alert, ...]
    plan: tuple[PlanItem, ...]
    progress: str
    open_calls: tuple[str, ...]
    finished: bool
    outcome: str
    steps: int
    sent: int
    largest: int
    cost: float
    replied: int
    pages: int
    page_bytes: int
    commits: int
    at: int
    records: tuple[Told, ...]
    torn: int = 0
    note: str = ""


def drawn(frame: Frame, width: int, height: int | None = None) -> list[Text]:
    """The lines of a frame, each at most `width` columns, at most `height` of them (None: all)."""
    made = [
        Text(short(text, width), style=style)
        for section in SECTIONS
        for text, style in section(frame, width)
    ]
    return made if height is None else made[: max(height, 0)]


def _head(frame: Frame, width: int) -> Iterator[Line]:
    pressure = frame.pressure
    yield f"loom top · {frame.folder}", "bold"
    parts = (
        f"ρ {pressure.rho:.2f}",
        pressure.level,
        told_size(pressure),
        f"generation {pressure.generation}",
        f"turn {frame.turn}",
        frame.model,
        scale(frame),
    )
    style = "bold red" if pressure.rho >= 0.8 else "bold green"
    yield from ((text, style) for text in flowed(parts, width))
    told = (
        f"finished: {frame.outcome}" if frame.finished else "",
        f"waits for {counted(len(frame.open_calls), 'result')}" if frame.open_calls else "",
        f"{frame.torn} bytes at the journal's end are no whole commit" if frame.torn else "",
        frame.note,
    )
    yield from ((text, "yellow") for text in told if text)


def scale(frame: Frame) -> str:
    """How the provider's reports lead from Loom's count to its own; "" without any."""
    pressure = frame.pressure
    if not pressure.counted:
        return ""
    unseen = f" + {pressure.hidden:,} it adds unseen" if pressure.hidden else ""
    total, expected = pressure.tokens.total, pressure.estimate
    more = f"×{pressure.ratio:.2f} for each more"
    return f"{total:,} as Loom counts, {expected:,} expected, {more}{unseen}"


def _partitions(frame: Frame, width: int) -> Iterator[Line]:
    """A row a partition: its share of ρ over the newest requests, and its tokens now."""
    series, pressure = frame.series, frame.pressure
    columns, top = max(width - LABEL - 18, 0), max(1.0, *series.rho, 0.0)
    totals = [sum(held) for held in zip(*series.tokens.values(), strict=True)]
    for name, tokens in series.tokens.items():
        shares = [
            rho * held / total if total else 0.0
            for rho, held, total in zip(series.rho, tokens, totals, strict=True)
        ]
        now = pressure.client if name == CLIENT else getattr(pressure.tokens, name)
        share = pressure.rho * now / (pressure.tokens.total or 1)
        curve = spark(shares, top, columns)
        yield f"{LABELS.get(name, name):<{LABEL}} {curve} {now:>9,}  {share:4.2f}", STYLES[name]


def _alerts(frame: Frame, width: int) -> Iterator[Line]:
    for alert in frame.alerts:
        many = f" ×{alert.count}" if alert.count > 1 else ""
        put_off = f" ({alert.disposition})" if alert.disposition else ""
        told = f"{alert.kind}{many} {alert.ids[-1]}{put_off}: {alert.summary}"
        yield f"{alert.urgency:<{LABEL}} {told}", URGENT.get(alert.urgency, "yellow")


def _goal(frame: Frame, width: int) -> Iterator[Line]:
    for label, text in (("goal", frame.goal), ("progress", frame.progress)):
        if text:
            yield f"{label:<{LABEL}} {text}", "italic"


def _disk(frame: Frame, width: int) -> Iterator[Line]:
    parts = (
        f"{'disk':<{LABEL}} {counted(frame.pages, 'page')}, {sized(frame.page_bytes)}",
        counted(frame.commits, "commit"),
        counted(frame.steps, "step"),
        f"{frame.sent:,} tokens in, {frame.replied:,} out",
        f"largest {frame.largest:,}",
        f"last {when(frame.at)}",
    )
    yield from ((text, "") for text in flowed(parts, width))


def _cuts(frame: Frame, width: int) -> Iterator[Line]:
    fired = [f"{level} {count}" for level, count in frame.levels.items()] or ["none yet"]
    yield from ((text, "yellow") for text in flowed((f"cuts     {fired[0]}", *fired[1:]), width))
    if frame.reuse is not None:
        yield f"cache    {frame.reuse:.1%} of all tokens sent stood in the request before", ""
    for cut in reversed(frame.cuts):
        size = f"{cut.before:,} → {cut.after:,} tokens, {cut.reuse:.0%} reusable"
        fresh = f", generation {cut.generation}" if cut.generation else ""
        yield f"  turn {cut.turn} {cut.level} {size}{fresh}", "dim"


def _plan(frame: Frame, width: int) -> Iterator[Line]:
    if frame.plan:
        done = sum(item.state == "done" for item in frame.plan)
        share = bar(done / len(frame.plan), 10)
        yield f"plan     {share} {done} of {len(frame.plan)} done", ""
    todo = [item for item in frame.plan if item.state != "done"]
    for item in sorted(todo, key=lambda item: item.state != "doing"):
        yield f"  [{STATES.get(item.state, ' ')}] {item.text}", "dim"


def _records(frame: Frame, width: int) -> Iterator[Line]:
    """The newest record first, so that what gives way is old."""
    for told in reversed(frame.records):
        yield f"{told.commit:>{LABEL}} {told.kind:<12} {told.text}", "dim"


SECTIONS = (_head, _partitions, _alerts, _goal, _disk, _cuts, _plan, _records)
