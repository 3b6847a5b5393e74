"""The scratchpad: shown up to a bound, its whole text on pages, each note recorded by itself.

The record of a note holds the new words and says which part of the shown text stays, so a journal
grows by notes, not by whole scratchpads. Text that no page holds yet is kept in the state until it
fills a page. The pages in order, and then that rest, are the whole scratchpad."""

from __future__ import annotations

from msgspec import Struct

from loom_partitions.message import Text

NAME = "working/scratchpad.md"  # brings the whole back, whichever pages hold it


class Noted(Struct, frozen=True, omit_defaults=True, tag="Noted"):
    """The scratchpad was replaced by `text`. An empty text clears it.

    With `added` the text is added on a line of its own instead. Its `tokens` then count all that is
    shown afterwards, and its `size` is that of the whole scratchpad. If the text has a page, the
    page holds everything that was on no page yet. `gap` is a line that says what is left out: if
    set, only the first `start` and last `end` characters stay shown, with `gap` between them."""

    text: Text
    added: bool = False
    gap: str = ""
    start: int = 0
    end: int = 0


def append_line(before: str, words: str) -> str:
    """Return the text `before` with `words` added at its end, on a new line."""
    return f"{before.rstrip()}\n{words}"


def body_after_note(before: str, record: Noted) -> str:
    """Return what the scratchpad shows once the words of `record` are added to `before`."""
    body = append_line(before, record.text.body or "")
    if not record.gap:
        return body
    return body[: record.start] + record.gap + body[len(body) - record.end :]


def scratchpad_pages(pad: Text | None, pages: tuple[str, ...]) -> tuple[str, ...]:
    """Return `pages`, the names of a scratchpad's pages, or if empty the page of its shown text
    `pad`."""
    return pages or ((pad.page,) if pad is not None and pad.page else ())


def fold_noted(
    pad: Text | None, pages: tuple[str, ...], rest: str, record: Noted
) -> tuple[Text | None, tuple[str, ...], str]:
    """Return the scratchpad after a record, as a triple: (the shown text, or None when cleared, the
    names of its pages, the text that is on no page yet). `pad`, `pages` and `rest` are the triple
    before the record."""
    text = record.text
    if not record.added:
        return text if text.size else None, (), ""
    body = body_after_note(pad.body or "" if pad is not None else "", record)
    pages = scratchpad_pages(pad, pages)
    if text.page:
        pages, rest = (*pages, text.page), ""
    elif pages:
        rest = append_line(rest, text.body or "")
    return Text(text.tokens, text.size, body, NAME if pages else ""), pages, rest
