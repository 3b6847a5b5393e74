"""The scratchpad: shown bounded, its whole on pages, and each note recorded by itself.

A note is added by what it says and by which part of what was shown stays, so a journal grows by
notes, not by scratchpads. What no page holds yet is kept whole in the state until it fills one:
the pages, one after another, and then that rest are the whole scratchpad.
"""

from __future__ import annotations

from msgspec import Struct

from loom_partitions.message import Text

NAME = "working/scratchpad.md"  # brings the whole back, whichever pages hold it


class Noted(Struct, frozen=True, omit_defaults=True, tag="Noted"):
    """The scratchpad was written anew, as `text`; an empty one clears it.

    Where it is `added`, the text is words more, on a line of their own. Its tokens count what is
    shown after it, its size is that of the whole. With a page, that page holds all that none held
    before, these words whole; then the words may be their end alone. With a `gap`, of what was
    shown and the words the first `start` and the last `end` characters stay, around the gap, which
    says what is left out.
    """

    text: Text
    added: bool = False
    gap: str = ""
    start: int = 0
    end: int = 0


def append_line(before: str, words: str) -> str:
    """Words after what stands before them, on a line of their own."""
    return f"{before.rstrip()}\n{words}"


def body_after_note(before: str, record: Noted) -> str:
    """The scratchpad as it is shown after words were added."""
    body = append_line(before, record.text.body or "")
    if not record.gap:
        return body
    return body[: record.start] + record.gap + body[len(body) - record.end :]


def scratchpad_pages(pad: Text | None, pages: tuple[str, ...]) -> tuple[str, ...]:
    """The pages that hold a scratchpad: that of one written anew until more was added to it."""
    return pages or ((pad.page,) if pad is not None and pad.page else ())


def fold_noted(
    pad: Text | None, pages: tuple[str, ...], rest: str, record: Noted
) -> tuple[Text | None, tuple[str, ...], str]:
    """Return the shown text, the pages, and the text on no page yet, as a record leaves them."""
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
