"""`speed --peers`: what a request costs Loom and other ways to keep a window, and what each keeps.

Every way gets the same chat messages, whole, before each reply of the model, with rules and facts
planted in them at equal distances; of Loom in its loop (`ctx.reply`, `ctx.result`, `ctx.turn`) only
what is new, `loom_sync` has them whole too. The thread's CPU is that of the way alone, reading and
counting new messages included. A request with broken pairs, or one that is too large, is mended as
a harness has to before the judges of `loom_bench` look at it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

import numpy as np

from benchmarks.takeover import TakeoverJob, judged, taken_over
from loom.inputs import Event
from loom.reduce.arguments import parse
from loom_bench.drive import DrivenSession, driven
from loom_bench.judges import JUDGES
from loom_bench.recorded.named import known
from loom_bench.recorded.report import share
from loom_bench.scenarios.planter import FactPlanter
from loom_bench.script import NOTHING, SessionScript
from loom_bench.session import HELD_OUT, PressureSession, Wire
from loom_bench.sessions.material import Material
from loom_bench.strategies import STRATEGIES
from loom_bench.strategies.baselines import fitted, flat, regrouped
from loom_bench.strategies.by_loom import LoomKeptWindow
from loom_bench.strategies.ladder import grouped
from loom_bench.strategies.peers import PEERS
from loom_bench.strategy import OpenedStrategy, Strategy, WindowBudget
from loom_bench.wires import wire_of, wires_of

OURS, SYNCED = "loom", "loom_sync"
WAYS = (OURS, SYNCED, "tail", "tail_low", "clear_tools", *PEERS)
RULES = (
    "Never push to {} before I have looked at it.",
    "Ask me before you rename anything in {}.",
    "Keep every public name of {} as it is.",
    "Write the dates of {} as day, month, year.",
    "Nothing in {} may need the network.",
)
PLANTED = 10  # rules, and as many facts
HEADS = {
    "p50": "p50, ms", "p99": "p99, ms", "requests": "requests", "rules": "rules",
    "facts": "facts", "facts_asked": "… or by asking", "takeover": "takeover",
    "broken_pairs": "broken pairs", "too_large": "too large", "failed": "failed",
}  # fmt: skip


def planted(events: Iterable[Event], messages: int) -> PressureSession:
    """At most the first `messages` messages up to a reply, rules and facts told between them."""
    script = SessionScript("peers", 1, HELD_OUT)
    planter, names = FactPlanter(script), Material(Random("peers"))
    own = list(islice(_lawful(wires_of(events)), max(messages - 2 * PLANTED, 1)))
    turns = [at for at, wire in enumerate(own) if wire["role"] == "assistant"]
    places = [turns[len(turns) * number // PLANTED] for number in range(PLANTED)] if turns else []
    for at, wire in enumerate(own[: turns[-1]] if turns else own):
        for number, place in enumerate(places):
            if place == at:
                rule = RULES[number % len(RULES)].format(names.path())
                script.rule(rule, script.user(rule))
                fact = planter.fresh()
                planter.plant(fact, planter.aside(fact))
        script.take([wire])
    return script.session()


def _lawful(wires: Iterable[Wire]) -> Iterator[Wire]:
    """The messages as a provider takes them: none blank, arguments objects, ids of calls once."""
    ids: dict[str, str] = {}
    for number, wire in enumerate(wires):
        if not (wire["content"] or "").strip() and not wire.get("tool_calls"):
            wire = {**wire, "content": NOTHING}
        if calls := wire.get("tool_calls"):
            ids = {call["id"]: f"call_{number}_{at}" for at, call in enumerate(calls)}
            calls = [{**call, "id": ids[call["id"]]} for call in calls]
            for call in calls:
                if not isinstance(parse(call["function"]["arguments"]), dict):
                    call["function"] = {**call["function"], "arguments": "{}"}
            wire = {**wire, "tool_calls": calls}
        elif wire["role"] == "tool":
            wire = {**wire, "tool_call_id": ids.get(wire["tool_call_id"], wire["tool_call_id"])}
        yield wire


class LoomLoop(LoomKeptWindow):
    """Loom, given what is new as a host's own loop gives it."""

    _taken = 0

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        for wire in messages[self._taken :]:
            text = wire["content"]
            if wire["role"] == "assistant":
                self._context.reply(wire)
            elif wire["role"] == "tool":
                self._context.result(wire["tool_call_id"], text)
            else:
                (self._context.user if wire["role"] == "user" else self._context.system)(text)
        self._taken = len(messages)
        self._turn = self._context.turn()
        sent = self._turn.request("openai")
        self.tools = list(sent.get("tools", ()))
        return list(sent["messages"])


