"""A text whose reasoning was told from its answer."""

from __future__ import annotations

from collections.abc import Iterable

from msgspec import Struct

# What can be odd of a text.
UNCLOSED = "unclosed"  # it ended inside its reasoning
ONLY_REASONING = "only reasoning"  # no answer came
BEGAN_INSIDE = "began inside"  # its first tag is a closing one: the prompt holds the opening one
STRAY_CLOSE = "stray close"  # a closing tag in the answer, taken out
NESTED = "nested"  # an opening tag inside the reasoning
MIXED = "mixed"  # closed in another spelling than it was opened in
IN_PROSE = "tag in prose"  # a tag inside a line of the answer, left there


class TaggedPiece(Struct, frozen=True, array_like=True):
    """A part of a text: "answer", "reasoning", or "tag": a tag and blanks about it."""

    kind: str
    text: str


class Separated(Struct, frozen=True):
    """A text in parts. The texts of `pieces` joined are the text.

    `answer` is the joined "answer" pieces, "" when all was reasoning, also of a block that was
    never closed: a reply that was cut off while it reasoned holds no answer. `reasoning` has a text
    for each block, blanks stripped, blank ones left out.
    """

    answer: str
    reasoning: tuple[str, ...]
    odd: tuple[str, ...] = ()
    pieces: tuple[TaggedPiece, ...] = ()


def merged(pieces: Iterable[TaggedPiece]) -> tuple[TaggedPiece, ...]:
    """The pieces with neighbours of a kind joined, empty ones left out."""
    runs: list[tuple[str, list[str]]] = []
    for kind, text in ((piece.kind, piece.text) for piece in pieces):
        if text and runs and runs[-1][0] == kind:
            runs[-1][1].append(text)
        elif text:
            runs.append((kind, [text]))
    return tuple(TaggedPiece(kind, "".join(texts)) for kind, texts in runs)


def assembled(pieces: Iterable[TaggedPiece], odd: Iterable[str]) -> Separated:
    """Return the pieces of a whole text as its answer and its reasoning."""
    parts = merged(pieces)
    answer = "".join(piece.text for piece in parts if piece.kind == "answer")
    blocks = (piece.text.strip() for piece in parts if piece.kind == "reasoning")
    reasoning = tuple(block for block in blocks if block)
    strange = list(dict.fromkeys(odd))
    if reasoning and not answer.strip():
        strange.append(ONLY_REASONING)
    return Separated(answer, reasoning, tuple(strange), parts)
