"""Arbitrary lawful lives: records in an order the engine could have written them."""

import pytest
from hypothesis import strategies as st

from loom_partitions import records as r
from loom_partitions.edits import Edit, Folded, Lowered, Shortened
from loom_partitions.limits import Limits
from loom_partitions.message import (
    Call,
    Detail,
    Digest,
    Entry,
    Fact,
    Notice,
    Outcome,
    Part,
    Reduction,
    Said,
    Step,
    Text,
    Thought,
    UserTurn,
)
from loom_partitions.skill import ClientSkill
from loom_partitions.surfaces import Evidence, PlanItem
from loom_partitions.window import Window, apply
from loom_partitions.working import Event

sizes = st.integers(1, 60)
words = st.text("abc 你\n", max_size=6)
keys = st.sampled_from("abc")
PAD = "outputs/scratch_0001.txt"


def text_of(draw: st.DrawFn) -> Text:
    """A text in one of its three forms."""
    tokens = draw(sizes)
    form = draw(st.sampled_from(["body", "page", "both"]))
    page = "" if form == "body" else f"outputs/text_{draw(st.integers(1, 9)):04d}.txt"
    return Text(tokens, 4 * tokens, None if form == "page" else draw(words), page)


def heard(draw: st.DrawFn, window: Window) -> r.Record:
    """A user turn."""
    text = text_of(draw)
    facts = (Fact("rule", draw(words)),)
    return r.Heard(UserTurn(window.history.next_id, text, 4 + text.tokens, facts=facts))


def replied(draw: st.DrawFn, window: Window) -> r.Record:
    """A reply with up to six calls; a turn of the user when calls are open."""
    if window.history.waiting:
        return heard(draw, window)
    parts: list[Part] = [Said(text_of(draw)) for _ in range(draw(st.integers(0, 2)))]
    if draw(st.booleans()):
        parts.insert(0, Thought("hm", '{"t":1}', "anthropic", draw(sizes)))
    ids = [f"c{window.history.next_id}_{n}" for n in range(draw(st.integers(0, 6)))]
    parts += [Call(id, "Bash", "{}", draw(sizes)) for id in ids]
    tokens = 4 + sum(p.text.tokens if isinstance(p, Said) else p.tokens for p in parts)
    return r.Replied(Step(window.history.next_id, tuple(parts), tokens, open=tuple(ids)))


def returned(draw: st.DrawFn, window: Window) -> r.Record:
    """The result of any open call; a reply when none waits."""
    if not window.history.waiting:
        return replied(draw, window)
    id = draw(st.sampled_from(sorted(window.history.open_calls)))
    text = text_of(draw)
    reduction = Reduction("system:shell", {"command": "ls"}, "ran ls", "Ran ls")
    outcome = Outcome(id, text, reduction, draw(st.booleans()))
    return r.Returned(window.history.waiting, outcome, 10 + text.tokens)


def notice(draw: st.DrawFn, partition: str) -> Notice:
    """A text Loom places between cuts."""
    return Notice(partition, draw(words), draw(sizes))


def shelved(draw: st.DrawFn, window: Window) -> r.Record:
    """Any record of a shelf."""
    key, text = draw(keys), text_of(draw)
    made: list[r.Record] = [
        r.Shelved("system", key, notice(draw, "system"), text),
        r.Shelved("tools", key, notice(draw, "skill"), text),
        r.Shelved("memory", key, notice(draw, "memory"), text),
        r.Shelved("memory", key, notice(draw, "memory")),
        r.Shelved("skill", key, notice(draw, "skill"), text),
        r.Shelved("skill", key, notice(draw, "skill")),
        r.SkillUsed(key),
        r.Shelved("skill", key, notice(draw, "skill"), text, said=True),
        r.SkillUsed(key, ClientSkill(key, text, 1, 1, left=draw(st.booleans()))),
    ]
    return draw(st.sampled_from(made))


def worked(draw: st.DrawFn, window: Window) -> r.Record:
    """Any record of C_working, and those that change nothing."""
    id, said = draw(keys), draw(words)
    made: list[r.Record] = [
        r.Tasked(text_of(draw)),
        r.Planned(draw(st.integers(0, 2)), ((0, PlanItem(said, "doing")),)),
        r.Progressed(said),
        r.Noted(text_of(draw)),
        r.Noted(Text(3, 9, said, draw(st.sampled_from(["", PAD]))), True, "…", 1, 1),
        r.Questioned(id, said),
        r.Evidenced(Evidence(id, said)),
        r.Signalled(Event((id,), "event", said, draw(st.sampled_from(["low", "high"])))),
        r.Acknowledged(id, draw(st.sampled_from(["ignore", "defer"]))),
        r.Metered(7),
        r.Redacted({"jwt": 1}),
        r.Redacted({"jwt": 1}, places={"page": 1}),
        r.Sifted(("outputs/read_0001.txt",), draw(st.sampled_from(["expired", "kept"]))),
        r.Finished(said, "snapshots/working_0001.json"),
    ]
    return draw(st.sampled_from(made))


