"""The check of a cut: proposed edits become a record only if the window they lead to is lawful.

The proposal is applied, and the new window compared with the old: the protected partitions are
stored as before (by hash), every call has its result, token counts are right, ids rise, every
removed text can be brought back, the request is smaller and within its target. A cut that breaks
one of these laws is a fault of the engine: nothing of it is applied (`BrokenLaw`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.prefix import common_front, common_front_tokens
from loom.errors import BrokenLaw
from loom.providers import provider_of
from loom.providers.counts import MessageSizes
from loom.providers.render.render import ReadPageText, RenderedRequest, render_request
from loom.session.archive.restore import entry_id_in_name
from loom.session.archive.workspace import Workspace
from loom.session.meter import model_of
from loom_partitions import laws
from loom_partitions.edits import Edit, Folded, Shortened
from loom_partitions.message import Notice, Step, Thought, UserTurn
from loom_partitions.records import Certificate, Compressed, Renewed
from loom_partitions.window import Window, apply

BLANK = Certificate({}, Window().tokens, Window().tokens, 0, 0, 0)


class CertifiedCut(Struct, frozen=True):
    """A cut that passed the check: its `record` with the certificate, and the window `after` the
    cut."""

    record: Compressed | Renewed
    after: Window


def can_bring_back(workspace: Workspace, ref: str) -> bool:
    """True when a page or entry can be brought back. `ref` is its name, or `entry:` and an id."""
    if ref.startswith("entry:"):
        return int(ref[6:]) in workspace.index
    return ref in workspace.pager.table or entry_id_in_name(ref) in workspace.index.commits


class Certifier(Struct):
    """Checks proposed cuts against the laws of a cut (`loom_partitions.laws`), and writes a
    certificate into the record of a cut that passes.

    `workspace` tells what can be brought back. `last()` returns the last request that was sent.
    `on_cut` is the host's hook, which may refuse a cut."""

    sizes: MessageSizes
    read: ReadPageText
    workspace: Workspace
    last: Callable[[], RenderedRequest | None]
    on_cut: Callable[[Compressed | Renewed], bool | None] | None

    def certify(
        self,
        window: Window,
        proposed: Compressed | Renewed,
        target: int,
        whole: Window,
        room: float,
    ) -> CertifiedCut | None:
        """Return the proposed cut with its certificate; None if the host refuses the cut. Raises
        BrokenLaw.

        `target` is the size in tokens that a renewal must reach. `whole` is the window before a
        renewal removed skills or memory texts. `room` is how many tokens the entries since the last
        reply may take."""
        after = apply(window, proposed)  # once: the certificate changes no window
        edits = proposed.edits
        broken = [
            # Less what a renewal said it sheds, if anything.
            *laws.protected(window, after),
            *laws.floor(whole, after),
            *laws.paired(after),
            *laws.counted(after),
            *laws.ordered(after),
            *laws.newest(window, after, room),
            *laws.restorable(edits, partial(can_bring_back, self.workspace)),
        ]
        if isinstance(proposed, Renewed):
            broken += [*laws.renewed(window, after, target), *laws.bounded(after)]
        else:
            broken += laws.shrinking(window, after)
        if broken:
            raise BrokenLaw(getattr(proposed, "level", "renewal"), broken)
        certificate = Certificate(
            protected=laws.fingerprints(after),
            before=window.tokens,
            after=after.tokens,
            target=target,
            reusable=self._reusable_tokens(after),
            removed=len(edits),
        )
        record = replace(proposed, certificate=certificate)
        if self.on_cut is not None and self.on_cut(record) is False:
            return None
        return CertifiedCut(record, after)

    def _reusable_tokens(self, after: Window) -> int:
        """Return how many tokens at the front of the request after the cut the last request also
        had."""
        last, following = self.last(), render_request(after, self.read)
        if last is None or last.tools != following.tools:
            return 0
        return common_front_tokens(
            after, common_front(last.messages, following.messages), self.sizes
        )


def false_statements(edits: Iterable[Edit], count: Callable[[str], int]) -> list[str]:
    """Return a sentence for each wrong value in the edits of a host's own compression level.
    `count` counts the tokens of a text."""
    broken = []
    for edit in edits:
        if not isinstance(edit, Edit):
            broken.append(f"{edit!r:.60} is no edit")
            continue
        if isinstance(edit, Folded):
            stated, text = edit.digest.tokens, edit.digest.text
            if not edit.last <= edit.digest.last == edit.digest.id:
                broken.append(f"a digest of entries to {edit.last} has the id {edit.digest.id}")
        elif isinstance(edit, Shortened):
            stated, text = edit.text.tokens, edit.text.body or ""
        else:
            stated, text = edit.tokens, edit.line
        if stated < count(text):
            broken.append(f"{text[:40]!r} is said to take {stated} tokens")
    return broken


def step_of_demanded_reasoning(window: Window) -> int:
    """Return the id of the last step if the provider demands the last step's opaque reasoning back;
    else 0."""
    said = (
        entry for entry in window.history.stream.entries_back if not isinstance(entry, UserTurn)
    )
    last = next(said, None)  # what the user says after the results leaves the loop running
    if not isinstance(last, Step) or not (last.outcomes or last.paused):
        return 0
    formats = {part.format for part in last.parts if isinstance(part, Thought) and part.opaque}
    model = model_of(window)
    return last.id if any(provider_of(model, format).demands for format in formats) else 0


def first_changed_item(window: Window, edits: Iterable[Edit]) -> int:
    """Return the index of the first item (entry or notice) of the history that a cut changes.

    The index is 0 if a change to a text of the system, memory or skill partition waits for a cut. A
    dashboard before the first changed entry counts as changed."""
    if not window.settled:
        return 0
    ids = {getattr(edit, "entry", 0) for edit in edits}
    folds = [edit for edit in edits if isinstance(edit, Folded)]
    bodies = window.skill.bodies
    brought = {held.entry for held in bodies.current if held not in bodies.shown} - {0}
    if any(one in ids or any(fold.takes(one) for fold in folds) for one in brought):
        return 0  # what a client's skill says may stand behind the head from here on
    first_notice = -1
    for number, item in enumerate(window.history.stream):
        if isinstance(item, Notice):
            if item.partition != "working":
                return number  # it joins its partition at this cut
            first_notice = number if first_notice < 0 else first_notice
        elif item.id in ids or any(fold.takes(item.id) for fold in folds):
            return first_notice if first_notice >= 0 else number
    return len(window.history.stream)
