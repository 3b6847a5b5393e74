"""Where each planted rule and fact is at the end: in the request, or how far away.

`resident`: its value stands in the request, a rule word for word. `page_in`: a line of the request
shows the name of what holds it beside what that is (the path or command it came from, or half of
the words the item is about), and the answer of the `page_in` tool to that name holds the value:
whole, or by a grep for a word the item is about. `recall`: the answer of the `recall` tool to what
the item is about holds it. Else `lost`: no single call brings it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

import loom
from benchmarks.longrun.history import LongHistory
from benchmarks.longrun.planted import PlantedItem
from loom.bench.recorded.named import opener
from loom.bench.recorded.paged import REPLY
from loom.bench.recorded.verdicts import LOST, PAGE_IN, RECALL, RESIDENT
from loom.bench.sessions.needle import message_texts
from loom.bench.strategies.looking import named_in
from loom.errors import LoomError
from loom.inputs import Reply, ToolCall
from loom.providers.counts import counter_for
from loom.providers.render.message import Message
from loom.replay.cost import Meter
from loom.replay.feed import feed
from loom.search.terms import asked

PLACES = (RESIDENT, PAGE_IN, RECALL, LOST)
LOOM = "loom"


class Judged(Struct, frozen=True):
    """Where one item is; `named` are names the request shows that hold it, as its lines say.

    Of what no single page_in brings, `rests` is the entry that holds it.
    """

    item: PlantedItem
    place: str
    named: tuple[str, ...] = ()
    rests: str = ""


class LongRunOutcome(Struct, frozen=True):
    """One history through one window: every item, and the tokens of the last request."""

    judged: tuple[Judged, ...]
    tokens: int


def driven(
    history: LongHistory, strategy: str, capacity: int, policy: loom.Policy | None = None
) -> LongRunOutcome:
    """Drive a history through a window, and judge its last request. `policy` is for Loom's."""
    meter = Meter(counter_for())
    if strategy != LOOM:
        return _unpaged(history, strategy, capacity, meter)
    with (
        TemporaryDirectory(prefix="loom-longrun-") as folder,
        loom.open(
            Path(folder) / "workspace",
            window=capacity + REPLY,
            reply=REPLY,
            policy=policy or loom.Policy(),
            durable=False,
        ) as context,
    ):
        for event in history.events:
            if isinstance(event, Reply):
                context.turn()
            feed(context, event)
        request = context.turn().messages
        agent = _LookingAgent(context, request)
        judged = tuple(agent.judge(item) for item in history.planted)
        return LongRunOutcome(judged, meter.messages(request))


def _unpaged(history: LongHistory, strategy: str, capacity: int, meter: Meter) -> LongRunOutcome:
    """A window without paging: what its request does not show is lost."""
    window = opener(strategy)(capacity, meter, False)
    try:
        for event in history.events:
            if isinstance(event, Reply):
                window.request()
            window.feed(event)
        request = window.request()
    finally:
        window.close()
    shown = list(message_texts(request))
    return LongRunOutcome(
        tuple(
            Judged(item, RESIDENT if any(map(item.stands_in, shown)) else LOST)
            for item in history.planted
        ),
        meter.messages(request),
    )


class _LookingAgent:
    """An agent at the end of a run, that looks for what its last request does not show."""

    def __init__(self, context: loom.Context, request: Sequence[Message]) -> None:
        self._context = context
        self._shown = list(message_texts(request))
        self._named: dict[str, list[str]] = {}  # name → lines
        for line, name in named_in(request):
            self._named.setdefault(name, []).append(line)
        self._texts: dict[str, str] = {}
        self._asked = 0

    def judge(self, item: PlantedItem) -> Judged:
        """Where an item is."""
        if any(map(item.stands_in, self._shown)):
            return Judged(item, RESIDENT)
        holding = [name for name in self._named if item.stands_in(self._text(name))]
        said = [name for name in holding if any(tells(line, item) for line in self._named[name])]
        if any(self._paged(name, item) for name in said):
            return Judged(item, PAGE_IN, tuple(said))
        found = item.stands_in(self._ask("recall", {"query": item.about}))
        return Judged(item, RECALL if found else LOST, tuple(holding), self._rests(item))

    def _rests(self, item: PlantedItem) -> str:
        """The name of the first entry that holds an item, "" when none does."""
        for id in range(1, self._context.window.history.next_id):
            restored = self._context.history.restore(id)
            said = restored.reply.parts if restored.reply is not None else ()
            if item.stands_in("\n".join((restored.text, str(said), *restored.results.values()))):
                return restored.name
        return ""

    def _text(self, name: str) -> str:
        """Everything a name stands for, "" when nothing has it; only tells which to ask for."""
        if name not in self._texts:
            try:
                self._texts[name] = self._context.page_in(name).text
            except LoomError:
                self._texts[name] = ""
        return self._texts[name]

    def _paged(self, name: str, item: PlantedItem) -> bool:
        """True when the tool's answer to a name holds the item: whole, or by a grep."""
        words = re.escape(max(asked(item.about).words, key=len))
        ways: tuple[dict[str, str], ...] = ({}, {"grep": f"(?i){words}"})
        return any(item.stands_in(self._ask("page_in", {"ref": name, **way})) for way in ways)

    def _ask(self, tool: str, arguments: dict[str, str]) -> str:
        """What one of Loom's own tools answers."""
        self._asked += 1
        id = f"look_{self._asked:04d}"
        self._context.turn()
        self._context.reply(Reply((ToolCall(id, tool, json.dumps(arguments)),)))
        step = self._context.history.restore(self._context.window.history.next_id - 1)
        return step.results.get(id, "")


def tells(line: str, item: PlantedItem) -> bool:
    """True when a line says what a name is of: a path, a command, or half of the item's words.

    Of a path folder and file may stand apart: `docs/: notes.md read_0003`.
    """
    if any(all(part in line for part in phrase.rpartition("/")) for phrase in item.phrases):
        return True
    words = set(asked(item.about).words)
    return 2 * len(words & set(asked(line).words)) >= len(words)


def misses(outcome: LongRunOutcome) -> Iterator[Judged]:
    """The items that are neither resident nor one page_in away."""
    return (one for one in outcome.judged if one.place in (RECALL, LOST))