def turned(draw: st.DrawFn, window: Window) -> r.Record:
    """A request, with or without a notice; the same window twice is not asked."""
    if window.history.waiting:
        return returned(draw, window)
    told = notice(draw, "working") if draw(st.booleans()) else None
    return r.Turned(window.sent.turn + 1, told, "0:abc")


def lowerable(window: Window) -> list[Entry]:
    """Entries a cut may touch: none with open calls, nor any after it."""
    entries = [
        e
        for e in window.history.stream.entries
        if not window.history.waiting or e.id < window.history.waiting
    ]
    return entries[:-1]


def edited(draw: st.DrawFn, window: Window) -> tuple[Edit, ...]:
    """A lawful set of edits: perhaps a fold, and levels for what is left."""
    entries = lowerable(window)
    edits: list[Edit] = []
    if len(entries) > 1 and draw(st.booleans()):
        low, high = sorted(draw(st.integers(0, len(entries) - 1)) for _ in "ab")
        gone, entries = entries[low : high + 1], [*entries[:low], *entries[high + 1 :]]
        first = gone[0].first if isinstance(gone[0], Digest) else gone[0].id
        last = gone[-1].id
        page = f"outputs/digest_{last:04d}.md"
        edits.append(Folded(first, last, Digest(last, first, last, "Earlier", 1, page)))
    for entry in entries:
        choice = draw(st.integers(0, 3))
        if isinstance(entry, Digest) or entry.detail >= Detail.REDUCED or not choice:
            continue
        if choice == 1 and isinstance(entry, Step) and entry.outcomes:
            at = draw(st.integers(0, len(entry.outcomes) - 1))
            whole = entry.outcomes[at].text
            short = Text(max(whole.tokens - 1, 1), whole.size, "…", "outputs/text_0001.txt")
            edits.append(Shortened(entry.id, "result", at, short))
        elif choice == 2 and isinstance(entry, UserTurn):
            short = Text(1, entry.text.size, "…", "outputs/text_0001.txt")
            edits.append(Shortened(entry.id, "user", 0, short))
        else:
            detail = draw(st.sampled_from([Detail.REDUCED, Detail.COMPACT]))
            edits.append(Lowered(entry.id, detail, "one line", 1))
    return tuple(edits)


def certificate(window: Window) -> r.Certificate:
    """One of no meaning: the fold does not read it."""
    return r.Certificate({}, window.tokens, window.tokens, 0, 0, 0)


def compressed(draw: st.DrawFn, window: Window) -> r.Record:
    """A cut from the first item it touches, or from the front; a turn when there is none."""
    edits = edited(draw, window)
    if not edits:
        return turned(draw, window)
    touched = {e.first if isinstance(e, Folded) else e.entry for e in edits}
    firsts = [getattr(item, "first", getattr(item, "id", None)) for item in window.history.stream]
    start = next(at for at, first in enumerate(firsts) if first in touched)
    start = start if window.settled and draw(st.booleans()) else 0
    return r.Compressed("test", edits, start, certificate(window))


def renewed(draw: st.DrawFn, window: Window) -> r.Record:
    """A fresh window."""
    edits = edited(draw, window)
    snapshot = f"snapshots/working_{window.sent.generation:04d}.json"
    return r.Renewed(window.sent.generation + 1, edits, snapshot, certificate(window))


ACTIONS = (heard, replied, turned, shelved, worked, compressed, *3 * [returned])
LEAST = 8  # rounds of a life: fewer seldom reach a cut


@st.composite
def lives(draw: st.DrawFn) -> list[r.Record]:
    """Records from an opening on."""
    limits = Limits(window=2_000, reply=500, head=4, run=9)
    life: list[r.Record] = [r.Opened(limits, {"preset": "lazy"})]
    window = apply(Window(), life[0])
    chapter = st.lists(st.sampled_from(ACTIONS), min_size=LEAST, max_size=3 * LEAST)
    for end in draw(st.lists(st.sampled_from([compressed, renewed]), min_size=1, max_size=3)):
        for act in (*draw(chapter), end):
            record = act(draw, window)
            life.append(record)
            window = apply(window, record)
    return life


@pytest.fixture(scope="session")
def lived() -> st.SearchStrategy[list[r.Record]]:
    """The strategy of lawful lives."""
    return lives()
