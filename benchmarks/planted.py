"""Sessions with rules and facts planted in them, and what a way to keep a window keeps of these."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from random import Random

from loom.inputs import Event
from loom.reduce.arguments import parse_json
from loom_bench.drive import DrivenSession, driven
from loom_bench.judges import JUDGES
from loom_bench.scenarios.planter import FactPlanter
from loom_bench.script import NOTHING, SessionScript
from loom_bench.session import HELD_OUT, PressureSession, Wire
from loom_bench.sessions.material import Material
from loom_bench.strategy import Strategy
from loom_bench.wires import wires_of

RULES = (
    "Never push to {} before I have looked at it.",
    "Ask me before you rename anything in {}.",
    "Keep every public name of {} as it is.",
    "Write the dates of {} as day, month, year.",
    "Nothing in {} may need the network.",
)
PLANTED = 10  # rules, and as many facts


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
    """The messages as a provider takes them: none blank, no half characters, arguments objects, ids
    of calls once."""
    ids: dict[str, str] = {}
    for number, wire in enumerate(wires):
        text = (wire["content"] or "").encode("utf-8", "replace").decode()
        if text.strip() or not wire.get("tool_calls"):
            wire = {**wire, "content": text if text.strip() else NOTHING}
        if calls := wire.get("tool_calls"):
            ids = {call["id"]: f"call_{number}_{at}" for at, call in enumerate(calls)}
            calls = [{**call, "id": ids[call["id"]]} for call in calls]
            for call in calls:
                if not isinstance(parse_json(call["function"]["arguments"]), dict):
                    call["function"] = {**call["function"], "arguments": "{}"}
            wire = {**wire, "tool_calls": calls}
        elif wire["role"] == "tool":
            wire = {**wire, "tool_call_id": ids.get(wire["tool_call_id"], wire["tool_call_id"])}
        yield wire


def kept(session: PressureSession, window: int, way: Strategy) -> DrivenSession:
    """What a way keeps of the rules and facts of a session."""
    return driven(session, way, window, [JUDGES.get(one) for one in ("rules", "facts")])
