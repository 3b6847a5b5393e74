"""The reasoning told from the answer, as a text comes in.

Theory of operation
-------------------
One machine for a whole text and for a stream of it, so that both agree, in one of two modes:
`Answer` reads lines, `Inside` counts tags. Every decision is made on what stands before and, of
what follows, on a bounded part (the character behind a tag, its line, its paragraph); what depends
on that waits, so no split of a text into pieces can change one.

Where a text ends before its tags balance, an opening one in the reasoning was a mention: the last
closing tag was the end, and what follows it is read again, as an answer, which then comes with
`close`. There is no third reading: no closing tag is left. So every character is read a bounded
number of times: as it comes, once more where it had to wait, once more in an unbalanced text.
"""

from __future__ import annotations

from loom.providers.reasoning.answer import AnswerReader
from loom.providers.reasoning.inside import Inside
from loom.providers.reasoning.reading import ReadingState
from loom.providers.reasoning.separated import (
    BEGAN_INSIDE,
    UNCLOSED,
    Separated,
    TaggedPiece,
    assembled,
)


class Separator:
    """Pieces of a text in, pieces of its answer and its reasoning out, as early as they are sure.

    `starts_inside` says that the prompt ended with the opening tag, as the chat template of
    DeepSeek-R1 has it. A stream cannot tell: by its closing tag, what precedes was given out as the
    answer. So it stays one here, the tag is taken out, and only `separate`, which sees the whole
    text, looks ahead for such a tag.

    The law: for every split of a text, the "answer" pieces given out, joined, are the answer of
    `separate(text, starts_inside=…)` with the same `starts_inside`.
    """

    def __init__(self, starts_inside: bool = False) -> None:
        self._reading = ReadingState()
        self._inside = Inside(self._reading)
        self._answer = AnswerReader(self._reading, self._again)
        self._closed = False
        if starts_inside:
            self._inside.open("")

    @classmethod
    def begun_inside(cls, reasoning: str) -> Separator:
        """One that has read this beginning of a text, all of it reasoning."""
        made = cls(starts_inside=True)
        made._reading.odd.append(BEGAN_INSIDE)
        made._inside.think(reasoning)
        made._reading.base = len(reasoning)
        return made

    def feed(self, text: str) -> tuple[TaggedPiece, ...]:
        """The next part of the text; ValueError after `close`."""
        if self._closed:
            raise ValueError("this separator is closed: take a new one for another text")
        reading = self._reading
        text, reading.rest = reading.rest + text, ""
        self._consume(text)
        reading.base += len(text) - len(reading.rest)
        return reading.new()

    def close(self) -> tuple[TaggedPiece, ...]:
        """Return the end of the text, which was held back."""
        if self._closed:
            return ()
        self._closed = True
        reading = self._reading
        text, reading.rest, reading.final = reading.rest, "", True
        self._consume(text)
        reading.base += len(text)
        self._answer.settle()
        if self._inside.depth:
            reading.odd.append(UNCLOSED)
            answer = self._inside.take_back()
            if answer is not None:
                offset = reading.base - len(answer)
                self._answer.begin(offset)
                self._again(answer, offset)
                self._answer.settle()
        return reading.new()

    @property
    def separated(self) -> Separated:
        """The text in parts; before `close`, those that are sure."""
        return assembled(self._reading.kept, self._reading.odd)

    @property
    def first_close(self) -> int:
        """Where the first tag outside code stands when that is a closing one; else -1."""
        return self._reading.first_at if self._reading.first == "close" else -1

    def _again(self, text: str, offset: int) -> None:
        outer, self._reading.base = self._reading.base, offset
        self._consume(text)
        self._reading.base = outer

    def _consume(self, text: str) -> None:
        position, end = 0, 0
        inside, answer, reading = self._inside, self._answer, self._reading
        while position < len(text):
            if inside.depth:
                position = inside.read(text, position)
                if not inside.depth:
                    answer.begin(reading.base + position, inside.doubled)
                continue
            if position >= end:
                end = text.find("\n", position) + 1 or len(text)
            position = answer.read(text, position, end)
            if answer.opened is not None:
                inside.open(answer.opened)
                answer.opened = None
