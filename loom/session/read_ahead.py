"""Read-ahead: texts that left the window and are shown again before the model asks for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice

from msgspec.structs import replace

from loom.compress.entry_memo import EntryMemo
from loom.compress.worth.ahead import (
    UnitsToBringBack,
    absent_keys,
    choose_units_to_bring_back,
    resident_keys,
)
from loom.compress.worth.entry_units import Read
from loom.compress.worth.fitted import constants_for_policy
from loom.compress.worth.repeats import marks_of_standing_lines
from loom.compress.worth.residency import is_preview
from loom.compress.worth.working_set import WorkingSet
from loom.compress.worth.worth import Worths, score_units
from loom.policy import Policy
from loom.providers.counts import Counter, MessageSizes
from loom.providers.counts.message_sizes import MESSAGE
from loom.providers.render.quotes import quote_turn, read_ahead_tokens
from loom.providers.render.standin import StandIn
from loom.reduce.preview import TO_ITS_ENDS, Shortening
from loom.session.archive.restore import entries_as_arrived
from loom.session.archive.workspace import Workspace
from loom.session.window_room import BESIDE
from loom.text import encodable
from loom_partitions.message import Detail, Digest, Notice, PagedIn, Step, Text, UserTurn
from loom_partitions.records import Brought
from loom_partitions.window import Window, apply

Bounded = Callable[[str, Text, int, Shortening], Text]  # a text in so many tokens
LEAST_MORE = 60  # tokens for which a preview is made anew
REMEMBERED = 1_500  # entries a catalog is made of when a session is opened again


class ReadAhead:
    """Keeps a catalog of all texts of the session. Chooses texts that left the window and are shown
    again before the model asks."""

    def __init__(
        self, workspace: Workspace, read: Read, policy: Policy, sizes: MessageSizes, above: int = 0
    ) -> None:
        self._above = above  # characters over which a result is to stand short
        self._workspace = workspace
        self._read = read
        self._policy = policy
        self._sizes = sizes
        self._catalog: WorkingSet | None = None
        self._lines = EntryMemo()
        self._previews = False
        self._looked = 0

    def catalog(self) -> WorkingSet:
        """Return the catalog of the session's texts, without a step that has open calls."""
        try:
            return self._updated_catalog()
        except BaseException:
            self._catalog = None
            raise

    def _updated_catalog(self) -> WorkingSet:
        """Return the catalog after adding the entries that came in since the last call."""
        window = self._workspace.window
        if self._catalog is None:
            self._catalog = WorkingSet(self._sizes.count.many, self._above)
            if window.sent.cuts:
                index = self._workspace.index
                known = [
                    id
                    for id in sorted(index.commits)[-REMEMBERED:]
                    if id != window.history.waiting and not index.is_undone(id)
                ]
                for one in entries_as_arrived(self._workspace, known):
                    self._note_entry(self._catalog, one)
        fresh: list[UserTurn | Step] = []
        for entry in window.history.stream.entries_back:
            if entry.id <= self._catalog.newest and entry.id != window.history.waiting:
                break
            if not isinstance(entry, Digest) and entry.id != window.history.waiting:
                fresh.append(entry)
        for entry in reversed(fresh):
            self._note_entry(self._catalog, entry)
        self._catalog.window = window.history.stream
        return self._catalog

    def _note_entry(self, catalog: WorkingSet, entry: UserTurn | Step) -> None:
        """Add an entry to the catalog. An entry read ahead counts as shown again, not as new."""
        if isinstance(entry, UserTurn) and entry.source and not entry.call:
            catalog.ahead(entry)
        else:
            catalog.note(entry, self._read)

    def ahead(
        self, window: Window, reserve: int, *, cut: bool = False
    ) -> tuple[tuple[Brought, ...], Window]:
        """Return (records that bring back the texts read ahead for the next request, the window
        after the records).

        `cut` is True if a cut was made for this request; after a cut, any text that left may come
        back. `reserve` tokens are kept free for the notice."""
        step, mark = newest_unsent_step(window), window.config.mark
        size = (
            partial(read_ahead_tokens, mark=mark, count=self._sizes.count)
            if step
            else lambda paged: self._ahead_entry(paged, 0, mark).tokens
        )
        records: list[Brought] = []
        for ahead in self._wanted_slices(window, reserve, size, cut):
            paged, id = ahead.as_paged_in, window.history.next_id
            record = Brought(paged if step else self._ahead_entry(paged, id, mark), step)
            window = apply(window, record)
            records.append(record)
        return tuple(records), window

    def lengthened_previews(
        self, window: Window, room: Callable[[Window, Step], int], bounded: Bounded
    ) -> tuple[Brought, ...]:
        """Return the records that show results of the newest step in full, or longer, in place of a
        preview. () for a step that was in a request already. `room` returns how many tokens the
        step's results may take."""
        step = 0 if window.sent.fresh or window.sent.requested else newest_unsent_step(window)
        if not step or self._above or not self._may_read_ahead(window):
            return ()
        entry = window.history.step(step)
        if not any(is_preview(one.text) for one in entry.outcomes):
            return ()
        left = room(window, entry) - sum(one.text.tokens + BESIDE for one in entry.outcomes)
        return tuple(longer_result_records(entry, self._read, self._sizes.count, left, bounded))

    def _may_read_ahead(self, window: Window) -> bool:
        """True when the policy allows reading ahead and the window may lack some text."""
        return self._policy.tuning.ahead_tokens > 0 and self._has_partial_texts(window)

    def _room_tokens(self, window: Window, reserve: int) -> int:
        """Return how many tokens may be read ahead in this turn, with ρ below the policy's
        `auto_at`."""
        capacity, policy = window.limits.capacity, self._policy
        free = int(capacity * policy.auto_at) - window.tokens.total - reserve
        return min(policy.tuning.ahead_tokens, int(capacity * policy.tuning.ahead_share), free)

    def _wanted_slices(
        self, window: Window, reserve: int, size: Callable[[PagedIn], int], cut: bool
    ) -> list[UnitsToBringBack]:
        """Return the slices to read ahead. `size` takes a slice and returns the tokens it takes in
        the request. `cut` is True if a cut was made for this request."""
        if not self._may_read_ahead(window):
            return []
        last = next((e.id for e in window.history.stream.entries_back if isinstance(e, Step)), 0)
        catalog = self.catalog()
        touched = catalog.columns.touched_since(last)
        if not touched and not cut:
            return []
        standing = resident_keys(catalog, window.history.stream.entries)
        if not cut and all(key in standing for key in touched):
            return []
        capacity = window.limits.capacity
        room = self._room_tokens(window, reserve)
        if room <= 0 and not cut:  # before anything is scored
            return []
        # What may come with a cut is all that left; else it competes with what stands alone.
        of = (
            catalog,
            window.working,
            constants_for_policy(self._policy),
            capacity,
            self._policy.ageing,
        )
        rows = catalog.columns.rows_of
        worths = score_units(*of) if cut else Worths(*of, rows({*standing, *touched}))
        if cut:
            left = min(
                self._policy.tuning.ahead_tokens,
                int(capacity * self._policy.tuning.back_share),
                (window.low if window.sent.renewed else window.target)
                - window.tokens.total
                - reserve,
            )
            room = max(room, left) if touched else left
            touched = [*touched, *absent_keys(catalog, worths, standing, left)]
        if there := _skill_keys_in_view(window):
            touched = [key for key in touched if key[:2] not in there]
        entries = tuple(window.history.stream.entries)
        return choose_units_to_bring_back(
            catalog, worths, touched, standing, room, size, window.config.mark,
            lambda: marks_of_standing_lines(entries, self._read, self._lines),
        )  # fmt: skip

    def _has_partial_texts(self, window: Window) -> bool:
        """True when the window may lack a text: after a cut, or once a preview came in."""
        if not window.sent.cuts and not self._previews:
            for entry in window.history.stream.entries_back:
                if entry.id <= self._looked:
                    break
                self._previews |= isinstance(entry, Step) and any(
                    text.body is not None and bool(text.page)
                    for text in (outcome.text for outcome in entry.outcomes)
                )
            self._looked = window.history.next_id - 1
        return bool(window.sent.cuts) or self._previews

    def _ahead_entry(self, paged: PagedIn, id: int, mark: str) -> UserTurn:
        """Return a quoted entry that shows a text read ahead. `mark` begins Loom's own lines."""
        page = paged.text.page if paged.ref == paged.text.page else ""
        bare = replace(paged.text, page=page)
        turn = UserTurn(id, bare, 0, source=paged.ref, about=paged.path, field=paged.field)
        tokens = self._sizes.count(quote_turn(turn, bare.body or "", mark))
        return replace(turn, text=replace(bare, tokens=tokens), tokens=MESSAGE + tokens)


