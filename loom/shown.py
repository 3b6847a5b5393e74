r"""A text as a terminal shows it: without its escape sequences, and where each part of it stands.

Sequences are those of ECMA-48: CSI (colours, moves), OSC, DCS and other strings up to BEL or ST,
escapes of two or three characters, C1 controls, shifts between character sets. ESC also counts
where it is spelled, as in JSON, a shell script or a repr. A string holds no quote and no other
control, so that one nobody ended hides no text, and a spelled one never leaves its JSON string.
Every character is looked at a bounded number of times: what repeats is possessive.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

_BACK = r"\\{1,8}+"  # more, the deeper one JSON stands in another
_SPELLED, _BELL = r"(?:u001[bB]|x1[bB]|033|e(?=\[))", r"(?:u0007|x07|007)"
_ESC = rf"(?:\x1b|{_BACK}{_SPELLED})"
_MIDDLE = r"[ !#-+\--/]"  # ECMA-48 has the quote and the comma too: in JSON they end a string
_CSI = rf"[0-?]*+{_MIDDLE}*+"
# The backslash behind ESC, once more doubled for each JSON around it: those after it are others.
_ST = (
    r"(?:(?<=\x1b)\\|(?<=[^\\]\\\\u001[bB])\\{4}|(?<=u001[bB])\\{2}|(?<=x1[bB])\\{2}"
    r"|(?<=033)\\{2})"
)
_STRING = (
    rf'(?:[^\x07\x1b\x80-\x9f"\\]++|\\++(?!{_SPELLED}|{_BELL}))*+'
    rf"(?:\x07|{_BACK}{_BELL}|\x9c|{_ESC}{_ST})"
)
# What moves nothing leaves what it stands between as one word: colours, erasing, strings, charsets.
_STILL = (
    rf"{_ESC}(?:\[{_CSI}[mKJ]|[\]PX^_]{_STRING}|[ #%()*+\-./]++[0-~])"
    rf"|\x9b{_CSI}[mKJ]|[\x90\x98\x9d-\x9f]{_STRING}|[\x0e\x0f]|{_BACK}u000[eEfF]"
)
_SEQUENCE = re.compile(
    rf"(?P<still>{_STILL})|{_ESC}(?:\[(?:{_CSI}[@-~])?+|{_ST}|[0-~])?+|\x9b(?:{_CSI}[@-~])?+"
    r"|[\x80-\x9f]"
)
_SIGNS = ("\x1b", "\x0e", "\x0f", "\\u001", "\\u000", "\\x1", "\\033", "\\e[")
_C1 = re.compile(r"[\x80-\x9f]")


def has_sequences(text: str) -> bool:
    """Whether a terminal would show something else than the text."""
    return any(sign in text for sign in _SIGNS) or (
        not text.isascii() and _C1.search(text) is not None
    )


class Shown:
    """What a terminal shows of `text`, as `bare`, and where it stands there.

    With `apart`, a space stands for each sequence that moves the cursor: columns are laid out so.
    """

    def __init__(self, text: str, *, apart: bool) -> None:
        self.text = text
        # Where each piece begins in what is shown, where in the text, and where it ends there.
        self._bare: list[int] = []
        self._from: list[int] = []
        self._to: list[int] = []
        parts: list[str] = []
        at = size = 0

        def show(piece: str, start: int, end: int) -> int:
            if piece:
                parts.append(piece)
                self._bare.append(size)
                self._from.append(start)
                self._to.append(end)
            return size + len(piece)

        for found in _SEQUENCE.finditer(text):
            start, end = found.span()
            size = show(text[at:start], at, start)
            if apart and found["still"] is None:
                size = show(" ", start, end)
            at = end
        size = show(text[at:], at, len(text))
        self._bare.append(size)
        self.bare = "".join(parts)

    def subn(self, pattern: re.Pattern[str], mark: str) -> tuple[str, int]:
        """The text with `mark` for every match in what is shown, and how many there were.

        A group `keep` stays before the mark. Sequences inside of what goes, go; all others stay.
        """
        parts: list[str] = []
        at = 0
        for match in pattern.finditer(self.bare):
            if match[0]:
                parts += (self.text[at : self._start(match.start())], self._kept(match), mark)
                at = self._end(match.end())
        return "".join((*parts, self.text[at:])), len(parts) // 3

    def _kept(self, match: re.Match[str]) -> str:
        if not match.groupdict().get("keep"):
            return ""
        first, last = match.span("keep")
        until = self._start(last) if last < match.end() else self._end(last)
        return self.text[self._start(first) : until]

    def _start(self, at: int) -> int:
        """Where in the text the character `at` of what is shown begins."""
        piece = bisect_right(self._bare, at) - 1
        return self._from[piece] + at - self._bare[piece]

    def _end(self, at: int) -> int:
        """Where in the text the characters before `at` of what is shown end."""
        piece = bisect_left(self._bare, at) - 1
        if at == self._bare[piece + 1]:
            return self._to[piece]
        return self._from[piece] + at - self._bare[piece]
