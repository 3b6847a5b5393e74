"""A frame of `loom top` as lines of a given width and height, styled; printed plain they hold.

The most telling stand first: where there are more lines than the terminal is high, the last leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct
from rich.text import Text

from loom.cli.records import when
from loom.cli.show import bar, sized
from loom.cli.stat_log import told_size
from loom.cli.styled import STYLES, short, spark, wrap_parts
from loom.inspect.requests import CutPoint
from loom.inspect.sent_size import CLIENT
from loom.reduce.lines import counted
from loom.session.pressure import Pressure
from loom_partitions.surfaces import URGENCIES, Event, PlanItem, Risk

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


class Told(Struct, frozen=True):
    """A record as `loom log` tells it."""

    commit: int
    at: int
    kind: str
    text: str


class Frame(Struct, frozen=True):
    """All a frame shows: the `facts` of `loom stat`, and `pressure` of the window as it stands.

    `newest` are the last cuts. `reuse` is the share of all tokens sent that stood at the front of
    the request before, so that a provider's cache could serve them; None before the first. `torn`
    bytes at the end of the journal are no whole commit yet; `note` says what befell it.
    """

    folder: str
    facts: dict[str, Any]
    pressure: Pressure
    series: Series
    newest: tuple[CutPoint, ...]
    reuse: float | None
    replied: int
    events: tuple[Event, ...]
    risks: tuple[Risk, ...]
    plan: tuple[PlanItem, ...]
    progress: str
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
    pressure, facts = frame.pressure, frame.facts
    yield f"loom top · {frame.folder}", "bold"
    parts = [
        f"ρ {pressure.rho:.2f}",
        pressure.level,
        told_size(pressure),
        f"generation {pressure.generation}",
        f"turn {max(frame.series.turn, default=0)}",
        facts["model"],
    ]
    if pressure.counted:  # by the provider: how its reports lead from Loom's count to its own
        unseen = f" + {pressure.hidden:,} it adds unseen" if pressure.hidden else ""
        own = f"{pressure.tokens.total:,} as Loom counts, {pressure.estimate:,} expected"
        parts.append(f"{own}, ×{pressure.ratio:.2f} for each more{unseen}")
    style = "bold red" if pressure.rho >= 0.8 else "bold green"
    yield from ((text, style) for text in wrap_parts(parts, width))
    waits = len(facts["open_calls"])
    told = (
        f"finished: {facts['outcome']}" if facts["finished"] else "",
        f"waits for {counted(waits, 'result')}" if waits else "",
        f"{frame.torn} bytes at the journal's end are no whole commit" if frame.torn else "",
        frame.note,
    )
    yield from ((text, "yellow") for text in told if text)


def _partitions(frame: Frame, width: int) -> Iterator[Line]:
    """A row a partition: its share of ρ over the newest requests, and its tokens now."""
    series, pressure = frame.series, frame.pressure
    columns, top = max(width - LABEL - 18, 0), max(1.0, *series.rho, 0.0)
    totals = [sum(held) or 1 for held in zip(*series.tokens.values(), strict=True)]
    for name, tokens in series.tokens.items():
        rows = zip(series.rho, tokens, totals, strict=True)
        curve = spark([rho * held / total for rho, held, total in rows], top, columns)
        now = pressure.client if name == CLIENT else getattr(pressure.tokens, name)
        share = pressure.rho * now / (pressure.tokens.total or 1)
        yield f"{LABELS.get(name, name):<{LABEL}} {curve} {now:>9,}  {share:4.2f}", STYLES[name]


def _alerts(frame: Frame, width: int) -> Iterator[Line]:
    """Events, then risks, the most urgent first; an aggregate names its newest id."""
    alerts: list[Event | Risk] = [*frame.events, *frame.risks]
    for one in sorted(alerts, key=lambda one: -_urgency(one)):
        if isinstance(one, Event):
            many = f" ×{one.count}" if one.count > 1 else ""
            told = f"{one.kind}{many} {one.ids[-1]}: {one.summary}"
        else:
            told = f"risk {one.id} ({one.disposition}): {one.summary}"
        yield f"{one.urgency:<{LABEL}} {told}", URGENT.get(one.urgency, "yellow")


def _urgency(one: Event | Risk) -> int:
    return URGENCIES.index(one.urgency) if one.urgency in URGENCIES else 0


def _figures(frame: Frame, width: int) -> Iterator[Line]:
    facts = frame.facts
    for label, text in (("goal", facts["goal"]), ("progress", frame.progress)):
        if text:
            yield f"{label:<{LABEL}} {text}", "italic"
    disk = (
        f"{'disk':<{LABEL}} {counted(facts['pages'], 'page')}, {sized(facts['page_bytes'])}",
        counted(facts["commits"], "commit"),
        counted(facts["steps"], "step"),
        f"{facts['sent']:,} tokens in, {frame.replied:,} out",
        f"largest {facts['largest']:,}",
        f"last {when(facts['at'])}",
    )
    yield from ((text, "") for text in wrap_parts(disk, width))
    fired = [f"{level} {count}" for level, count in facts["cuts"].items()] or ["none yet"]
    cuts = (f"{'cuts':<{LABEL}} {fired[0]}", *fired[1:])
    yield from ((text, "yellow") for text in wrap_parts(cuts, width))
    if frame.reuse is not None:
        yield f"cache    {frame.reuse:.1%} of all tokens sent stood in the request before", ""
    for cut in reversed(frame.newest):
        size = f"{cut.before:,} → {cut.after:,} tokens, {cut.reuse:.0%} reusable"
        fresh = f", generation {cut.generation}" if cut.generation else ""
        yield f"  turn {cut.turn} {cut.level} {size}{fresh}", "dim"


def _plan(frame: Frame, width: int) -> Iterator[Line]:
    todo = [item for item in frame.plan if item.state != "done"]
    if frame.plan:
        done = len(frame.plan) - len(todo)
        yield f"plan     {bar(done / len(frame.plan), 10)} {done} of {len(frame.plan)} done", ""
    for item in sorted(todo, key=lambda item: item.state != "doing"):
        yield f"  [{STATES.get(item.state, ' ')}] {item.text}", "dim"


def _records(frame: Frame, width: int) -> Iterator[Line]:
    """The newest record first, so that what gives way is old."""
    for told in reversed(frame.records):
        yield f"{told.commit:>{LABEL}} {told.kind:<12} {told.text}", "dim"


SECTIONS = (_head, _partitions, _alerts, _figures, _plan, _records)
