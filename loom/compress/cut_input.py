"""The input of a compression strategy. The output of a strategy is a sequence of edits, as data.

A strategy is a function `(CutInput) -> Sequence[Edit]`. A strategy never lowers a recent step
(below ρ 1.0) and never touches a step with open calls. It lowers the oldest entries first and frees
as many tokens as the target asks."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from functools import cached_property

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.entry_memo import EntryMemo
from loom.compress.worth.ahead import absent_keys, resident_keys
from loom.compress.worth.entry_units import UnitKey
from loom.compress.worth.fitted import ScoreConstants, constants_for_policy
from loom.compress.worth.working_set import WorkingSet
from loom.compress.worth.worth import Worths, score_units
from loom.policy import Policy
from loom.providers.counts import MessageSizes
from loom.providers.render.quotes import quote_turn
from loom_partitions.edits import Edit, apply_edits
from loom_partitions.history import pinned_entries
from loom_partitions.message import Digest, Entry, Notice, Step, UserTurn
from loom_partitions.stream import Stream
from loom_partitions.window import Window

LEAST_DIGEST = 120  # tokens
# `benchmarks takeover` at 8,000: 104 of 192 so, 97 with .65 and .85, 93 with .50 and .62.
FACTS_PART = 0.75  # of a small history, what the facts of a digest may take …
DIGEST_PART = 0.9  # … and the whole digest


class CutInput(Struct, dict=True, eq=False):
    """A window about to be cut, with all that a strategy may ask about it.

    A strategy shortens or folds entries of `old`, the oldest first, until `excess` tokens are free.
    `tokens_after` returns the size of the request after given edits.

    `read` returns the text of a page, given its name. `reserve` is the tokens kept for the
    dashboard, the message that follows a cut. `target` is the size of the request to reach, in
    tokens, dashboard included. `asked` is True if a host or provider asked for that size. `catalog`
    has the session's units (pieces of entries). `memo` remembers values computed from entries.
    `retired` has the names of pages that can no longer be read. `keep` has the ids of entries that
    stay unchanged in this cut while there is room."""

    window: Window
    policy: Policy
    sizes: MessageSizes
    read: Callable[[str], str]
    reserve: int
    target: int
    asked: bool
    catalog: WorkingSet
    memo: EntryMemo
    retired: Collection[str] = ()
    keep: frozenset[int] = frozenset()

    @property
    def fitted(self) -> ScoreConstants:
        """Return the constants of the worth score, with those that the policy sets."""
        return constants_for_policy(self.policy)

    @cached_property
    def entries(self) -> tuple[Entry, ...]:
        """Return all entries of the window, oldest first, without the names of retired pages."""
        entries = self.window.history.stream.entries
        if not self.retired:
            return tuple(entries)
        stems = {name.rpartition("/")[2].partition(".")[0] for name in self.retired}
        return tuple(without_retired_pages(entry, self.retired, stems) for entry in entries)

    @cached_property
    def worths(self) -> Worths:
        """Return the present worth of all units (pieces of entries)."""
        capacity, ageing = self.window.limits.capacity, self.policy.ageing
        return score_units(self.catalog, self.window.working, self.fitted, capacity, ageing)

    @cached_property
    def horizon(self) -> int:
        """Return the id of the oldest recent entry; 0 if all entries are recent. Entries with a
        lower id are old. At most `Policy.recent` steps are recent, fewer if the steps are large."""
        room = int(self.window.limits.capacity * self.policy.tuning.recent_share)
        steps = [entry for entry in self.entries if isinstance(entry, Step)][-self.policy.recent :]
        if len(steps) < self.policy.recent:
            return 0
        oldest = self.window.history.next_id
        for entry in reversed(steps):
            room -= entry.tokens
            if room < 0 and oldest <= steps[-1].id:
                break
            oldest = entry.id
        return oldest

    @cached_property
    def newest(self) -> tuple[UserTurn | Step, ...]:
        """Return the entries that came in since the last model reply, without digests. No
        compression level shortens these entries."""
        ids = {entry.id for entry in self.window.history.stream.unanswered}
        return tuple(e for e in self.entries if e.id in ids and not isinstance(e, Digest))

    @cached_property
    def request(self) -> int:
        """Return the id of the last message the user typed; 0 if there is none."""
        typed = (e for e in reversed(self.entries) if isinstance(e, UserTurn) and e.typed)
        return next((entry.id for entry in typed), 0)

    @cached_property
    def unanswered(self) -> frozenset[int]:
        """Return the ids of the entries that came in since the last reply."""
        return frozenset(entry.id for entry in self.newest)

    @cached_property
    def pinned(self) -> frozenset[int]:
        """Return the ids of entries that no compression level may shorten: pinned entries and
        `keep`."""
        newest, pins = self.window.history.next_id - 1, self.window.history.pins
        return self.keep | {entry for entry, until in pins if until >= newest}

    @cached_property
    def pinned_for_good(self) -> frozenset[int]:
        """Return the ids of entries the host pinned without an end. A renewal keeps these entries
        whole."""
        return pinned_entries(self.window.history)

    @cached_property
    def returning(self) -> list[UnitKey]:
        """Return the keys of units (pieces of entries) that left the window and may return with
        this cut, the most valuable first."""
        tuning = self.policy.tuning
        if self.asked or not tuning.ahead_tokens:
            return []  # who asks for a size wants no more than stands
        room = min(tuning.ahead_tokens, int(self.window.limits.capacity * tuning.back_share))
        return absent_keys(
            self.catalog, self.worths, resident_keys(self.catalog, self.entries), room
        )

    @property
    def old(self) -> Iterator[Entry]:
        """Yield the entries that a compression level may shorten or fold: digests, and entries
        before `horizon` that are neither pinned nor newer than the last reply."""
        return (
            entry
            for entry in self.entries
            if isinstance(entry, Digest)
            or (entry.id < self.horizon and entry.id not in self.pinned | self.unanswered)
        )

    def tokens_after(self, edits: tuple[Edit, ...]) -> int:
        """Return an upper bound for the size of the request after these edits, in tokens, with the
        dashboard (the message after a cut)."""
        last = next((e.id for e in reversed(self.entries) if isinstance(e, Step)), 0)
        items = apply_edits(self.window.history.stream, edits, 0, last)
        totals = Stream.of(items, self.window.limits.run).totals
        return self.window.head_settled + totals.total + self.reserve

    def sent_tokens(self, entry: Entry, body: str) -> int:
        """Return the tokens of `body` sent as the text of `entry`, with quote signs where Loom
        quotes."""
        if isinstance(entry, UserTurn):
            body = quote_turn(entry, body, self.window.config.mark)
        return self.sizes.count(body)

    @cached_property
    def excess(self) -> int:
        """Return how many tokens must be freed so that the request reaches `target`."""
        # Any cut removes the notices.
        stale = sum(i.tokens for i in self.window.history.stream if isinstance(i, Notice))
        joining = self.window.head_settled - self.window.head_tokens
        return self.window.tokens.total + joining - stale + self.reserve - self.target

    @cached_property
    def digest_room(self) -> int:
        """Return the most tokens for the facts in a digest."""
        tuning, small = self.policy.tuning, int(self.history * FACTS_PART)
        most = self._share_of_capacity(
            tuning.digest_share, tuning.digest_tokens, tuning.digest_large
        )
        return max(LEAST_DIGEST, min(most, small))

    @property
    def index_room(self) -> int:
        """Return the most tokens for a digest's index, which lists files, commands and calls."""
        tuning = self.policy.tuning
        most = self._share_of_capacity(tuning.index_share, tuning.index_tokens, tuning.index_large)
        return max(min(most, self.both_room), 0)

    def _share_of_capacity(self, share: float, tokens: int, large: float) -> int:
        """Return the larger of `tokens` and `large` × capacity, but at most `share` × capacity."""
        capacity = self.window.limits.capacity
        return min(max(tokens, int(capacity * large)), int(capacity * share))

    @property
    def both_room(self) -> int:
        """Return the most tokens for a whole digest, facts and index together."""
        return max(LEAST_DIGEST, int(self.history * DIGEST_PART))

    @property
    def history(self) -> int:
        """Return the tokens that the history may take so that the request reaches `target`."""
        return self.target - self.reserve - self.window.head_settled


def without_retired_pages(entry: Entry, retired: Collection[str], stems: Collection[str]) -> Entry:
    """Return the entry without the names of `retired` pages, which can no longer be read. `stems`
    are the same names without folder and extension."""
    facts = []
    for fact in entry.facts:
        names = fact.refs.split()
        kept = [name for name in names if name.partition("(")[0] not in stems]
        facts.append(fact if len(kept) == len(names) else replace(fact, refs=" ".join(kept)))
    if entry.facts != tuple(facts):
        entry = replace(entry, facts=tuple(facts))
    if not isinstance(entry, Step) or all(
        o.reduction.outcome_ref not in retired for o in entry.outcomes
    ):
        return entry
    # A result goes on showing the page it stands for.
    bare = [
        replace(one, reduction=replace(one.reduction, outcome_ref=""))
        if one.reduction.outcome_ref in retired
        else one
        for one in entry.outcomes
    ]
    return replace(entry, outcomes=tuple(bare))


Strategy = Callable[[CutInput], Sequence[Edit]]
