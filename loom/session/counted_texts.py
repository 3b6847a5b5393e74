"""Texts as the window holds them: without secrets, with their tokens counted, shortened, on pages.

Payloads up to INLINE bytes are stored in the journal, larger ones on a page only; for a tool's
result the rule of the tool decides (`loom.reduce.rules`). A `Text` without a body is shown whole,
from its page. A text that would take more than its share of the window enters as a preview that
keeps its structure and names its page, so nothing has to be cut; `ReadAhead.lengthened_previews`
may show it longer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from loom.providers.counts import MessageSizes
from loom.providers.counts.message_sizes import BLANK, JOINT
from loom.providers.render.neutral import neutral, neutralize_headings
from loom.providers.render.quotes import quote_lines, text_behind_head
from loom.providers.render.wording import (
    CHANGED_TEXT,
    REMOVED_TEXT,
    TextFate,
    arrival_notice,
    removal_line,
    section_as_counted,
)
from loom.redact import Redactor
from loom.reduce.preview import Shorten, preview_spoken
from loom.text import encodable
from loom_partitions.message import Fact, Notice, Part, Said, Text, thought_tokens
from loom_partitions.shelf import ShelfText

INLINE = 1_024  # bytes
FACTS_MAX = 256  # typed facts a step carries
Rest = Callable[[str, str, bytes], str]


class CountedTexts:
    """Makes `Text` values with their tokens counted. `rest` takes a kind, a file extension and
    bytes, stores a page and returns its name. `mark()` returns the text that begins Loom's own
    lines."""

    def __init__(
        self, sizes: MessageSizes, redactor: Redactor, rest: Rest, mark: Callable[[], str]
    ) -> None:
        self.sizes = sizes
        self.redact = redactor
        self.put_page = rest
        self.mark = mark

    def clean(self, value: str) -> str:
        """Return a text without secrets and lone surrogates, as journal and requests have it."""
        return encodable(self.redact(value))

    def text(
        self,
        value: str,
        kind: str,
        extension: str = ".txt",
        *,
        page: bool | None = None,
        data: bytes | None = None,
    ) -> Text:
        """Return a text as a `Text` with its tokens counted. It is stored on a page if `page` is
        True or the text is not valid Unicode, and with `page=None` also if it is large.

        `kind` and `extension` are for the page's name. `data` are the exact bytes of a text that is
        not valid."""
        data = value.encode("utf-8", "surrogatepass") if data is None else data
        shown = encodable(value)
        tokens = self.sizes.count(shown)
        if (len(data) > INLINE if page is None else page) or shown != value:
            return Text(tokens, len(data), None, self.put_page(kind, extension, data))
        return Text(tokens, len(data), value)

    def in_head(self, partition: str, value: str) -> str:
        """Return a text as the first message of a request shows it: headings within it are
        neutralized, except in the host's instructions."""
        return value if partition == "system" else neutralize_headings(value)

    def weighed(
        self,
        partition: str,
        key: str,
        value: str,
        news: TextFate = CHANGED_TEXT,
        *,
        quoted: bool = False,
    ) -> tuple[int, Notice]:
        """Return (tokens, notice): the tokens that a text will take in its partition, and the
        notice that shows the text until the next cut. `news` has the notice's word ("changed") and
        reason."""
        value = self.in_head(partition, self.clean(value))
        shown = quote_lines(value) if quoted else value
        said = arrival_notice(partition, key, shown, self.mark(), news, ranked=quoted)
        tokens = self.front_tokens(partition, key, value, quoted=quoted)
        return tokens, Notice(partition, said, self.sizes.message(said), quoted)

    def front_tokens(self, partition: str, key: str, value: str, *, quoted: bool = False) -> int:
        """Return the tokens that a text takes in its partition: as a message of its own if
        `quoted`, else under a heading in the first message of a request."""
        if not quoted:
            return self.sizes.count(section_as_counted(partition, key, value))
        mark = self.mark()
        held = ShelfText(key, Text(0, 0), quoted=True)
        return self.sizes.message(text_behind_head(partition, held, neutral(value, mark), mark))

    def skill_notice(self, key: str, value: str, *, said: bool) -> Notice:
        """Return the notice that shows a client's skill until the next cut. `said` is True for a
        skill that came as a message."""
        mark, held = self.mark(), ShelfText(key, Text(0, 0), quoted=not said, said=said)
        text = text_behind_head("skill", held, neutral(encodable(value), mark), mark)
        return Notice("skill", text, self.sizes.message(text), quoted=not said)

    def held(self, partition: str, value: str, tokens: int) -> Text:
        """Return a text for a partition at the beginning of a request. `tokens` is its size in the
        partition. A text that is shown with changes is also stored unchanged on a page."""
        value = self.redact(value)
        clean = encodable(value)
        shown = self.in_head(partition, clean)
        text = self.text(value, partition, page=shown != clean or None)
        return replace(text, tokens=tokens, body=text.body if shown == clean else shown)

    def gone(self, partition: str, key: str, news: TextFate = REMOVED_TEXT) -> Notice:
        """Return the notice that a text was removed from its partition. `news` has its reason."""
        said = removal_line(partition, key, self.mark(), news)
        return Notice(partition, said, self.sizes.message(said))

    def surface(self, value: str, kind: str, room: int) -> Text:
        """Return a text for C_working, shown in at most `room` tokens. A longer text is a preview
        that names the text's page."""
        value = self.clean(value)
        text = self.bounded(value, self.text(value, kind), room)
        return text if text.body is not None else replace(text, body=value)

    def bounded(
        self,
        value: str,
        text: Text,
        room: int,
        shorten: Shorten = preview_spoken,
        count: Callable[[str], int] | None = None,
    ) -> Text:
        """Return `text` if it takes at most `room` tokens, else a preview that names its page.
        `value` is the text in full. `shorten` makes the preview, `count` counts its tokens."""
        count = count or self.sizes.count
        if text.tokens <= room:
            return text
        page = text.page or self.put_page("text", ".txt", value.encode("utf-8", "surrogatepass"))
        clean = encodable(value)
        limit = int(len(clean) * room / text.tokens)
        for _ in range(6):
            body = shorten(clean, max(limit, 200), page)
            tokens = count(body)
            if tokens <= room or limit <= 200:
                return Text(tokens, text.size, body, page)
            limit = int(limit * 0.9 * room / tokens)
        return Text(tokens, text.size, body, page)


def join_facts(facts: Sequence[Fact], more: Sequence[Fact]) -> tuple[Fact, ...]:
    """Return the facts of an entry followed by `more`, repeats included, at most FACTS_MAX."""
    return (*facts, *more)[:FACTS_MAX]


def part_tokens(part: Part) -> int:
    """Return the tokens of one part of a reply."""
    return part.text.tokens if isinstance(part, Said) else part.tokens


def reply_tokens(parts: Sequence[Part]) -> int:
    """Return the tokens of a reply: its parts, what joins its texts, and the blank text that is
    sent for a reply without text or calls."""
    thought = thought_tokens(parts)
    visible = sum(part_tokens(part) for part in parts) - thought
    texts = sum(isinstance(part, Said) for part in parts)
    # A cut may remove reasoning, so a reply with reasoning alone also counts the blank text.
    return thought + max(visible, BLANK) + JOINT * max(texts - 1, 0)
