"""A frame of `loom top` as lines of a given width and height, styled; printed plain they hold.

Sections stand in a fixed order. When there are more lines than the terminal is high, the least
telling sections give way: `SECTIONS` ranks them.
"""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from rich.text import Text

from loom.cli.frame import Alert, Frame, told_size
from loom.cli.plot import plot
from loom.cli.records import when
from loom.cli.seen import CutPoint
from loom.cli.show import bar, sized
from loom.cli.styled import STYLES, flowed, short, spark
from loom.engine.sent_size import CLIENT
from loom.reduce.lines import counted

LABEL = 8  # columns of the first word of a row
LABELS = {"skill": "skill+"}  # a window counts its tools with its skills
PLOT_ROWS = 4
URGENT = {"critical": "bold red", "high": "red", "normal": "yellow", "low": "dim"}
STATES = {"done": "x", "doing": ">", "todo": " "}
AXIS = 20  # columns of a plot beside its curve


def _head(frame: Frame, width: int) -> list[Text]:
    pressure = frame.pressure
    style = "bold red" if pressure.rho >= 0.8 else "bold green"
    parts = [
        f"ρ {pressure.rho:.2f}",
        pressure.level,
        told_size(pressure),
        f"generation {pressure.generation}",
        f"turn {frame.turn}",
        frame.model,
        scale(frame),
    ]
    state = f"finished: {frame.outcome}" if frame.finished else ""
    results = counted(len(frame.open_calls), "result")
    waits = f"waits for {results}" if frame.open_calls else ""
    torn = f"{frame.torn} bytes at the journal's end are no whole commit" if frame.torn else ""
    told = (state, waits, torn, frame.note)
    return [
        Text(short(f"loom top · {frame.folder}", width), style="bold"),
        *(Text(text, style=style) for text in flowed(parts, width)),
        *(Text(short(text, width), style="yellow") for text in told if text),
    ]


def scale(frame: Frame) -> str:
    """How the provider's reports lead from Loom's count to its own; "" without any."""
    pressure = frame.pressure
    if not pressure.counted:
        return ""
    unseen = f" + {pressure.hidden:,} it adds unseen" if pressure.hidden else ""
    total, expected = pressure.tokens.total, pressure.estimate
    more = f"×{pressure.ratio:.2f} for each more"
    return f"{total:,} as Loom counts, {expected:,} expected, {more}{unseen}"


def _goal(frame: Frame, width: int) -> list[Text]:
    told = (("goal", frame.goal), ("progress", frame.progress))
    return [
        Text(short(f"{label:<{LABEL}} {text}", width), style="italic")
        for label, text in told
        if text
    ]


def _plot(frame: Frame, width: int) -> list[Text]:
    columns = width - AXIS
    if columns < 1 or not frame.series.rho:
        return []
    return [
        Text(text, style="green") for text in plot(frame.series.rho[-columns:], columns, PLOT_ROWS)
    ]


def _partitions(frame: Frame, width: int) -> list[Text]:
    """A row a partition: its share of ρ over the newest requests, and its tokens now."""
    series, pressure = frame.series, frame.pressure
    columns = max(width - LABEL - 18, 0)
    top = max(1.0, *series.rho, 0.0) if series.rho else 1.0
    totals = [sum(held) for held in zip(*series.tokens.values(), strict=True)]
    rows = []
    for name, tokens in series.tokens.items():
        shares = [
            rho * held / total if total else 0.0
            for rho, held, total in zip(series.rho, tokens, totals, strict=True)
        ]
        now = pressure.client if name == CLIENT else getattr(pressure.tokens, name)
        own = pressure.tokens.total
        share = pressure.rho * now / own if own else 0.0
        label = LABELS.get(name, name)
        told = f"{label:<{LABEL}} {spark(shares, top, columns)} {now:>9,}  {share:4.2f}"
        rows.append(Text(short(told, width), style=STYLES[name]))
    return rows


def _traffic(frame: Frame, width: int) -> list[Text]:
    """Tokens of each request and of the reply to it, on scales of their own."""
    columns = max(width - LABEL - 18, 0)
    rows = []
    for label, values in (("in", frame.series.sent), ("out", frame.series.replied)):
        curve = spark(values, max(values, default=0) or 1, columns)
        newest = values[-1] if values else 0
        rows.append(Text(short(f"{label:<{LABEL}} {curve} {newest:>9,}", width)))
    return rows


