"""What a cut's certificate says of the reusable prefix is what the bytes of two requests share."""

from itertools import takewhile
from pathlib import Path
from typing import Any

from msgspec import Struct, json
from msgspec.structs import replace

import loom
from loom.inputs import Event, Reply, Session, System
from loom.providers.counts import counter_for
from loom.providers.counts.message_sizes import MESSAGE, TOOL
from loom.providers.formats import FORMATS, declaration_json
from loom.replay.audit import message_tokens
from loom.replay.feed import replay
from loom_bench.sessions.generate import FLAVOURS, session
from loom_partitions.records import Compressed, Renewed
from tests.kit.cases import all_cases, each_value, some

COUNT = counter_for()
SLACK = 20  # tokens


class Seen(Struct, frozen=True):
    """One turn that cut: what was certified, and what the two requests share."""

    turn: int
    level: str
    certified: int
    shared: int
    whole: int

    @property
    def agrees(self) -> bool:
        """Whether the two are the same within 2 % and some tokens."""
        return abs(self.certified - self.shared) <= 0.02 * self.shared + SLACK


def shared(before: dict[str, Any], after: dict[str, Any], tools: int) -> int:
    """Tokens in front that two Chat requests have in common; tools stand before the messages."""
    if before.get("tools") != after.get("tools"):
        return 0
    tokens = tools
    for one, two in zip(before["messages"], after["messages"], strict=False):
        if json.encode(one) == json.encode(two):
            tokens += message_tokens(one, COUNT)
            continue
        if one["role"] == two["role"] and "tool_calls" not in one and "tool_calls" not in two:
            pairs = zip(one.get("content") or "", two.get("content") or "", strict=False)
            same = "".join(a for a, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            tokens += MESSAGE + COUNT(same) if same else 0
        break
    return tokens


def cuts_of(ctx: loom.Context, played: Session, seen: list[Compressed | Renewed]) -> list[Seen]:
    """Replay a session; every turn that cut, against the turn before it."""
    found = []
    before: dict[str, Any] | None = None
    for turn in replay(ctx, played):
        request = turn.request("openai", model="")
        if seen and before is not None:
            tools = sum(
                TOOL + max(COUNT(declaration_json(format, document)) for format in FORMATS)
                for document in turn.tools
            )
            certified = seen[-1].certificate.reusable
            level = turn.pressure.level
            common = shared(before, request, tools)
            found.append(Seen(turn.number, level, certified, common, turn.pressure.tokens.total))
        seen.clear()
        before = request
    return found


def plain(played: Session) -> Session:
    """The same session less what Chat does not carry: opaque reasoning, and long blank results."""
    events: list[Event] = []
    for event in played.events:
        if isinstance(event, Reply):
            parts = (part for part in event.parts if not isinstance(part, loom.Reasoning))
            events.append(replace(event, parts=tuple(parts)))
        elif isinstance(event, loom.Result) and not event.text.strip():
            events.append(replace(event, text=""))
        else:
            events.append(event)
    return replace(played, events=tuple(events))


def replayed(folder: Path, played: Session, **given: Any) -> list[Seen]:
    """The cuts of a session in a fresh workspace."""
    seen: list[Compressed | Renewed] = []
    with loom.open(folder, on_cut=seen.append, durable=False, **given) as ctx:
        return cuts_of(ctx, played, seen)


RUNS = [
    (flavour, seed, window, steps)
    for (seed, flavour), (window, steps) in each_value(
        enumerate(FLAVOURS, 1), [(4_000, 40), (8_192, 50), (24_000, 80)]
    )
]


@all_cases(("flavour", "seed", "window", "steps"), RUNS)
def test_the_certificate_is_what_the_bytes_say(
    tmp_path: Path, flavour: str, seed: int, window: int, steps: int
) -> None:
    """At every turn that cut, the certified reusable tokens are those of the common prefix."""
    played = plain(session(seed, steps, flavour=flavour))
    found = replayed(tmp_path / "work", played, window=window)
    assert found
    assert [cut for cut in found if not cut.agrees] == []
    assert all(0 <= cut.certified <= cut.whole for cut in found)


@all_cases("flavour", some(FLAVOURS, 2))
def test_opaque_reasoning_is_never_promised(tmp_path: Path, flavour: str) -> None:
    """Where opaque reasoning left with a cut, the prefix is certified no longer than it is."""
    found = replayed(tmp_path / "work", session(2, 50, flavour=flavour), window=4_000)
    assert found
    assert [c for c in found if c.certified > c.shared and not c.agrees] == []


@all_cases("seed", some([2, 1, 3], 1))
def test_the_head_is_reused(tmp_path: Path, seed: int) -> None:
    """Not all is new after a cut: whatever leaves, what stands before the history is kept."""
    spoken = plain(session(seed, 60))
    rules = System("Answer in English. Never touch the archive folder. " * 400)
    rest = (event for event in spoken.events if not isinstance(event, System))
    found = replayed(tmp_path / "work", replace(spoken, events=(rules, *rest)), window=24_000)
    assert found
    assert min(cut.certified for cut in found) > COUNT(rules.text)
    assert max(cut.certified / cut.whole for cut in found) > 0.2
