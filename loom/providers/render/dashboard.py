"""The dashboard: a block at the end of the request that shows the model the working partition.

A full dashboard is shown after each cut and does not change until the next. Later turns append one
line with what changed, and only if something did: ρ moved by a tenth, an error, an event, the plan,
the goal. Values that change each turn have a fixed width, so the block's size is known before they
are. The working partition is never compressed, but the block has limited room. Lines that do not
fit are counted by surface (section); the stored state and the journal keep them."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable
from typing import NamedTuple

from msgspec import Struct

from loom.lazy import lazy_re
from loom.providers.render.neutral import neutral
from loom.providers.render.wording import ADVICE, ARROW, BRINGS, NOT_SHOWN, SECRETS
from loom_partitions.limits import ERRORS_WITHIN
from loom_partitions.surfaces import URGENCIES, Child, Event, Evidence
from loom_partitions.working import Working

_PART_END = lazy_re(r" · |(?<=[.!?])\s|[,;]\s|\s\((?![a-z]+\))")
_EVENT = lazy_re(r" · event [^\s:·]+(?: \([a-z]+\))?")
NAMES_MOST = 200  # characters of what a renewal left behind


class DashboardLine(NamedTuple):
    """A line of the dashboard. `surface` is its section, such as "plan"; `items` is the number of
    items that it shows."""

    surface: str
    text: str
    items: int = 1


Fit = Callable[[list[DashboardLine]], list[str]]
Trim = Callable[[str], str]
# What is told beside the surfaces.
RHO, ERRORS, INTERRUPT, REDACTED = "ρ", "errors", "interrupt", "redacted"
SURFACES = (
    "goal", "events", "progress", "plan", "children", "risks", "decisions",
    "questions", "evidence", "scratchpad",
)  # fmt: skip
OWN_WORDS = ("progress", "scratchpad")
STATES = {"todo": "[ ]", "doing": "[>]", "done": "[x]"}


class LiveValues(Struct, frozen=True):
    """The dashboard's values that change every turn. `budget` is the number of tokens left,
    `generation` the number of the window, `step` the newest step's number. `redacted` is True if
    any secret was redacted."""

    rho: float
    budget: int
    generation: int = 1
    step: int = 0
    heartbeat: str = "--:--:--"
    redacted: bool = False


class Dashboard(Struct, frozen=True):
    """The values that the next request's dashboard shows, if no cut comes first. `token_budget` is
    the number of tokens left. `goal_progress` is the model's own text. `error_count` is the number
    of tools that failed in the last steps. `depth` is 0 for an agent that no other agent spawned.
    `last_hb_ts` is the time of the last heartbeat, in seconds since the epoch."""

    rho: float
    token_budget: int
    goal_progress: str
    error_count: int
    depth: int
    last_hb_ts: float
    interrupt_requested: bool


WIDEST = LiveValues(rho=9.99, budget=999_999_999, generation=9_999, heartbeat="00:00:00")


def all_lines(lines: list[DashboardLine]) -> list[str]:
    """Return the texts of all lines, without a limit on their tokens."""
    return [line.text for line in lines]


def dashboard_block(
    working: Working,
    live: LiveValues,
    fit: Fit = all_lines,
    shed: tuple[str, ...] = (),
    handoff: str = "",
    mark: str = "",
) -> str:
    """Return the text of the whole dashboard. `fit` chooses the lines that have room. `shed` are
    names of texts that left the window at a renewal, `handoff` is the line that tells of a renewal.
    `mark` is the word by which the model recognizes Loom's own blocks."""
    head = [_vital_line(working, live)]
    if handoff:
        head.append(handoff)
    if live.redacted:
        head.append(SECRETS)
    if working.goal and working.goal.body:
        head.append(f"goal: {_indent_lines(working.goal.body)}")
    if shed:
        head.append(left_window_line(shed))
    said = "\n".join([*head, *fit(surface_lines(working))])
    return f"[dashboard {mark}]\n{neutral(said, mark)}"


def left_window_line(shed: tuple[str, ...]) -> str:
    """Return the line that names the texts `shed`, which left the window at a renewal."""
    return f"left the window: {', '.join(shed)}"[:NAMES_MOST]


def surface_lines(working: Working) -> list[DashboardLine]:
    """Return the lines of all surfaces (sections of the dashboard), most urgent surface first."""
    line = DashboardLine
    urgent = sorted(working.events, key=lambda one: URGENCIES.index(one.urgency))
    decided = "; ".join(f"{one.id} {one.disposition}" for one in working.decisions)
    noted = (working.scratchpad and working.scratchpad.body) or ""
    told = {
        "progress": [f"progress: {working.progress}"] * bool(working.progress),
        "plan": [f"plan {STATES[item.state]} {item.text}" for item in working.plan],
        "children": map(_child_line, working.children),
        "risks": (
            f"risk {risk.id} ({risk.urgency}, {risk.disposition}): {risk.summary}"
            for risk in reversed(working.risks)
        ),
        "decisions": [f"decided: {decided}"] * bool(decided),
        "questions": (f"question {id}: {text}" for id, text in reversed(working.questions)),
        "evidence": map(_evidence_line, reversed(working.evidence)),
    }
    lines = [line("events", _event_line(event), event.count) for event in reversed(urgent)]
    lines += [line(surface, text) for surface, texts in told.items() for text in texts]
    lines += [
        line(surface, f"{len(ids)} more {surface}{ARROW}working/{surface}.md", len(ids))
        for surface, ids in working.more
    ]
    return lines + [line("scratchpad", f"scratchpad: {_indent_lines(noted)}")] * bool(noted)


def _indent_lines(text: str) -> str:
    """Return a text with each line after the first indented."""
    return "\n  ".join(text.splitlines())


