"""What host and model write to C_working, as records.

Texts are bounded on entry; the whole of a long text is on a page. When an item leaves a surface,
the oldest item that found no room takes its place. A note added to the scratchpad costs work and
disk by its own length, not by what stood there before: the scratchpad shows its first lines, a
marker, and its newest lines; the notes between are stored on pages in batches, each byte once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from hashlib import blake2b
from typing import TYPE_CHECKING

from msgspec import Struct
from msgspec.structs import replace

from loom.compress.layout_parts import layout_part_tokens
from loom.errors import BadInput
from loom.policy import recorded_policy
from loom.providers.render.wording import ARROW
from loom.reduce.clauses import beginning_or_notice
from loom.reduce.preview import head_of_preview, marker_line, split_at_marker, tail_lines
from loom.session.archive.full_surfaces import last_item_record, scratchpad_text
from loom.session.archive.page_reader import UNREADABLE
from loom.session.archive.snapshot_document import STATES
from loom.session.archive.workspace import Workspace
from loom.session.counted_texts import INLINE
from loom.session.ingest import Ingest
from loom.text import encodable, fit_repr, one_line, utf8_size
from loom_paging import check_disk
from loom_paging.page import seal
from loom_partitions import records as r
from loom_partitions.limits import PLAN_MAX, QUESTIONS_MAX, RISKS_MAX
from loom_partitions.message import Text
from loom_partitions.scratchpad import NAME, append_line, scratchpad_pages
from loom_partitions.surfaces import DISPOSITIONS, LATER, URGENCIES, Event, Evidence, PlanItem
from loom_partitions.window import Window, fold

if TYPE_CHECKING:
    from loom.session.fitting_media import AttachmentEntries

LINE_CHARS = 200
NAME_CHARS = 80
FACTS_MOST = 5  # facts, citations and conflicts of an evidence pack
GOAL_TOKENS = 200  # where the policy states no part
GOAL_LABEL = 5  # of it, for "goal: " and what ends the line
SCRATCH_TOKENS = 300
BATCH = 4_096  # bytes of notes that are put on a page together

Records = tuple[r.Record, ...]


class WorkingEdits(Struct, frozen=True):
    """Makes records that write to C_working of the given window. `attach` makes entries of images
    and documents. `recalled` are functions that take a recall's query and return a capability's
    `Answer` or None."""

    window: Window
    ingest: Ingest
    workspace: Workspace
    attach: Callable[[], AttachmentEntries]
    recalled: Sequence[Callable[[str], object]] = ()

    def after(self, records: Iterable[r.Record]) -> WorkingEdits:
        """Return the same object for the window that the records lead to."""
        return replace(self, window=fold(records, self.window))

    def goal(self, text: str, *, again: bool = True) -> Records:
        """Return the record that sets the goal; () for the same goal or, if `again` is False, for
        any earlier goal."""
        clean = self.ingest.clean(text)
        now = self.window.working.goal
        known = [now] if again else self.workspace.index.goals
        if any(one is not None and self._is_same_text(one, clean) for one in known):
            self.ingest.redact.take()  # it was counted when it came in
            return ()
        policy = recorded_policy(self.window)
        stated = (
            layout_part_tokens(policy, self.window.limits, policy.layout.goal_tokens) or GOAL_TOKENS
        )
        room = self._surface_tokens(stated) - GOAL_LABEL
        return (r.Tasked(self.ingest.surface(clean, "goal", room)),)

    def _is_same_text(self, text: Text, value: str) -> bool:
        """True when `text` equals `value`. A text on a page is compared by its sha256."""
        if not text.page:
            return text.body == value
        data = value.encode("utf-8", "surrogatepass")
        return seal(text.page, data).sha256 == self.workspace.pager.table[text.page].sha256

    def plan(self, items: Iterable[str | tuple[str, str]]) -> Records:
        """Return the record of a plan. An item is a text or (text, state). Raises BadInput."""
        made = []
        for item in (items,) if isinstance(items, str) else items:
            pair = (item, "todo") if isinstance(item, str) else item
            if not (isinstance(pair, tuple | list) and [type(one) for one in pair] == [str, str]):
                told = fit_repr(item, NAME_CHARS)
                raise BadInput(f"plan: {told} is neither a text nor a pair of text and state")
            text, state = pair
            made.append(PlanItem(self.line(text), _check_word("plan", "state", state, STATES)))
        return self._plan_record(tuple(self._fit_plan(made)))

    def _plan_record(self, items: tuple[PlanItem, ...]) -> Records:
        """Return the record of a new plan, with the items that differ from the current plan."""
        before = self.window.working.plan
        changed = tuple(
            (at, item) for at, item in enumerate(items) if before[at : at + 1] != (item,)
        )
        return (r.Planned(len(items), changed),)

    def _fit_plan(self, items: list[PlanItem]) -> list[PlanItem]:
        """Return a plan of at most PLAN_MAX items. A longer plan becomes an item that names a page
        with the whole plan, followed by open items."""
        if len(items) <= PLAN_MAX:
            return items
        text = "\n".join(f"{item.state}: {item.text}" for item in items)
        page = self.workspace.put_page("plan", ".txt", text.encode("utf-8", "replace"))
        left_open = [item for item in items if item.state != "done"]
        kept = left_open[: PLAN_MAX - 1]
        later = len(left_open) - len(kept)
        done = len(items) - len(left_open)
        more = f"({done} done, {later} later){ARROW}{page}"
        return [PlanItem(more, "todo" if later else "done"), *kept]

    def progress(self, text: str) -> Records:
        """Return the record of how far the goal is reached, in the model's own words."""
        return (r.Progressed(self.line(text)),)

    def scratch(self, text: str) -> Records:
        """Return the record that replaces the scratchpad; "" clears it."""
        return (
            r.Noted(self.ingest.surface(text, "scratch", self._surface_tokens(SCRATCH_TOKENS))),
        )

    def note(self, text: str) -> Records:
        """Return the record that adds a line to the scratchpad; () for an empty line."""
        if not text.strip():
            return ()
        pad = self.window.working.scratchpad
        if pad is None:
            return self.scratch(text)
        clean = self.ingest.redact(text)
        near = append_line(pad.body or "", clean)
        if self.ingest.redact(append_line(pad.body or "", text)) != near:  # a secret in two notes
            return self.scratch(append_line(self._whole_scratchpad(), text))
        return (self._note_record(pad, clean),)

    def _note_record(self, pad: Text, text: str) -> r.Noted:
        """Return the record that adds a note without secrets to the scratchpad `pad`."""
        working, room, before = (
            self.window.working,
            self._surface_tokens(SCRATCH_TOKENS),
            pad.body or "",
        )
        said = encodable(text)
        whole = append_line(before, said)
        tokens = self.ingest.sizes.count(whole) if len(whole) <= room * 40 else room + 1
        paged = bool(scratchpad_pages(pad, working.pad_pages))
        rest = working.pad_rest if paged else before  # what the words are joined to
        size = pad.size - utf8_size(rest) + utf8_size(append_line(rest, text))
        if tokens <= room and said == text and not paged:
            return r.Noted(Text(tokens, size, text), added=True)
        rest, page = append_line(rest, text), ""  # none while that is less than a batch
        if not paged or utf8_size(text) > INLINE or utf8_size(rest) > BATCH or said != text:
            page = self.ingest.put_page("scratch", ".txt", rest.encode("utf-8", "surrogatepass"))
        if tokens <= room:
            return r.Noted(Text(tokens, size, said, page), added=True)
        first, last = split_at_marker(before, NAME)
        limit = 4 * room
        for _ in range(12):
            first = first or head_of_preview(before, limit)
            end = tail_lines(append_line(last, said), max(limit - len(first) - 60, limit // 4))
            gap = marker_line(first, end, size, NAME)
            tokens = self.ingest.sizes.count(first + gap + end)
            if tokens <= room or limit <= 40:
                break
            limit, first = int(limit * 0.9 * room / tokens), first[: limit * 6 // 10]
        words = said if not page else said[max(0, len(said) - len(end)) :]
        return r.Noted(Text(tokens, size, words, page), True, gap, len(first), len(end))

    def _whole_scratchpad(self) -> str:
        """Return the whole scratchpad; if a page is unreadable, only the part in the window."""
        try:
            return scratchpad_text(self.workspace, self.window.working)
        except UNREADABLE as error:
            check_disk(error)
            pad = self.window.working.scratchpad
            return pad.body or "" if pad is not None else ""

    def ask(self, id: str, question: str) -> Records:
        """Return the record that opens a question. Raises BadInput if `question` has no words."""
        text = self.line(question)
        if not text:
            raise BadInput(f"the question {one_line(id, NAME_CHARS)!r} has no words")
        return (r.Questioned(self.name(id), text),)

    def answered(self, id: str) -> Records:
        """Return the record that closes a question, and the record that shows a waiting question,
        if any."""
        return self._with_waiting_item(
            r.Questioned(self.name(id), ""), "questions", QUESTIONS_MAX, "questions"
        )

    def _with_waiting_item(self, made: r.Record, surface: str, most: int, told: str) -> Records:
        """Return `made` and, if a place on a surface is free, the record of the oldest waiting
        item. `most` is the surface's size, `told` its name in the journal."""
        after = fold((made,), self.window).working
        waiting = after.overflow_ids(surface)
        if not waiting or len(getattr(after, surface)) >= most:
            return (made,)
        back = last_item_record(self.workspace, told, waiting[0])
        return (made, back) if back is not None else (made,)

    def evidence(
        self,
        id: str,
        summary: str,
        citations: Iterable[str] = (),
        confidence: float = 0.5,
        facts: Iterable[str] = (),
        conflicts: Iterable[str] = (),
    ) -> Records:
        """Return the record that puts an evidence pack on the knowledge surface, in place of a pack
        with the same id. Raises BadInput."""
        if not isinstance(confidence, int | float) or not 0 <= confidence <= 1:
            raise BadInput(f"evidence: a confidence of {str(confidence)[:20]}; it is 0 to 1")
        pack = Evidence(
            self.name(id),
            self.line(summary),
            self._bounded_lines(citations),
            float(confidence),
            self._bounded_lines(facts),
            self._bounded_lines(conflicts),
        )
        return (r.Evidenced(pack),)

    def signal(self, id: str, summary: str, kind: str, urgency: str) -> Records:
        """Return the record of an event, () for a pending id. Raises BadInput for an unknown
        urgency."""
        known = _check_word("signal", "urgency", urgency, URGENCIES)
        name = self.name(id)
        if any(name in pending.ids for pending in self.window.working.events):
            return ()
        return (r.Signalled(Event((name,), self.name(kind), self.line(summary), known)),)

    def acknowledge(self, id: str, disposition: str) -> Records:
        """Return the records of a decision on an event or risk. Raises BadInput."""
        word = disposition.strip().lower().replace("_", " ").replace("-", " ")
        known = _check_word("acknowledge", "disposition", word, (*DISPOSITIONS, *LATER))
        name = self.name(id)
        event = last_item_record(self.workspace, "events", name)
        own = event.event if isinstance(event, r.Signalled) else None
        made = r.Acknowledged(name, known)
        if own is not None:
            made = r.Acknowledged(name, known, own.summary, own.urgency)
        return self._with_waiting_item(made, "risks", RISKS_MAX, "decisions")

    def _bounded_lines(self, texts: Iterable[str]) -> tuple[str, ...]:
        """Return the first FACTS_MOST texts, each as one short line."""
        return tuple(self.line(text) for text in texts)[:FACTS_MOST]

    def line(self, text: str) -> str:
        """Return a text as one short line. A long text's line names a page with the whole text."""
        clean = self.ingest.redact(text)
        if len(clean) <= LINE_CHARS:
            return one_line(clean, LINE_CHARS)
        ref = ARROW + self.workspace.put_page(
            "surface", ".txt", clean.encode("utf-8", "surrogatepass")
        )
        return line_start(clean, ref) + ref

    def name(self, text: str) -> str:
        """Return a text as an id of at most NAME_CHARS characters: a long text's start and hash.
        Raises BadInput for an empty text."""
        clean = self.ingest.redact(text)
        name = one_line(clean, NAME_CHARS)
        if not name:
            raise BadInput("an id has no letters: give each event, question and pack a name")
        if name == one_line(clean, len(clean) + 1):
            return name
        digest = blake2b(clean.encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
        return f"{one_line(clean, NAME_CHARS - 9)}~{digest}"

    def _surface_tokens(self, tokens: int) -> int:
        """Return the tokens that a surface may take: `tokens`, or fewer in a very small window."""
        return max(min(tokens, self.window.limits.capacity // 10), 20)


def line_start(text: str, ref: str) -> str:
    """Return the clauses at the start of a long text that fit on one line together with `ref`."""
    return beginning_or_notice(text, LINE_CHARS - len(ref))


def _check_word(door: str, what: str, given: str, known: tuple[str, ...]) -> str:
    """Return `given` if it is in `known`, else raise BadInput, worded by `door` and `what`."""
    if given not in known:
        shown = one_line(given, NAME_CHARS)
        raise BadInput(f"{door}: {shown!r} is no {what}; one of {', '.join(known)}")
    return given
