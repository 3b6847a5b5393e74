"""Texts as the window holds them: redacted, counted, bounded, and put on pages.

Payloads up to INLINE bytes live in the journal, larger ones on a page only; for a tool's result the
rule of the tool decides (`loom.reduce.rules`). A `Text` without a body is shown whole, from its
page. A text that would take more than its share of the window enters as a structure-aware preview
that names its page, so nothing must be cut; `ReadAhead.lengthened_previews` may show more."""

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
    counted_section,
    removal_line,
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
    """Makes counted texts of payloads. `rest(kind, extension, bytes)` puts a page and returns its
    name, `mark()` returns the session's mark."""

    def __init__(
        self, sizes: MessageSizes, redactor: Redactor, rest: Rest, mark: Callable[[], str]
    ) -> None:
        self.sizes = sizes
        self.redact = redactor
        self.put_page = rest
        self.mark = mark

    def clean(self, value: str) -> str:
        """Return the text for journal and request: without secrets and lone surrogates."""
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
        """Return a counted text. With `page` it rests on a page; without, where it is no valid
        Unicode.

        `page=None` puts a large text on a page. `data` is the payload where it is not the text in
        UTF-8: bytes that are no text."""
        data = value.encode("utf-8", "surrogatepass") if data is None else data
        shown = encodable(value)
        tokens = self.sizes.count(shown)
        if (len(data) > INLINE if page is None else page) or shown != value:
            return Text(tokens, len(data), None, self.put_page(kind, extension, data))
        return Text(tokens, len(data), value)

    def in_head(self, partition: str, value: str) -> str:
        """Return a text as the head has it: without headings, but for the host's instructions."""
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
        """Return the tokens of a text as it stands in the head, and the notice of its arrival."""
        value = self.in_head(partition, self.clean(value))
        shown = quote_lines(value) if quoted else value
        said = arrival_notice(partition, key, shown, self.mark(), news, ranked=quoted)
        tokens = self.front_tokens(partition, key, value, quoted=quoted)
        return tokens, Notice(partition, said, self.sizes.message(said), quoted)

    def front_tokens(self, partition: str, key: str, value: str, *, quoted: bool = False) -> int:
        """Return the tokens of a clean text in the head, or quoted in a message behind the head."""
        if not quoted:
            return self.sizes.count(counted_section(partition, key, value))
        mark = self.mark()
        held = ShelfText(key, Text(0, 0), quoted=True)
        return self.sizes.message(text_behind_head(partition, held, neutral(value, mark), mark))

    def skill_notice(self, key: str, value: str, *, said: bool) -> Notice:
        """Return the notice with a client's skill, as between cuts and behind the head."""
        mark, held = self.mark(), ShelfText(key, Text(0, 0), quoted=not said, said=said)
        text = text_behind_head("skill", held, neutral(encodable(value), mark), mark)
        return Notice("skill", text, self.sizes.message(text), quoted=not said)

    def held(self, partition: str, value: str, tokens: int) -> Text:
        """Return a text for a shelf; `tokens` is its size there, under its heading. A text that is
        shown otherwise than it was given also rests on a page, unchanged."""
        value = self.redact(value)
        clean = encodable(value)
        shown = self.in_head(partition, clean)
        text = self.text(value, partition, page=shown != clean or None)
        return replace(text, tokens=tokens, body=text.body if shown == clean else shown)

    def gone(self, partition: str, key: str, news: TextFate = REMOVED_TEXT) -> Notice:
        """Return the notice that a text left its shelf."""
        said = removal_line(partition, key, self.mark(), news)
        return Notice(partition, said, self.sizes.message(said))

    def surface(self, value: str, kind: str, room: int) -> Text:
        """Return a text of C_working, shown in at most `room` tokens; a long one has a page."""
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
        """Return the text, or a preview in at most `room` tokens that names the text's page."""
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
    """Return the facts of an entry and the facts of another result, at most FACTS_MAX. Repeated
    facts stay: a deed done twice counts twice."""
    return (*facts, *more)[:FACTS_MAX]


def part_tokens(part: Part) -> int:
    """Return the tokens of one part of a reply."""
    return part.text.tokens if isinstance(part, Said) else part.tokens


def reply_tokens(parts: Sequence[Part]) -> int:
    """Return the tokens of a reply: its parts, the joints between its texts, and the blank that
    stands for a reply which says nothing.

    Reasoning may leave at a cut, so a reply with reasoning alone counts as saying nothing."""
    thought = thought_tokens(parts)
    visible = sum(part_tokens(part) for part in parts) - thought
    texts = sum(isinstance(part, Said) for part in parts)
    return thought + max(visible, BLANK) + JOINT * max(texts - 1, 0)