def _evidence_line(pack: Evidence) -> str:
    """Return the line for an evidence pack: its summary, facts, conflicts, citations."""
    facts = f" · {'; '.join(pack.facts)}" if pack.facts else ""
    conflicts = f" · CONFLICT {'; '.join(pack.conflicts)}" if pack.conflicts else ""
    cited = f" [{', '.join(pack.citations)}]" if pack.citations else ""
    return f"evidence {pack.id} ({pack.confidence:.1f}): {pack.summary}{facts}{conflicts}{cited}"


def fit_to_room(
    room: int, count: Callable[[Iterable[str]], list[int]], *, page_in: bool = True
) -> Fit:
    """Return a function that picks dashboard lines which take at most `room` tokens together. The
    function returns their texts in order, then a line that counts the lines left out, if any.
    `count` returns the tokens of each text. `page_in` says that the model can bring surfaces back.
    """

    def fit(lines: list[DashboardLine]) -> list[str]:
        kept: set[int] = set()
        left: dict[str, int] = {}
        spent = 0
        sizes = count(line.text + "\n" for line in lines)
        for at in _ranked_positions(lines):
            if spent + sizes[at] <= room:
                kept.add(at)
                spent += sizes[at]
            else:
                surface = lines[at].surface
                left[surface] = left.get(surface, 0) + lines[at].items
        shown = [line.text for at, line in enumerate(lines) if at in kept]
        more = ", ".join(f"{number} {surface}" for surface, number in left.items())
        told = NOT_SHOWN.format(more=more) + (BRINGS if page_in else "")
        return [*shown, told] if left else shown

    return fit


def _ranked_positions(lines: list[DashboardLine]) -> list[int]:
    """Return the indexes of `lines`, most important line first."""
    seen: dict[str, int] = {}
    ranks = []
    for surface, line, _ in lines:
        seen[surface] = seen.get(surface, -1) + 1
        ranks.append(-1 if line.startswith(f"plan {STATES['doing']}") else seen[surface])
    return sorted(range(len(lines)), key=lambda at: ranks[at])


def dashboard_delta(
    working: Working,
    live: LiveValues,
    changed: Container[str] = SURFACES,
    trim: Trim = str,
    mark: str = "",
) -> str:
    """Return one line with what changed since the model was last told, shortened by `trim`.
    `changed` names the surfaces and values to tell. `mark` is the word by which the model
    recognizes Loom's own blocks."""
    said = [f"ρ {live.rho:4.2f} of the window used"] + [SECRETS] * (REDACTED in changed)
    said += [f"recent errors {error_count(working, live)}"] * (ERRORS in changed)
    said += [f"interrupt {interrupt_word(working)}"] * (INTERRUPT in changed)
    lines = [line for line in surface_lines(working) if line.surface in changed]
    seen = {line.surface for line in lines}
    gone = [surface for surface in SURFACES if surface in changed and surface not in seen]
    # The first line of each surface before second ones, and of the plan what is in hand.
    said += [lines[at].text for at in _ranked_positions(lines)]
    said += [f"{surface}: none" for surface in gone]
    if RHO in changed:
        advice = [words for least, words in ADVICE if live.rho >= least]
        said += [f"{live.budget:,} tokens left", *advice[-1:]]
    return trim(f"[dashboard {mark}] {neutral(' · '.join(said), mark)}")


def trim_to_room(room: int, count: Callable[[str], int]) -> Trim:
    """Return a function that shortens a line to at most `room` tokens. `count` returns the tokens
    of a text."""

    def trim(line: str) -> str:
        while count(line) > room:
            short = line[: max(int(len(line) * room / count(line)) - 2, 20)].rstrip()
            # Half a sentence may say the opposite of it; an event is still named.
            ends = [end.start() for end in _PART_END.finditer(short)]
            ends += [found.end() for found in _EVENT.finditer(short)]
            end = max(ends, default=0)
            short = short[:end] if end > len(short) // 2 else short
            line = f"{short.removesuffix(' …')} …"
            if len(short) <= 20:
                break
        return line

    return trim


def error_count(working: Working, live: LiveValues) -> int:
    """Return how many tools failed in the last steps."""
    return sum(id > live.step - ERRORS_WITHIN for id in working.errors)


def interrupt_word(working: Working) -> str:
    """Return "requested" if an urgent event asks to interrupt the agent, else "no"."""
    return "requested" if working.interrupt else "no"


def _vital_line(working: Working, live: LiveValues) -> str:
    """Return the dashboard's first line: ρ, tokens left, recent errors and other values."""
    return (
        f"ρ {live.rho:4.2f} of the window used · {live.budget:>9,} tokens left"
        f" · window {live.generation} of this session"
        f" · recent errors {error_count(working, live)} · agent depth {working.depth}"
        f" · files and events last checked {live.heartbeat}"
        f" · interrupt {interrupt_word(working)}"
    )


def _child_line(child: Child) -> str:
    """Return the dashboard's line for a child agent: its name, its state and its goal."""
    left = f": {child.left}; it worked on" if child.left else " works on"
    how = f" is {child.status}, waits to be joined" if child.status else left
    return f"child {child.name}{how}: {child.goal}"


def _event_line(event: Event) -> str:
    """Return the dashboard's line for an event, or for several alike with their number."""
    many = f" ×{event.count}" if event.count > 1 else ""
    shown = ", ".join(event.ids[-3:]) + (", …" if event.count > 3 else "")
    # The id of what a sense noticed begins with its kind.
    kind = "" if event.count == 1 and event.ids[0].startswith(event.kind) else f" {event.kind}"
    return f"event {shown}{many} ({event.urgency}){kind}: {event.summary}"