def _skill_keys_in_view(window: Window) -> set[tuple[str, str]]:
    """Return the first two members of the catalog `Key` of each text that the request shows as a
    client's skill."""
    shown = {held.key for held in window.skill.bodies.shown}
    return {
        place
        for one in window.skill.brought
        if one.key in shown
        for place in (
            (one.text.page, ""),
            (f"user_{one.entry:04d}", ""),
            (f"step_{one.entry:04d}", one.call),
        )
    }


def whole_unsent_step(window: Window, id: int) -> Step | None:
    """Return the step `id` if the step is shown in full and was in no request yet; else None."""
    stream, held = window.history.stream, max(window.sent.shared, window.sent.stable, 0)
    for item in islice(reversed(stream), len(stream) - held):
        if isinstance(item, Step) and item.id == id and item.detail is Detail.FULL:
            return item
    return None


def newest_unsent_step(window: Window) -> int:
    """Return the id of the newest entry if the entry is a step with all results and was in no
    request yet; else 0."""
    stream, held = window.history.stream, max(window.sent.shared, window.sent.stable)
    for back, item in enumerate(reversed(stream)):
        if isinstance(item, Notice):
            continue
        sent = len(stream) - 1 - back < held
        fresh = isinstance(item, Step) and item.outcomes and not item.open and not sent
        return item.id if fresh else 0
    return 0


def longer_result_records(
    step: Step, read: Read, count: Counter, room: int, bounded: Bounded
) -> Iterator[Brought]:
    """Yield the records that show a step's results in full, or longer, in place of previews. At
    most `room` tokens are added. `bounded` shortens a text to a number of tokens."""
    longer: list[tuple[int, Text, str]] = []
    for at in range(len(step.outcomes) - 1, -1, -1):
        text = step.outcomes[at].text
        found = read(text.page) if is_preview(text) else None
        if found is None or isinstance(found, StandIn):
            continue
        whole = Text(count(encodable(found)), text.size, None, text.page)
        if whole.tokens - text.tokens <= room:
            room -= max(whole.tokens - text.tokens, 0)
            yield Brought(PagedIn(whole.page, whole), step.id, at)
        else:
            longer.append((at, whole, found))
    for number, (at, whole, found) in enumerate(longer):
        shown = step.outcomes[at].text
        more = room // (len(longer) - number)
        if more < LEAST_MORE:
            break
        made = bounded(found, whole, shown.tokens + more, TO_ITS_ENDS)
        if made.tokens > shown.tokens:
            room -= made.tokens - shown.tokens
            yield Brought(PagedIn(made.page, made), step.id, at)