def brief(count: int) -> str:
    """A count in at most six characters up to a thousand million: `812`, `14.2k`, `3.1M`."""
    if count < 1_000:
        return f"{count}"
    return f"{count / 1_000:.1f}k" if count < 1_000_000 else f"{count / 1_000_000:.1f}M"


def _cuts(frame: Frame, width: int) -> list[Text]:
    fired = [f"{level} {count}" for level, count in frame.levels.items()]
    rows = [Text(short("cuts     none yet", width), style="dim")]
    if fired:
        shown = flowed((f"cuts     {fired[0]}", *fired[1:]), width)
        rows = [Text(text, style="yellow") for text in shown]
    if frame.reuse is not None:
        share = f"cache    {frame.reuse:.1%} of all tokens sent stood in the request before"
        rows.append(Text(short(share, width)))
    if frame.renewals:
        told = ", ".join(f"turn {cut.turn} (generation {cut.generation})" for cut in frame.renewals)
        rows.append(Text(short(f"renewed  {told}", width)))
    rows += [Text(short(_cut(cut), width), style="dim") for cut in reversed(frame.cuts)]
    return rows


def _cut(cut: CutPoint) -> str:
    size = f"{cut.before:,} → {cut.after:,} tokens"
    return f"  turn {cut.turn} {cut.level} {size}, {cut.reuse:.0%} reusable"


def _alerts(frame: Frame, width: int) -> list[Text]:
    return [
        Text(short(_alert(alert), width), style=URGENT.get(alert.urgency, "yellow"))
        for alert in frame.alerts
    ]


def _alert(alert: Alert) -> str:
    many = f" ×{alert.count}" if alert.count > 1 else ""
    put_off = f" ({alert.disposition})" if alert.disposition else ""
    return f"{alert.urgency:<{LABEL}} {alert.kind}{many} {alert.ids[-1]}{put_off}: {alert.summary}"


def _plan(frame: Frame, width: int) -> list[Text]:
    if not frame.plan:
        return []
    done = sum(item.state == "done" for item in frame.plan)
    share = bar(done / len(frame.plan), 10)
    rows = [Text(short(f"plan     {share} {done} of {len(frame.plan)} done", width))]
    todo = [item for item in frame.plan if item.state != "done"]
    rows += [
        Text(short(f"  [{STATES.get(item.state, ' ')}] {item.text}", width), style="dim")
        for item in sorted(todo, key=lambda item: item.state != "doing")
    ]
    return rows


def _disk(frame: Frame, width: int) -> list[Text]:
    parts = (
        f"{'disk':<{LABEL}} {counted(frame.pages, 'page')}, {sized(frame.page_bytes)}",
        counted(frame.commits, "commit"),
        counted(frame.steps, "step"),
        f"{brief(frame.sent)} tokens in, {brief(frame.replied)} out",
        f"largest {brief(frame.largest)}",
        f"last {when(frame.at)}",
    )
    return [Text(text) for text in flowed(parts, width)]


def _records(frame: Frame, width: int) -> list[Text]:
    """The newest record first, so that what gives way is old."""
    return [
        Text(short(f"{told.commit:>{LABEL}} {told.kind:<12} {told.text}", width), style="dim")
        for told in reversed(frame.records)
    ]


class BoardSection(Struct, frozen=True):
    """Lines of a frame; of two sections the one of higher `rank` gives way, `whole` all at once."""

    rank: int
    lines: Callable[[Frame, int], list[Text]]
    whole: bool = False


SECTIONS = (
    BoardSection(0, _head),
    BoardSection(3, _goal),
    BoardSection(9, _plot, whole=True),
    BoardSection(1, _partitions),
    BoardSection(7, _traffic, whole=True),
    BoardSection(4, _cuts),
    BoardSection(2, _alerts),
    BoardSection(5, _plan),
    BoardSection(6, _disk),
    BoardSection(8, _records),
)


def drawn(frame: Frame, width: int, height: int | None = None) -> list[Text]:
    """The lines of a frame, each at most `width` columns, at most `height` of them (None: all)."""
    made = [section.lines(frame, width) for section in SECTIONS]
    left = sum(map(len, made)) if height is None else max(height, 0)
    kept: dict[int, list[Text]] = {}
    for at in sorted(range(len(SECTIONS)), key=lambda at: SECTIONS[at].rank):
        fits = len(made[at]) <= left
        kept[at] = made[at][:left] if fits or not SECTIONS[at].whole else []
        left -= len(kept[at])
    return [text for at in range(len(SECTIONS)) for text in kept[at]]
