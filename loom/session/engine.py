"""The engine behind a Context, which adds a lock and names for people; nothing here is public.
Inputs become commits, pressure becomes cuts, windows requests:

    input → ingest (pages) → records → fold → one commit
    turn  → previews lengthened → ρ → compress | renew → read-ahead → dashboard
          → render, which hashes → Turned → one commit"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from threading import RLock
from typing import TYPE_CHECKING

from msgspec.structs import replace

from loom.errors import LoomError, OpenCalls, Reentered
from loom.lazy import lazy_modules
from loom.policy import SUMMARY, Policy
from loom.providers.counts import Counter, MessageSizes
from loom.redact import Redactor
from loom.session.archive.journal_index import records_by_entry
from loom.session.archive.page_reader import PageReader
from loom.session.archive.snapshot_document import snapshot_bytes
from loom.session.archive.views import EntryViews
from loom.session.archive.workspace import Workspace
from loom.session.ingest import Ingest
from loom.session.locking import AtomicCalls, is_deciding, run_deciding
from loom.session.moments import Moments
from loom.session.notices import Notices, is_paused
from loom.session.tools.answer import OwnTool
from loom.session.tools.own_tools import tools_by_name
from loom.session.turn import RenderedRequests, Turn
from loom.session.window_room import WindowRoom
from loom.session.working_edits import WorkingEdits
from loom_partitions import records as r
from loom_partitions.laws import bounded
from loom_partitions.window import Window, apply, fold

if TYPE_CHECKING:
    from loom.session import (
        client_skills,
        cut,
        cut_decision,
        fitting_media,
        page_collection,
        pressure,
        read_ahead,
        snapshots,
    )
    from loom.session.archive import summaries
    from loom.session.client_skills import ClientSkills
    from loom.session.cut_decision import CutDecision, DecidedCuts
    from loom.session.fitting_media import AttachmentEntries
    from loom.session.pressure import Pressure
    from loom.session.read_ahead import ReadAhead
else:  # what an opening makes no use of
    lazy_modules("loom.session", "client_skills cut cut_decision fitting_media", globals())
    lazy_modules("loom.session", "page_collection pressure read_ahead snapshots", globals())
    lazy_modules("loom.session.archive", "summaries", globals())


class Engine:
    """A workspace and the parts that work on it. `folder` is the workspace's folder, None if it
    lies in a store. `project` is the folder the agent works in, None if unknown."""

    def __init__(
        self,
        workspace: Workspace,
        policy: Policy,
        count: Counter,
        redactor: Redactor,
        on_cut: Callable[[r.Compressed | r.Renewed], bool | None] | None,
        capabilities: Sequence[Moments] = (),
        folder: Path | None = None,
        project: Path | None = None,
    ) -> None:
        self.workspace = workspace
        self.policy = policy
        self.sizes = MessageSizes(count)
        self.redactor = redactor
        self.guard = RLock()
        self.atomic = AtomicCalls(self.guard, workspace, self.undo_unreturned_call, self.fail)
        self.hooks = self.atomic
        self.on_cut = on_cut and (lambda cut: self.hooks.run("on_cut", on_cut, cut))
        self.capabilities = tuple(capabilities)
        self.recalled = tuple(one.recalled for one in capabilities)
        rules = {name: rule for one in capabilities for name, rule in one.rules.items()}
        self.folder = folder
        self.project = project
        self.summarizes = any(one.summarizes for one in self.capabilities)  # large results
        self.compact_above = policy.compact_above or (SUMMARY if self.summarizes else 0)
        # True while capabilities are to be told of another size, None until they are opened.
        self.resized: bool | None = None
        self.answers = object()  # what decides while a tool's answer is made
        self.ingest = Ingest(
            self.sizes, redactor, workspace.put_page, rules, lambda: self.window.config.mark
        )
        self.notices = Notices(policy, self.sizes, lambda: workspace.clock() / 1_000)
        self.room = WindowRoom(self.notices, lambda: self.tools)
        self.remember()
        # The step whose calls an earlier life left open: nobody may be running them any more.
        self.left_open = workspace.window.history.waiting
        # The request an earlier life made and had no answer to: asked for again, it is sent again.
        self.left_sent = workspace.window.sent.turned and workspace.window.sent.turn

    def remember(self, version: int = 0) -> None:
        """Drop all that is held in memory. Versions of requests count on from `version`."""
        workspace = self.workspace
        self.read = PageReader(workspace)
        self.requests = RenderedRequests(self.read, version)
        self.views = EntryViews(workspace, self.read)
        for made in ("read_ahead", "cut_decision", "client_skills"):
            vars(self).pop(made, None)
        self.redactor.take()

    @cached_property
    def read_ahead(self) -> ReadAhead:
        """The part that reads ahead and keeps the catalog of texts, made when first needed."""
        return read_ahead.ReadAhead(
            self.workspace, self.read, self.policy, self.sizes, self.compact_above
        )

    @cached_property
    def cut_decision(self) -> CutDecision:
        """The part that decides cuts, made when first needed."""
        last, workspace = (lambda: self.requests.last(self.window)), self.workspace
        levels = tuple(level for one in self.capabilities for level in one.levels)
        cutter = cut.Cutter(
            self.sizes, self.read, workspace, last, self.on_cut,
            self.policy, self.read_ahead.catalog, levels,
        )  # fmt: skip
        return cut_decision.CutDecision(self.policy, cutter, self.notices, self.snapshot)

    @cached_property
    def client_skills(self) -> ClientSkills:
        """The part that handles skills that a client brings, made when first needed."""
        return client_skills.ClientSkills(
            self.workspace, self.read, self.ingest, self.policy, self.room
        )

    @property
    def lock(self) -> RLock:
        """The lock that every call holds. Raises StoreReplaced in a child process, where a thread
        of the parent process may hold the lock for ever."""
        self.workspace.check_process()
        return self.guard

    @property
    def name(self) -> str:
        """The agent's name in messages about its budget: that of its folder or store."""
        return self.folder.name if self.folder else str(getattr(self.workspace.store, "name", ""))

    @property
    def tools(self) -> dict[str, OwnTool]:
        """The tools that Loom or a capability answers: tool name → tool."""
        return tools_by_name(tool for one in self.capabilities for tool in one.tools)

    def undo_unreturned_call(self) -> None:
        """Undo what an interrupted call changed, on disk and in memory."""
        self.keep_or_undo_outside_changes()
        if self.workspace.undo_unacknowledged():
            self.remember(self.requests.version)

    def keep_or_undo_outside_changes(self) -> None:
        """Let capabilities keep their outside changes; undo those of a call that did not return."""
        for one in self.capabilities:
            if one.has_open_change:
                one.keep_or_undo(not self.workspace.has_unacknowledged)

    def fail(self, error: type[BaseException]) -> None:
        """Note that a call ends with an error of this type. If the call was interrupted, or a
        capability changed something outside the journal, the next call undoes its changes."""
        interrupted = not issubclass(error, Exception)
        if interrupted or any(one.has_open_change for one in self.capabilities):
            self.workspace.mark_unacknowledged()

    @property
    def window(self) -> Window:
        """The window as of the last commit."""
        return self.workspace.window

    def commit(self, *records: r.Record) -> None:
        """Apply records to the window and write them to the journal in one line. Without records
        nothing is done. Raises Reentered within an `on_cut` hook."""
        self.check_free()
        if not records:
            return
        # Not while a reply is answered, which has taken the next id of an entry.
        if is_deciding(self.answers) and records_by_entry(records):
            raise Reentered()
        if not self.workspace.commits and not isinstance(records[0], r.Opened):
            raise LoomError("nothing may be committed before the workspace is opened")
        counts = self.redactor.take()
        told = (*records, r.Redacted(counts)) if counts else records
        self.workspace.commit(told, fold(told, self.window))

    def check_free(self) -> None:
        """Raise Reentered if the `on_cut` hook calls this while a cut is decided."""
        if is_deciding(self):
            raise Reentered()

    def edits(self) -> WorkingEdits:
        """Return a maker of records that write to C_working in the current window."""
        return WorkingEdits(self.window, self.ingest, self.workspace, self.attach, self.recalled)

    def attach(self) -> AttachmentEntries:
        """Return a maker of entries from images and documents, for the current model."""
        return fitting_media.AttachmentEntries(self.ingest, self.window, self.room.media)

    def snapshot(self, window: Window, after: Window, reason: str) -> tuple[str, float]:
        """Store a snapshot: the state of `window`, the history of `after`. Return (its name, the
        time of the last heartbeat in seconds since the epoch)."""
        beat = round(self.notices.beat() or self.workspace.at / 1_000, 3)
        values = self.notices.values(window, beat)
        made = snapshots.take_snapshot(self.workspace, self.read, window, after, values, reason)
        return self.workspace.snapshot(window.sent.generation, snapshot_bytes(made)), beat

    def turn(self) -> Turn:
        """Return the next request, within the budget. On an error nothing has changed."""
        self.check_free()
        if self.window.history.open_calls:
            raise OpenCalls(self.window.history.open_calls)
        if not self.window.sent.turned:
            self._commit_decision(self._add_read_ahead(self._decide_cuts()))
        turn = self.requests.turn(
            self.window, self.pressure(), lambda: summaries.summary_asks(self.workspace)
        )
        self.views.write(self.requests.rendering)
        return turn

    def _decide_cuts(self) -> DecidedCuts:
        """Return the cuts due before a turn. New results are first shown in full where they fit."""
        whole = self.read_ahead.lengthened_previews(
            self.window, self.room.whole_tokens, self.ingest.bounded
        )
        relieved = run_deciding(self, self.cut_decision.before_turn, fold(whole, self.window))
        return replace(relieved, records=(*whole, *relieved.records))

    def _add_read_ahead(self, relieved: DecidedCuts) -> DecidedCuts:
        """Return the decision plus the request's notice and, if they fit, texts read ahead."""
        ahead, after = tuple[r.Brought, ...](), relieved.after
        asked = self.window.sent.fresh or self.window.sent.requested or is_paused(after)
        if not asked:  # for less, by a host, a provider or the model
            reserve = self.notices.reserve(after)
            ahead, after = self.read_ahead.ahead(after, reserve, cut=bool(relieved.edits))
        turned, ready = self.notices.turn_record(after, relieved.tried)
        if ahead and bounded(ready):
            ahead = ()
            turned, ready = self.notices.turn_record(relieved.after, relieved.tried)
        return replace(relieved, records=(*relieved.records, *ahead, turned), after=ready)

    def _commit_decision(self, relieved: DecidedCuts) -> None:
        """Render the request, then commit the decision and its sha256. Errors leave no trace."""
        records, after = relieved.records, relieved.after
        renewed = any(isinstance(record, r.Renewed) for record in records)
        if renewed:
            self.workspace.journal.check()
        try:
            if after.sent.turned:
                self.requests.render(after)
                records = tuple(map(self.requests.with_sha256, records))
            self.workspace.commit(records, after)
        except BaseException:
            self.requests.forget()
            raise
        cut_decision.log_changes(records, after)
        if renewed:
            retention = self.policy.retention
            page_collection.collect_after_renewal(self.workspace, retention, self.commit)

    def resize(self, change: r.Resized) -> None:
        """Change the window's sizes and make the cuts that they need, in one commit."""
        self.check_free()
        self.room.check(apply(self.window, change))
        self._cut_at_once(self.cut_decision.cuts_after_resize, change, skills=change)

    def renew(self, history: int | None, keep: frozenset[int] = frozenset()) -> None:
        """Renew the window. At most `history` tokens of history remain; None means the usual
        number. The entries with the ids `keep` stay as they are while there is room."""
        self._cut_at_once(self.cut_decision.requested_renewal, history, keep)

    def react(self, refused: r.Overflowed, size: r.Metered | None = None) -> None:
        """Cut after a provider refused a request as too long. `size` is its own count, if known."""
        self._cut_at_once(self.cut_decision.cuts_after_refusal, refused, size)

    def _cut_at_once(
        self, decide: Callable[..., DecidedCuts], *given: object, skills: r.Resized | None = None
    ) -> None:
        """Commit the skills of clients, then the cuts that `decide(window, *given)` returns."""
        self.check_free()
        self.commit(*self.client_skills.taken(skills))
        self._commit_decision(run_deciding(self, decide, self.window, *given))

    def pressure(self) -> Pressure:
        """Return how full the request is that the current window makes."""
        return pressure.pressure_of(self.window, self.workspace.pages)