LAZY = partial(LoomLoop, preset="lazy")


class TimedWindow:
    """The window of one way: its CPU by request, and its requests mended."""

    rescued = 0  # broken pairs and requests too large are counted apart

    def __init__(self, strategy: Strategy) -> None:
        self._strategy = strategy
        self.spent: list[float] = []
        self.broken_pairs = self.too_large = 0

    def __call__(self, budget: WindowBudget) -> TimedWindow:
        """Begin a session."""
        self._budget = budget
        self._kept = OpenedStrategy(self._strategy, budget)
        self.ask, self.close = self._kept.ask, self._kept.close
        return self

    @property
    def tools(self) -> Sequence[Wire]:
        """The tools the way adds."""
        return self._kept.tools

    def request(self, messages: Sequence[Wire]) -> list[Wire]:
        """The messages of the next request."""
        began = time.thread_time()
        sent = self._kept.request(messages)
        self.spent.append(1_000 * (time.thread_time() - began))
        reader, room = self._budget.reader, self._budget.room - self._budget.count([], self.tools)
        left = reader.messages(sent)
        mended = regrouped(left, reader.meter)
        broken, large = flat(mended) != left, reader.count(sent) > room
        self.broken_pairs += broken
        self.too_large += large
        if not broken and not large:
            return sent
        return [wire_of(message) for message in flat(fitted(mended, room, reader.meter))]


def beside(
    session: PressureSession,
    window: int,
    data: Path | None,
    tell: Callable[[str], None],
) -> dict[str, dict[str, Any]]:
    """The figures of each way that can run here at one window; `tell` names those left out."""
    names = known(WAYS, (SYNCED,), tell)
    sessions = sorted(data.parent.glob("agent-sessions*")) if data else []
    labelled = list(taken_over(data, sessions)) if data else []
    found = {}
    for name in names:
        found[name] = _figures(TimedWindow(_strategy(name)), session, window)
        if labelled and name != SYNCED:
            jobs = (TakeoverJob(one, window, (name,)) for one in labelled)
            items = [item for job in jobs for item in judged(job)]
            found[name]["takeover"] = f"{sum(one.resident for one in items)} of {len(items)}"
        tell(f"{name} at {window:,}: p50 {found[name]['p50']} ms")
    return found


def _strategy(name: str) -> Strategy:
    """A way by its name; a package's requests come as it leaves them, not mended."""
    if name in PEERS:
        return partial(grouped, make=PEERS[name].open)
    if name == OURS:
        return LAZY
    found: Strategy = STRATEGIES.get(OURS if name == SYNCED else name)
    return found


def kept(way: TimedWindow, session: PressureSession, window: int) -> DrivenSession:
    """What a way keeps of the rules and facts of a session."""
    judges = ("rules", "facts")
    return driven(session, way, window, [JUDGES.get(one) for one in judges], judges)


def _figures(way: TimedWindow, session: PressureSession, window: int) -> dict[str, Any]:
    done = kept(way, session, window)
    middle, late = map(float, np.quantile(way.spent or [0.0], [0.5, 0.99]))
    sums = done.sums
    return {
        "p50": round(middle, 3),
        "p99": round(late, 3),
        "requests": len(way.spent),
        "rules": share(sums["rules_held"], sums["rules"]),
        "facts": share(sums["facts_shown"], sums["facts"]),
        "facts_asked": share(sums["facts_held"], sums["facts"]),
        "broken_pairs": way.broken_pairs,
        "too_large": way.too_large,
        "failed": done.failed,
    }
