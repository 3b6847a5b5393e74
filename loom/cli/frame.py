"""The data `loom top` shows. A frame is made of a summary alone, and has a fixed size.

It looks at no more than the newest of everything, so it costs the same after ten turns and after
ten thousand.
"""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from loom.cli.records import kind_of, telling
from loom.cli.seen import CutPoint, JournalSummary, Point
from loom.engine.meter import model_of
from loom.engine.pressure import Pressure, pressure_of
from loom.providers.prices import prices_of
from loom_partitions.limits import Tokens
from loom_partitions.surfaces import URGENCIES, Event, PlanItem, Risk
from loom_partitions.window import Window

PARTITIONS = Tokens.__struct_fields__
NAMES = 3  # ids of an aggregated event that are shown
RANKS = {urgency: rank for rank, urgency in enumerate(URGENCIES)}


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


def frame(seen: JournalSummary, folder: str, torn: int = 0, note: str = "") -> Frame:
    """The frame of a summary."""
    window, working = seen.window, seen.window.working
    return Frame(
        folder=folder,
        model=model_of(window),
        goal=(working.goal.body or "") if working.goal else "",
        turn=window.sent.turn,
        pressure=_pressure(seen) if seen.commits else Pressure(0.0, Tokens(), 0),
        series=_series(seen.points),
        levels=dict(sorted(seen.levels.items())),
        cuts=seen.cuts,
        renewals=seen.renewals,
        reuse=round(seen.reuse.share, 4) if seen.reuse.sent else None,
        alerts=_alerts(working.events, working.risks),
        plan=working.plan,
        progress=working.progress,
        open_calls=window.history.open_calls,
        finished=window.sent.finished,
        outcome=working.outcome,
        steps=seen.steps,
        sent=seen.reuse.sent,
        largest=seen.reuse.largest,
        cost=round(seen.reuse.cost(prices_of(model_of(window))), 6),
        replied=seen.replied,
        pages=seen.pages,
        page_bytes=seen.page_bytes,
        commits=seen.commits,
        at=seen.at,
        records=tuple(Told(n, at, kind_of(one), telling(one)) for n, at, one in seen.records),
        torn=torn,
        note=note,
    )


def _pressure(seen: JournalSummary) -> Pressure:
    """ρ now, with the level that acted for the last request."""
    return rounded(seen.window, seen.pages)


def rounded(window: Window, pages: int) -> Pressure:
    """ρ of a request the window would make now, to four places."""
    made = pressure_of(window, pages)
    return replace(made, rho=round(made.rho, 4))


def told_size(pressure: Pressure) -> str:
    """What ρ is the quotient of, in words; by the provider's count once it reported any. What is
    held for a client's part is in neither."""
    beside = f", beside {pressure.held:,} held for the client's own" if pressure.held else ""
    if not pressure.counted:
        return f"{pressure.tokens.total:,} of {pressure.capacity:,} tokens{beside}"
    said = f"at most {pressure.bound:,} of {pressure.room:,} tokens as the provider counts"
    return f"{said}{beside}"


def _series(points: tuple[Point, ...]) -> Series:
    return Series(
        turn=tuple(point.turn for point in points),
        rho=tuple(point.size.rho for point in points),
        sent=tuple(point.size.sent for point in points),
        replied=tuple(point.replied for point in points),
        tokens={
            name: tuple(point.size.bands.get(name, 0) for point in points)
            for name in dict.fromkeys(name for point in points for name in point.size.bands)
        },
    )


def _alerts(events: tuple[Event, ...], risks: tuple[Risk, ...]) -> tuple[Alert, ...]:
    """Events, then risks, the most urgent first; an aggregate names its newest ids."""
    made = [Alert(e.urgency, e.kind, e.summary, e.ids[-NAMES:], e.count) for e in events]
    made += [Alert(k.urgency, "risk", k.summary, (k.id,), 1, k.disposition) for k in risks]
    return tuple(sorted(made, key=lambda alert: -RANKS.get(alert.urgency, 0)))
