"""The reasoning of a whole text, taken out by its tags wherever they stand."""

from __future__ import annotations

from msgspec import Struct

from loom.lazy import lazy_re
from loom.providers.reasoning.spellings import TAG

NEWLINES = lazy_re(r"[\r\n]*")  # behind a block: they leave with it


class Separated(Struct, frozen=True):
    """A text in two: what is said, and what was reasoned.

    `answer` is "" when all was reasoning; without a tag in it the text is the answer, to the byte.
    `reasoning` has a text for each block, blanks stripped, blank ones left out. `unclosed`: the
    text ended inside its reasoning.
    """

    answer: str
    reasoning: tuple[str, ...] = ()
    unclosed: bool = False


def separate(text: str, *, starts_inside: bool = False) -> Separated:
    """Tell the reasoning of a text from its answer.

    What stands between an opening tag and the next closing one leaves; so does all before a closing
    tag that nothing opened, and all behind an opening one that is never closed. `starts_inside`:
    the prompt ended with the opening tag, so that the text begins inside.
    """
    answer: list[str] = []
    reasoning: list[str] = []
    inside, at, tagged = starts_inside, 0, starts_inside
    for tag in TAG.finditer(text):
        if tag["open"] and inside:
            continue  # spoken of
        piece = text[at : tag.start()]
        if tag["open"]:
            answer.append(piece)
        elif inside:
            reasoning.append(piece)
        else:
            reasoning.append("".join(answer) + piece)
            answer.clear()
        inside, at, tagged = bool(tag["open"]), tag.end(), True
        if not inside:
            at = NEWLINES.match(text, at).end()  # type: ignore[union-attr]
    (reasoning if inside else answer).append(text[at:])
    said = "".join(answer)
    thought = tuple(block for block in map(str.strip, reasoning) if block)
    return Separated(said.strip() if tagged else said, thought, inside)
