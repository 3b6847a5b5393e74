"""The content of a project's AGENTS.md files, kept in C_memory while the files change. The guides
in that partition are called the shelf.

Each guide stands under its name. Before a turn the files are looked at. A guide that changed, came
or went is a record of that turn: a notice tells it, and the next cut moves the text to the front of
the request. A guide of a folder deeper down comes when a call first names something there. Excerpts
are made when a guide comes or changes, and again when a renewal writes the partition anyway. Guides
that have no room are named, each with the page that holds it. Opened again over the same files, the
shelf stays as it is: a guide that had no room before has none now, though other partitions have
changed since.

Guides of the project itself, from its root to the working folder, stand in the system message.
Guides found while working are quoted behind it, and so are Loom's own lines about them, as names of
such files are in these lines."""

from __future__ import annotations

from itertools import takewhile
from typing import Final

from loom.capabilities.memory.guide import Guide, guide_key, is_guide_name, is_guide_path
from loom.capabilities.memory.guide_fitting import (
    UNSHOWN,
    fit_guides,
    named_guides,
    page_of_excerpt,
    page_of_more_guides,
    unshown_text,
)
from loom.capabilities.memory.named_paths import path_words
from loom.capabilities.memory.project_guides import ProjectGuides
from loom.errors import OverCapacity
from loom.providers.render.naming import path_or_quoted
from loom.providers.render.wording import TextFate
from loom.session import Engine
from loom.session.archive.page_reader import readable_text
from loom.session.head import drop_text, put_text
from loom_partitions.message import Step, Text

PARTITION: Final = "memory"
CHANGED = TextFate("changed")
ANOTHER_PART = TextFate("shown anew", ", the file is as it was")
LEFT_OUT = TextFate("left out", ", no room for it; the file stands")
MOVED = TextFate("moved", ", its text stands below")
HINT = "; trust="  # from here on a reason is for the host


