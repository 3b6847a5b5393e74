"""The reasoning of a whole text."""

from __future__ import annotations

from loom.providers.reasoning.separated import Separated, TaggedPiece, assembled
from loom.providers.reasoning.separator import Separator
from loom.providers.reasoning.spellings import TAG


def separate(text: str, *, starts_inside: bool | None = None) -> Separated:
    """Tell the reasoning of a text from its answer.

    `starts_inside` says whether the text begins inside its reasoning, as `Separator` does, and
    gives just what a stream of it gives. Without, the text tells: it does when the first tag
    outside its code is a closing one that stands for itself.
    """
    if not starts_inside and TAG.search(text) is None:  # most texts: none of the reading below
        return assembled((TaggedPiece("answer", text),), ())
    reader = _read(Separator(bool(starts_inside)), text)
    if starts_inside is None and reader.first_close >= 0:
        at = reader.first_close
        reader = _read(Separator.begun_inside(text[:at]), text[at:])
    return reader.separated


def _read(reader: Separator, text: str) -> Separator:
    reader.feed(text)
    reader.close()
    return reader
