"""Digests: one bounded block that stands for the entries folded into it."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable, Sequence
from operator import is_
from typing import Generic, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.digest.current_facts import merge_facts, update_facts
from loom.compress.digest.digest_body import digest_body
from loom.compress.digest.entry_facts import collect_facts, facts_with_questions, lost_thoughts
from loom.compress.digest.fact_groups import CORE, DEEDS, INDEX, THREAD, GroupedFacts
from loom.compress.digest.fact_lines import fact_lines, join_lines
from loom.compress.entry_line import entry_line
from loom.providers.counts import Counter
from loom.reduce.verdict import is_failed
from loom_partitions.message import Detail, Digest, Entry, Fact, Step, UserTurn

Made = TypeVar("Made")
KEPT = 4  # values that are remembered: those of the tries of one cut


class RecentValues(Generic[Made]):
    """A memo of the last KEPT values, each found by the Python objects it was computed from."""

    def __init__(self) -> None:
        self._kept: deque[tuple[tuple[object, ...], Hashable, Made]] = deque(maxlen=KEPT)

    def of(
        self, objects: Sequence[object], make: Callable[[], Made], beside: Hashable = None
    ) -> Made:
        """Return the remembered value for `objects`, or call `make()` and remember its value. A
        value is found if its objects are the same Python objects and its `beside` is equal."""
        for key, also, value in reversed(tuple(self._kept)):
            if len(key) == len(objects) and also == beside and all(map(is_, key, objects)):
                return value
        value = make()
        self._kept.append((tuple(objects), beside, value))
        return value


SMALL = 2_000  # tokens of facts: in so small a digest what was done goes before what was said
TELLING = ("ran", "error", "refused")  # facts that say how a call ended
PLACE = "outputs/digest_0000.md"  # stands for the page's name until it is known
KNOWN = RecentValues[tuple[Fact, ...]]()  # all that is known of a run
DIGESTS = RecentValues[Digest]()


class DigestRoom(Struct, frozen=True):
    """Token limits of a digest: `facts` for the facts, `index` for the index of files and calls,
    `both` for the two together."""

    facts: int
    index: int = 0
    both: int = 1 << 30


def make_digest(
    entries: Sequence[Entry], bounds: DigestRoom, count: Counter, standing: Iterable[Entry] = ()
) -> Digest:
    """Return the digest of these entries, with a placeholder for the name of its page. `standing`
    are the entries that stay in the window; facts that `standing` makes outdated are left out."""
    staying = tuple(standing)
    of = *entries, None, *staying, count
    return DIGESTS.of(of, lambda: _make_digest(entries, bounds, count, staying), bounds)


def _make_digest(
    entries: Sequence[Entry], bounds: DigestRoom, count: Counter, staying: Sequence[Entry]
) -> Digest:
    """Return a new digest of `entries`. `staying` are the entries that stay in the window."""
    facts = GroupedFacts(_known_facts(entries)).bounded().facts
    # An older digest may reach beyond the entries that leave with it.
    last = max(entry.last if isinstance(entry, Digest) else entry.id for entry in entries)
    bare = Digest(
        id=last,
        first=entries[0].first if isinstance(entries[0], Digest) else entries[0].id,
        last=last,
        text="",
        tokens=0,
        page=PLACE,
        steps=sum(e.steps if isinstance(e, Digest) else isinstance(e, Step) for e in entries),
        users=sum(e.users if isinstance(e, Digest) else _is_user_message(e) for e in entries),
        failures=sum(e.failures if isinstance(e, Digest) else _has_failure(e) for e in entries),
        facts=facts,
    )
    since = collect_facts(staying)
    grouped = GroupedFacts((*update_facts(facts, since), *lost_thoughts(staying))).bounded()
    grouped.mark_latest(since)
    below = sum(bare.first <= one.id <= bare.last for one in staying)
    title = digest_heading(bare, below)
    small = bounds.facts <= SMALL
    text = title + digest_body(
        grouped, DEEDS if small else CORE, bounds.facts - count(title), count
    )
    left = bounds.index
    if small or 2 * bounds.facts + left > bounds.both:  # else there is room for both in any case
        left = min(left, bounds.both - count(text))
    text += digest_body(grouped, INDEX, left, count)
    if small:
        text += digest_body(grouped, THREAD, bounds.both - count(text), count)
    return replace(bare, text=text, tokens=count(text + "\n"))


def with_page_name(digest: Digest, page: str, count: Counter) -> Digest:
    """Return the digest with `page` as the name of its page."""
    text = digest.text.replace(PLACE, page, 1)
    return replace(digest, text=text, page=page, tokens=count(text + "\n"))


def digest_heading(digest: Digest, below: int = 0) -> str:
    """Return the heading of a digest: "Earlier: 3 steps completed, 1 user turn (numbered as entries
    1–4 → outputs/digest_0001.md)". `below` counts the entries with numbers in that range that stay
    in the window, below the digest."""
    parts = [f"Earlier: {digest.steps} step{'s' * (digest.steps != 1)} completed"]
    if digest.failures:
        parts.append(f"{digest.failures} of them with a failure")
    if digest.users:
        parts.append(f"{digest.users} user turn{'s' * (digest.users != 1)}")
    one = digest.first == digest.last
    span = f"entry {digest.last}" if one else f"numbered as entries {digest.first}–{digest.last}"
    span += f", {below} of which stand{'s' * (below == 1)} below" if below else ""
    return f"{', '.join(parts)} ({span} → {digest.page})"


def digest_page_text(
    entries: Sequence[Entry], read: Callable[[str], str], standing: Iterable[Entry] = ()
) -> str:
    """Return the text of a digest's page: a line for each entry (for an older digest its text),
    then the facts by group. `standing` are the entries that stay in the window; facts that
    `standing` makes outdated are left out. `read` returns the text of a page."""
    lines = []
    for entry in entries:
        if isinstance(entry, Digest):
            lines.append(entry.text)
        else:
            # A line that shows a page is worth more here than a shorter one.
            lines.append(entry.line or entry_line(entry, Detail.REDUCED, read))
    grouped = GroupedFacts(
        facts_with_questions(update_facts(_known_facts(entries), collect_facts(standing)))
    )
    for group in (*DEEDS, *INDEX):
        if text := join_lines(group, dict(enumerate(fact_lines(group, grouped.of(group))))):
            left = grouped.left_out(group)
            more = f"; {left} more on the pages above, or in the messages" if left else ""
            lines.append(f"\n{group.title}{more}:{text}")
    return "\n".join(lines) + "\n"


def _known_facts(entries: Sequence[Entry]) -> tuple[Fact, ...]:
    """Return the facts of these entries, without facts that a later entry made outdated."""
    return KNOWN.of(entries, lambda: tuple(merge_facts(collect_facts(entries))))


def _is_user_message(entry: UserTurn | Step) -> bool:
    """Return True for a message of the user, False for a message of Loom or a client."""
    return isinstance(entry, UserTurn) and not entry.source and not entry.voice


def _has_failure(entry: UserTurn | Step) -> bool:
    """Return True for a step in which a call failed."""
    if not isinstance(entry, Step):
        return False
    told = [fact for fact in entry.facts if fact.kind in TELLING]
    if any(fact.kind == "error" or is_failed(fact.came) for fact in told):
        return True
    return not told and any(o.error and not o.stand_in for o in entry.outcomes)
