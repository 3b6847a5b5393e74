"""The engine under a Context: inputs become commits, pressure becomes cuts, windows become turns.

    input → ingest (pages) → records → fold → one commit
    turn  → measure → ρ → compress | renew → dashboard → Turned → one commit → render

Nothing here is public; `Context` is this with a lock and names for people.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress

import msgspec
from msgspec import json

from loom.archive.restore import entry_of
from loom.archive.views import write_views
from loom.compress.ladder import crossed
from loom.compress.lines import line
from loom.compress.renew import CEILING
from loom.config import Policy
from loom.cut import Cutter, Made
from loom.errors import LoomError, OpenCalls, OverCapacity, Reentered, Vetoed
from loom.ingest import Ingest
from loom.measure import Counter, Sizes
from loom.notices import Notices
from loom.pressure import Pressure, rho
from loom.redact import Redactor
from loom.render.render import Rendering
from loom.turn import Turn, Wire
from loom.workspace import Workspace
from paging import PagingError
from partitions.edits import Edit, Folded
from partitions.message import Detail, Digest
from partitions.records import Compressed, Overflowed, Record, Redacted, Renewed, Turned
from partitions.window import Window, apply, fold

MINIMAL_TAIL = 240  # tokens: one line of history, one small digest, their overhead


class Engine:
    """One workspace, its stages, and the turn at hand."""

    def __init__(
        self,
        workspace: Workspace,
        policy: Policy,
        count: Counter,
        redactor: Redactor,
        on_cut: Callable[[Compressed | Renewed], bool | None] | None,
    ) -> None:
        self.workspace = workspace
        self.policy = policy
        self.sizes = Sizes(count)
        self.redactor = redactor
        self.ingest = Ingest(self.sizes, redactor, workspace.rest)
        self.cutter = Cutter(policy, self.sizes, workspace.read, workspace.rest, self.held, on_cut)
        self.notices = Notices(policy, self.sizes)
        self.rendering = Rendering()
        self.wire = Wire()
        self.level = ""
        self._tried = (-1, 0)  # levels that were crossed when none found a cut, tokens then
        self._reacted = ""  # the level a refusal led to, told with the next turn
        self._busy = False

    @property
    def window(self) -> Window:
        """The window as it stands on disk."""
        return self.workspace.window

    def commit(self, *records: Record) -> None:
        """Fold records, then make them durable in one line, then show the window they lead to.

        Raises Reentered from within an `on_cut` hook.
        """
        self.check_free()
        counts = self.redactor.take()
        told = (*records, Redacted(counts)) if counts else records
        self.workspace.commit(told, fold(told, self.window))

    def check_free(self) -> None:
        """Raise Reentered while a cut is being decided."""
        if self._busy:
            raise Reentered()

    def share(self) -> int:
        """Tokens one text, or the results of one step, may take on entry."""
        return int(self.window.limits.capacity * self.policy.step_share)

    def held(self, ref: str) -> bool:
        """Whether a page or an entry can be brought back."""
        if ref.startswith("entry:"):
            return int(ref[6:]) in self.workspace.index
        return ref in self.workspace.pager.table or entry_of(ref) in self.workspace.index.commits

    def check_fits(self, after: Window) -> None:
        """Raise OverCapacity when what may not leave the window takes too much of it."""
        shelves = {
            "system": after.system.settle().tokens,
            "memory": after.memory.settle().tokens,
            "skill": after.skill.settle().tokens + after.tools.settle().tokens,
            "working": self.notices.widest(after),
        }
        needed = sum(shelves.values()) + after.limits.head + MINIMAL_TAIL
        if needed > after.limits.capacity * CEILING:
            largest = max(shelves, key=lambda name: shelves[name])
            raise OverCapacity(largest, shelves[largest], after.limits.capacity)

    def turn(self) -> Turn:
        """The next request: within budget, or a typed error and nothing changed."""
        self.check_free()
        if self.window.open_calls:
            raise OpenCalls(self.window.open_calls)
        if not self.window.turned:
            with self._deciding():
                records, after, edits = self._relieved()
            notice, mark = self.notices.make(after)
            turned = Turned(after.turn + 1, notice, mark)
            self._decided([*records, turned], apply(after, turned), edits)
        self._render(self.window)
        return self._made()

    @contextmanager
    def _deciding(self) -> Iterator[None]:
        """While a cut is decided, a hook may look at the context but not change it."""
        self._busy = True
        try:
            yield
        finally:
            self._busy = False

    def _decided(self, records: Sequence[Record], after: Window, edits: Sequence[Edit]) -> None:
        """Commit decisions; what cannot be rendered is not committed."""
        views = self._views(edits)
        try:
            if after.turned:
                self._render(after)
            self.workspace.commit(records, after)
        except BaseException:
            self.rendering = Rendering(self.rendering.version)
            raise
        # Neither is part of the truth: a failure here must not look like one of the commit.
        with suppress(OSError, PagingError):
            if any(isinstance(record, Renewed) for record in records):
                self.workspace.seal()
            write_views(self.workspace, views)

    def _relieved(self) -> tuple[list[Record], Window, tuple[Edit, ...]]:
        """What has to be decided before a request can be made: at most one level, or a renewal."""
        window = self.window
        self.level, self._reacted = self._reacted, ""
        made: Made | None = None
        pressure = self._rho(window)
        if pressure < self.policy.renew_at:
            made = self._compressed(window)
            if made is None:
                return [], window, ()
            after = made.after
            pressure = self._rho(after)
            if pressure < self.policy.renew_at:
                return [made.record], after, made.record.edits
        first = [made.record] if made else []
        edits = made.record.edits if made else ()
        made = self._renewed(made.after if made else window, pressure)
        return [*first, made.record], made.after, (*edits, *made.record.edits)

    def _rho(self, window: Window) -> float:
        """ρ of the request to come, its notice included."""
        return rho(window.tokens.total + self.notices.reserve(window), window.limits)

    def _compressed(self, window: Window) -> Made | None:
        """A level's cut; one that found nothing is not tried again until the window has grown."""
        total, pressure = window.tokens.total, self._rho(window)
        levels = len(list(crossed(pressure, self.policy)))
        tried, at = self._tried
        grown = total - at >= self.policy.least_freed * window.limits.capacity / 2
        if levels == tried and not grown and not self.policy.eager_steps:
            return None
        made = self.cutter.compress(window, self.notices.widest(window), pressure)
        self._tried = (-1, 0) if made else (levels, total)
        self.level = made.record.level if made and isinstance(made.record, Compressed) else ""
        return made

    def _renewed(self, window: Window, pressure: float, target: int | None = None) -> Made:
        snapshot = self.workspace.snapshot(
            window.generation, json.format(json.encode(window.working), indent=1)
        )
        made = self.cutter.renew(window, self.notices.widest(window), snapshot, target)
        if made is None:
            raise Vetoed("renewal", pressure)
        self.level = "renewal"
        self._tried = (-1, 0)
        return made

    def react(self, refused: Overflowed) -> None:
        """After a provider's "too long": the reactive level, or a renewal when that is not enough.

        The refusal and the cut are one commit; a veto leaves nothing behind.
        """
        self.check_free()
        window = apply(self.window, refused)
        target = self.cutter.refused(window)
        with self._deciding():
            made = self.cutter.react(window, self.notices.widest(window))
            if made is None or made.after.tokens.total + self.notices.widest(window) > target:
                made = self._renewed(window, 1.0, target)
        self._reacted = getattr(made.record, "level", "renewal")
        self._decided([refused, made.record], made.after, made.record.edits)

    def _views(self, edits: Sequence[Edit]) -> list[tuple[int, str]]:
        """(entry, compact line) of the entries that lose detail: their views are written."""
        if not edits:
            return []
        ids: set[int] = set()
        for edit in edits:
            span = (edit.first, edit.last) if isinstance(edit, Folded) else (edit.entry, edit.entry)
            ids.update(range(span[0], span[1] + 1))
        return [
            (entry.id, line(entry, Detail.COMPACT, self.workspace.read))
            for entry in self.window.stream.entries
            if entry.id in ids and not isinstance(entry, Digest) and entry.detail < Detail.REDUCED
        ]

    def _render(self, window: Window) -> None:
        self.rendering.update(window, self.workspace.read)

    def _made(self) -> Turn:
        window = self.window
        return Turn(
            window.turn,
            self.pressure(),
            self.rendering.messages,
            tuple(self.rendering.tools),
            self.rendering.sha256,
            self.rendering.version,
            self.wire,
            reply=window.limits.reply,
            model=window.model,
        )

    def pressure(self) -> Pressure:
        """ρ of the request as it stands."""
        window = self.window
        tokens = window.tokens
        return Pressure(
            rho(tokens.total, window.limits),
            tokens,
            window.limits.capacity,
            self.level,
            self.workspace.pages,
            window.generation,
        )


def policy_of(window: Window) -> Policy:
    """The policy a workspace was opened with; raises LoomError when this version cannot read it."""
    try:
        return msgspec.convert(window.policy, Policy)
    except msgspec.ValidationError as error:
        raise LoomError(f"the workspace's policy cannot be read: {error}") from error
