"""The answer told from its reasoning, as a text comes in."""

from __future__ import annotations

from loom.providers.reasoning.separate import Separated, separate
from loom.providers.reasoning.spellings import TAG, begun


class Separator:
    """Pieces of a text in, pieces of its answer out, as early as they are sure.

    The law: for every split of a text, the pieces given out, joined, are the answer of
    `separate(text, starts_inside=…)`, but for blanks at its end. Of one text no stream can be sure:
    where a closing tag comes that nothing opened, what stands before it was given out, and the
    answer is the end of what was. `starts_inside` says that the prompt ended with the opening tag,
    as the chat template of DeepSeek-R1 has it.
    """

    def __init__(self, starts_inside: bool = False) -> None:
        self.tagged = starts_inside  # whether a tag has come
        self._starts_inside = starts_inside
        self._depth = int(starts_inside)  # tags within reasoning count until they balance
        self._text: list[str] = []  # all that came
        self._shown: list[str] = []  # all that was given out
        self._lead = ""  # blanks before the answer
        self._behind = False  # a block has just ended
        self._held = ""  # what may be the beginning of a tag
        self._closed = False

    def feed(self, text: str) -> str:
        """The next part of the text; ValueError after `close`."""
        if self._closed:
            raise ValueError("this separator is closed: take a new one for another text")
        self._text.append(text)
        text, at, before = self._held + text, 0, len(self._shown)
        for tag in TAG.finditer(text):
            self._say(text[at : tag.start()])
            at, self.tagged = tag.end(), True
            self._depth = max(self._depth + (1 if tag["open"] else -1), 0)
            self._behind = not self._depth
        end = begun(text, at)
        self._say(text[at:end])
        self._held = text[end:]
        return "".join(self._shown[before:])

    def close(self) -> str:
        """Return the end of the text, which was held back."""
        if self._closed:
            return ""
        self._closed, before = True, len(self._shown)
        if not self._depth:
            self._say(self._held)
            if not self.tagged:
                self._shown.append(self._lead)
            return "".join(self._shown[before:])
        # The tags did not balance: an opening one in the reasoning was spoken of.
        shown, whole = "".join(self._shown), self.separated.answer
        if shown.rstrip().endswith(whole.rstrip()):
            return ""  # blanks behind the answer were given out already
        known = min(len(shown), len(whole))
        while not shown.endswith(whole[:known]):
            known -= 1
        return whole[known:]

    @property
    def waiting(self) -> str:
        """What was not given out, where no tag has come."""
        return self._lead + self._held

    @property
    def separated(self) -> Separated:
        """The text in two, as far as it has come."""
        return separate("".join(self._text), starts_inside=self._starts_inside)

    def _say(self, text: str) -> None:
        """Give out a piece of the answer; blanks before it only where the text has no tags."""
        if self._depth:
            return
        if self._behind:
            text = text.lstrip("\r\n")
            self._behind = not text
        if not self._shown:
            text, self._lead = self._lead + text, ""
            if not text.strip():
                self._lead = text
                return
            text = text.lstrip() if self.tagged else text
        if text:
            self._shown.append(text)
