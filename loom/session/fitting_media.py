"""Entries of images and documents, and how much of a payload is sent: all of it, some pages of a
document, or nothing and the reason."""

from __future__ import annotations

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.providers.counts.message_sizes import MESSAGE
from loom.providers.formats.wire import compact_json
from loom.providers.media import SHOWN
from loom.providers.media.media_line import file_extension, media_line
from loom.providers.media.media_parts import Attached, write_part
from loom.providers.media.media_tokens import payload_tokens, with_usual_size
from loom.providers.media.payload import provider_part_of
from loom.session.attachments import ELSEWHERE
from loom.session.ingest import Ingest
from loom.session.meter import formats_of, media_limits, model_of
from loom.text import encodable
from loom_paging import by_lines
from loom_partitions.message import Attachment, Text, UserTurn
from loom_partitions.window import Window

NOTE = 48  # tokens of what is said beside a payload's line
BESIDE = 200  # tokens of a result beside what comes with it
_DETAIL = lazy_re(r"[A-Za-z_]{1,40}")  # a provider's word, not a text of the host
DIVIDES = (
    "(not shown: {pages} pages take about {tokens:,} tokens; where the package pypdf is"
    " installed, as many as have room are shown)"
)
# Of these a header says the pixels: one that does not is broken, and has every request refused.
MEASURED = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})


class FittedPart(Struct, frozen=True):
    """The part of an attachment that is sent: all of it, or some pages of a PDF. `given` is this
    part, `page` the page that holds the attachment's bytes, `cost` the part's tokens."""

    given: Attached
    page: str
    cost: int