class FollowedGuides:
    """Keeps a project's guides (AGENTS.md files) in the memory partition of `engine`."""

    def __init__(self, engine: Engine, project: ProjectGuides) -> None:
        self.project = project
        self._engine = engine
        self._keys: set[str] = set()  # of the texts that stand
        self._pages: dict[str, str] = {}  # where the whole text of an excerpt rests
        self._shown: dict[str, str] = {}  # what stands of each guide, by name
        self._sources: dict[str, str] = {}  # what each said at the last fit, by name
        self._own: tuple[object, ...] = ()  # what the project's own were fitted by
        self._read_to = 0  # the newest entry whose calls were looked at
        self._work = "."  # the folder the newest call worked in

    def begin(self) -> None:
        """When a context is opened: update the guides in the memory partition from their files."""
        project = self.project
        with self._engine.lock, self._engine.atomic:
            keys = [one.key for one in self._engine.window.memory.current]
            self._keys = {key for key in keys if key == UNSHOWN or is_guide_name(key)}
            others = self._standing_text(UNSHOWN)
            without = named_guides(others, self._page_text)
            if page := page_of_more_guides(others):
                self._pages[self._page_text(page)] = page
            for name in (*(key for key in keys if key in self._keys), *reversed(without)):
                if is_guide_path(name):  # by its folder, as the file may be a link
                    project.touch(str((project.root / name).parent), told=False)
            self._touch_called_paths()  # an earlier life may have ended before it looked
            project.look()
            for guide in project.merged.guides:
                shown = "" if guide.name in without else self._standing_text(guide_key(guide.name))
                page = without.get(guide.name) or page_of_excerpt(shown)
                held = self._page_text(page) if page else shown
                if held and self._engine.redactor(guide.text) == held:
                    self._sources[guide.name] = guide.text
                    self._pages |= {guide.text: page} if page else {}
                    self._shown |= {guide.name: shown} if shown else {}
                self._engine.redactor.take()
            if self._standing_tokens() > self._share_tokens:
                self._shown = {}
            elif all(guide.name in self._sources for guide in project.merged.own):
                self._own = self._own_fit_key()
            if not (self._own and self._is_unchanged({*without})):
                self._fit_shelf()

    def look(self) -> None:
        """Before a request: reread changed guides, look for guides in the folders that tool calls
        named, and update the memory partition."""
        engine = self._engine
        with engine.lock, engine.atomic:
            self._touch_called_paths()
            before = {*self._sources}
            changed = self.project.look()
            # A window that was resized: fitted now, and not when a guide is found, as a guide that
            # comes must take nothing from those that stand.
            if changed or self._own != self._own_fit_key():
                self._fit_shelf()
                if {*self._sources} - before:
                    self._restore_order()
            if engine.cut_decision.fullness(engine.window) >= engine.policy.renew_at:
                self.refit()

    def refit(self) -> None:
        """Before a renewal: choose anew how much of each guide to show, and put the guides in
        order."""
        self._shown, self._own = {}, ()
        self._fit_shelf()
        self._restore_order()

    def _is_unchanged(self, without: set[str]) -> bool:
        """Return True if the memory partition holds exactly the guides that exist. The guides
        `without` are only named in the partition, because there was no room for their text."""
        keys = {guide_key(name): self._is_any_late(name) for name in self._shown}
        keys |= {UNSHOWN: self._is_any_late(*without)} if without else {}
        quotes, every = self._engine.window.memory.is_quoted, self.project.merged.guides
        stands = self._keys == {*keys} and all(quotes(key) == late for key, late in keys.items())
        return stands and without <= {*self._sources} == {one.name for one in every}

    def _touch_called_paths(self) -> None:
        """Tell the project the paths that new tool calls name. A call without result is examined
        again next time, because the call may yet create its path."""
        history = self._engine.window.history
        new = takewhile(lambda entry: entry.id > self._read_to, history.stream.entries_back)
        for entry in reversed([one for one in new if isinstance(one, Step)]):
            for call in entry.calls:
                self._work = self.project.touch_named(path_words(call), self._work)
        self._read_to = (history.waiting or history.next_id) - 1

    def _fit_shelf(self) -> None:
        """Choose how much of each guide to show in the allowed tokens; update the partition."""
        engine, merged = self._engine, self.project.merged
        guides, own = {guide.name: guide for guide in merged.guides}, self._own_fit_key()
        free = (
            engine.room.free(engine.window) + self._standing_tokens()
        )  # less than nothing is lacking
        room = max(min(self._share_tokens, free), 0)
        stay = (*(merged.own if self._own == own else ()), *merged.late)
        known = {
            one.name: self._shown[one.name] for one in stay
            if one.name in self._shown and self._sources[one.name] == one.text
        }  # fmt: skip
        made = fit_guides(merged.own, merged.late, room, self._cost_of, self._page_holding, known)
        shed = {name.partition(":")[2] for name in engine.window.sent.shed}
        old, self._shown, self._own = self._sources, made, own
        self._sources = {name: guide.text for name, guide in guides.items()}
        names = {guide_key(name): name for name in old}
        for key in sorted(self._keys - {UNSHOWN, *map(guide_key, made)}):
            self._drop_text(key, self._fate_when_gone(names.get(key, key)))
        # What gives room comes before what takes it: a guide found later never keeps one of the
        # project's own from growing.
        for name in sorted(made, key=self._may_grow):
            if guide_key(name) not in shed:
                self._put_guide(name, self._fate_when_put(guides[name], old.get(name)))
        if UNSHOWN not in shed:
            self._name_unshown(room)

    def _name_unshown(self, room: int) -> None:
        """Put a text into the partition that names the guides without room, the last found first.
        The text may take what the shown guides leave of `room` tokens."""
        without = [one for one in self.project.merged.guides if one.name not in self._shown]
        late = self._is_any_late(*(one.name for one in without))
        left, price = room - self._standing_tokens(but=UNSHOWN), self._engine.ingest.front_tokens
        said = unshown_text(
            {one.name: self._page_holding(one.text) for one in reversed(without)},
            self._page_holding,
            lambda text: price(PARTITION, UNSHOWN, text, quoted=late) <= left,
        )
        if said:
            self._put_text(
                UNSHOWN, said, CHANGED if UNSHOWN in self._keys else TextFate("new"), quoted=late
            )
        elif UNSHOWN in self._keys:
            self._drop_text(UNSHOWN, TextFate("gone", ", each has room now" if not without else ""))

    def _restore_order(self) -> None:
        """Remove the guides from the first misplaced guide on, and add them again in order."""
        wanted = {guide_key(name): name for name in self._shown}
        stand = [one.key for one in self._engine.window.memory.current if one.key in wanted]
        there = [key for key in wanted if key in stand]
        moved = next((at for at, key in enumerate(there) if stand[at] != key), len(there))
        for key in there[moved:]:
            self._drop_text(key, MOVED)
        for key in there[moved:]:
            self._put_guide(wanted[key], MOVED)

    def _put_guide(self, name: str, said: TextFate) -> None:
        """Put the chosen text of the guide `name` into the partition, or count the guide as not
        shown if there is no room. `said` is told to the model."""
        if not self._put_text(
            guide_key(name), self._shown[name], said, quoted=self._is_any_late(name)
        ):
            del self._shown[name]

    def _cost_of(self, name: str, text: str) -> int:
        """Return the tokens that `text` takes in the partition as text of the guide `name`."""
        late, price = self._is_any_late(name), self._engine.ingest.front_tokens
        return price(PARTITION, guide_key(name), text, quoted=late)

    def _may_grow(self, name: str) -> bool:
        """Return False if the guide was found while working and its new text takes fewer tokens
        than its present text, else True."""
        held = self._engine.window.memory.get(guide_key(name))
        taken = held.tokens if held else 0
        return not self._is_any_late(name) or self._cost_of(name, self._shown[name]) >= taken

    def _is_any_late(self, *names: str) -> bool:
        """Return True if any guide in `names` was found while the agent worked."""
        return any(guide.name in names for guide in self.project.merged.late)

    def _own_fit_key(self) -> tuple[object, ...]:
        """Return the window's capacity and the names and texts of the project's own guides. When
        this value changes, the texts to show of these guides must be chosen anew."""
        own = tuple((guide.name, guide.text) for guide in self.project.merged.own)
        return (self._engine.window.limits.capacity, own)

    def _fate_when_put(self, guide: Guide, source: str | None) -> TextFate:
        """Return what to tell the model of a shown guide: "new", "changed" or "shown anew".
        `source` is the guide's text when last shown, None for a new guide."""
        if guide_key(guide.name) in self._keys:
            return ANOTHER_PART if source == guide.text else CHANGED
        because = self.project.found_by(guide)
        return TextFate("new", f", found because of {path_or_quoted(because)}" if because else "")

    def _fate_when_gone(self, name: str) -> TextFate:
        """Return what to tell the model of a guide that is no longer shown: "left out" if its file
        is still a guide of the project, else "gone" and why."""
        if name in self._sources:
            return LEFT_OUT
        why = self.project.unused.get(name, "").partition(HINT)[0]
        return TextFate("gone", f", {why}" if why else "")

    # The texts in the partition

    @property
    def _share_tokens(self) -> int:
        """Return how many tokens all guides together may take."""
        return int(self._engine.window.limits.capacity * self._engine.policy.tuning.memory_share)

    def _standing_text(self, key: str) -> str:
        """Return the text under `key` in the memory partition; "" if there is none."""
        held = self._engine.window.memory.get(key)
        return "" if held is None else readable_text(self._engine.workspace, held)

    def _page_text(self, page: str) -> str:
        """Return the text of the page called `page`."""
        return readable_text(self._engine.workspace, Text(0, 0, None, page))

    def _standing_tokens(self, but: str = "") -> int:
        """Return the tokens that guides, and the list of guides not shown, take in the partition
        now. The text under the key `but` is not counted."""
        current = self._engine.window.memory.current
        return sum(one.text.tokens for one in current if one.key in self._keys - {but})

    def _put_text(self, key: str, text: str, said: TextFate, *, quoted: bool) -> bool:
        """Put a text into the memory partition. Return False if there is no room. `said` goes into
        the notice to the model. A `quoted` text is shown outside the system message."""
        try:
            put_text(self._engine, PARTITION, key, text, said, quoted=quoted)
        except OverCapacity:
            return False
        self._keys.add(key)
        return True

    def _drop_text(self, key: str, said: TextFate) -> None:
        """Remove the text under `key` from the memory partition; `said` is told to the model."""
        drop_text(self._engine, PARTITION, key, said)
        self._keys.discard(key)

    def _page_holding(self, text: str) -> str:
        """Return the name of the page with a guide's whole `text`; make the page if needed."""
        page = self._pages.get(text)
        if page is None or page in self._engine.workspace.pager.retired:
            data = self._engine.redactor(text).encode("utf-8", "replace")
            self._pages[text] = self._engine.workspace.put_page(PARTITION, ".md", data)
        return self._pages[text]