class AttachmentEntries:
    """Makes the entries of images and documents in a form that the window's model accepts; for an
    unknown model, that any provider accepts."""

    def __init__(self, ingest: Ingest, window: Window, newest: Callable[[Window], int]) -> None:
        """`newest` takes a window and returns the tokens for new entries after its renewal."""
        self.ingest = ingest
        self.formats = formats_of(window)
        self.model = model_of(window)
        self.limits = media_limits(window)
        self._newest = newest

    def room(self, window: Window) -> int:
        """Return how many tokens the images and documents of the next tool result may take: an
        equal share, among the open calls, of a renewed window's tokens for new entries."""
        step = window.history.waiting_step
        if step is None:
            return self._newest(window)
        own = 0 if step.outcomes else step.tokens
        return (self._newest(window) - own) // len(step.open) - BESIDE

    def entry(
        self,
        given: Attached,
        id: int,
        room: int,
        *,
        own: bool = False,
        page: str = "",
        pages: str = "",
    ) -> UserTurn:
        """Return the entry of an attachment. For an attachment of more than `room` tokens the entry
        has only a line, or as many pages of a PDF as fit.

        `own` is True for an entry that Loom adds to a result. `page` is a page that already holds
        the bytes, "" for none. `pages` selects pages of a PDF (`2-5`); "" means from the first on.
        """
        from loom.providers.media.hidden_text import withheld_line

        media = replace(given.media, name=self.ingest.clean(given.media.name))
        data = b"" if page or given.data is None else given.data
        if line := withheld_line(data, self.ingest.redact, media.name):
            return self.ingest.user(line, id, room, "document", self.ingest.mark())
        whole = page or self._rest_page(given)
        line = self.ingest.clean(media_line(media, whole))
        words = self.ingest.sizes.count(line) + NOTE
        shown, note = self._part_that_fits(given, whole, room - words, pages)
        line = f"{line} {note}".strip()
        words = self.ingest.sizes.count(line)
        source = whole if own else ""
        if shown is None:
            text = Text(words, media.size, line, whole)
            return UserTurn(id, text, MESSAGE + words, source=source)
        seen = shown.given.media
        own_part = provider_part_of(given.opaque) if given.data is None else None
        sent = Attachment(
            seen.type,
            shown.cost,
            given.detail if _DETAIL.fullmatch(given.detail) else "",
            own_part.format if own_part else "",
            max(seen.width, seen.height),
            seen.pages,
            whole if shown.page != whole else "",
        )
        text = Text(words + shown.cost, seen.size, line, shown.page, media=sent)
        return UserTurn(id, text, MESSAGE + text.tokens, source=source)

    def _rest_page(self, given: Attached) -> str:
        """Store an attachment, or a content part that says where its bytes lie, on a page. Return
        the page's name."""
        if given.data is not None:
            kind = given.media.kind if given.media.kind in SHOWN else "file"
            return self.ingest.put_page(kind, file_extension(given.media), given.data)
        return self.ingest.put_page(ELSEWHERE, ".json", self.ingest.clean(given.opaque).encode())

    def _payload_tokens(self, given: Attached, text: int = -1) -> int:
        """Return how many tokens an attachment costs at most in the model's formats. `text` is the
        number of tokens of a document's text, -1 if unknown."""
        media = given.media if given.data is not None else with_usual_size(given.media)
        return max(
            payload_tokens(media, one, self.model, given.detail, text) for one in self.formats
        )

    def _page_text_tokens(self, given: Attached) -> tuple[int, ...]:
        """Return the tokens of the text on each page of a PDF; () where they cannot be counted."""
        if given.data is None or given.media.kind != "pdf":
            return ()
        from loom.providers.media.pdf_pages import pdf_page_texts

        texts = pdf_page_texts(given.data) or ()
        counted = tuple(map(self.ingest.sizes.count, texts))
        return counted if len(counted) == given.media.pages else ()

    def _part_that_fits(
        self, given: Attached, page: str, room: int, pages: str
    ) -> tuple[FittedPart | None, str]:
        """Return (part, note). The part of an attachment fits in `room` tokens, None if nothing
        fits. The note says what is not shown, and why."""
        if not self._is_sendable(given):
            return None, ""
        texts = self._page_text_tokens(given)
        media, cost = given.media, self._payload_tokens(given, sum(texts) if texts else -1)
        if 0 < self.limits.side < max(media.width, media.height):
            return None, f"(not shown: no side may have over {self.limits.side:,} pixels)"
        if given.data is not None and media.kind == "pdf":
            if (pages and media.pages) or cost > room or 0 < self.limits.pages < media.pages:
                return self._pdf_pages_that_fit(
                    given, given.data, page, room, pages, max(texts, default=-1)
                )
        elif not media.size:
            cost = min(cost, max(room, 0))  # the client has it sent, whatever it takes
        if cost > room:
            return None, f"(not shown: about {cost:,} tokens, and {max(room, 0):,} are free)"
        return FittedPart(given, page, cost), ""

    def _pdf_pages_that_fit(
        self, given: Attached, data: bytes, page: str, room: int, asked: str, text: int
    ) -> tuple[FittedPart | None, str]:
        """Return (part, note). The part has as many pages of a PDF as fit in `room` tokens, from
        the pages `asked` for (`2-5`, "" for all); None if no page fits. The note is about the
        missing pages. `text` is the number of text tokens on the fullest page."""
        total = given.media.pages
        each = self._payload_tokens(replace(given, media=replace(given.media, pages=1)), text)
        if not total or room < each:
            cost = each if total else self._payload_tokens(given)
            said = f"{'a page' if total else 'it'} takes about {cost:,} tokens"
            return None, f"(not shown: {said}, and {max(room, 0):,} are free)"
        span = by_lines("\n" * total, asked or "1-")
        first, most = span.first, min(room // each, self.limits.pages or total)
        last = min(span.last, first + most - 1)
        if (first, last) == (1, total):
            return FittedPart(given, page, each * total), ""
        from loom.providers.media.pdf_pages import pdf_page_range

        try:
            part = pdf_page_range(data, first, last)
        except ImportError:
            return None, DIVIDES.format(pages=total, tokens=each * total)
        if part is None:
            return None, "(not shown: its pages cannot be told apart)"
        rest = self.ingest.put_page("pdf", ".pdf", part)
        media = replace(given.media, size=len(part), pages=last - first + 1)
        others = f'; others: lines="{last + 1}-"' if last < total else ""
        note = f"(pages {first}–{last} of {total}{others})"
        return FittedPart(Attached(media, part, given.detail), rest, each * media.pages), note

    def _is_sendable(self, given: Attached) -> bool:
        """True when a provider accepts the attachment unchanged and no secret is in it."""
        if given.data is None:
            # Spelled out: in the page's JSON an escape may hide a secret or a lone surrogate.
            own = provider_part_of(given.opaque)
            spelt = compact_json(own.part) if own else given.opaque
            if self.ingest.redact.holds_secret(spelt) or encodable(spelt) != spelt:
                return False
        if given.data is not None and given.media.type in MEASURED and not given.media.width:
            return False
        return any(write_part(given, one) is not None for one in self.formats)
