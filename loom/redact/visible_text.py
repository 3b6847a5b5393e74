"""A text as a terminal or a reader shows it: without escape sequences, its escapes read, and where
each part stands in the text as written.

Sequences are those of ECMA-48: CSI (colours, moves), OSC, DCS and other strings up to BEL or ST,
escapes of two or three characters, C1 controls, shifts between character sets. ESC also counts
where it is spelled, as in JSON, a shell script or a repr. A string holds no quote and no other
control, so an unended string hides no text, and a spelled one never leaves its JSON string. Escapes
are those of JSON (RFC 8259), of code and of URLs (RFC 3986), also one within another; of
quoted-printable mail (RFC 2045) its broken lines and equals signs. Characters without a shape (NUL,
BEL, DEL, the soft hyphen, zero-width ones) are not shown. Every character is looked at a bounded
number of times: what repeats is possessive."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from heapq import merge

from loom.lazy import lazy_re

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
# A line of quoted-printable that goes on in the next; mail has no colours.
_BROKEN = r"(?:(?<=\n[^\n\x1b]{75})|(?<=\A[^\n\x1b]{75}))=\r?\n"
# What moves nothing leaves what it stands between as one word: colours, erasing, strings, charsets.
_STILL = (
    rf"{_ESC}(?:\[{_CSI}[mKJ]|[\]PX^_]{_STRING}|[ #%()*+\-./]++[0-~])"
    rf"|\x9b{_CSI}[mKJ]|[\x90\x98\x9d-\x9f]{_STRING}|[\x0e\x0f]|{_BACK}u000[eEfF]"
    rf"|{_BROKEN}"
)
_ESCAPE = (
    rf"""{_BACK}(?:u(?P<u>[0-9a-fA-F]{{4}})|x(?P<x>[0-9a-fA-F]{{2}})|(?P<letter>[bfnrtv0/"']))"""
    r"|%(?:25){0,3}(?P<percent>[0-9a-fA-F]{2})|=(?P<mail>3D)"
)
_UNSEEN = "\x00\x07\x7f\xad\u200b-\u200f\u2060\ufeff"
_MOVE = rf"{_ESC}(?:\[(?:{_CSI}[@-~])?+|{_ST}|[0-~])?+|\x9b(?:{_CSI}[@-~])?+|[\x80-\x9f]"
_NAMED = lazy_re(r"\?P<\w+>")
# Runs of one sort each, with a single group around: `split` gives what is between them, and them.
_HIDING = lazy_re(
    rf"(?=[\x0e\x0f\x1b\\%=\x80-\x9f{_UNSEEN}])((?:{_STILL})++"
    rf"|(?:[{_UNSEEN}]|(?!{_STILL})(?:{_MOVE}))++"
    rf"|(?:(?!{_ESC}|{_BACK}u000[eEfF])(?:{_NAMED.sub('?:', _ESCAPE)}))++)"
)
_IS_ESC = lazy_re(_ESC).match
_IS_STILL = lazy_re(rf"(?:{_STILL}|=\r?\n)++").fullmatch
_ONE = lazy_re(_ESCAPE)
_LETTERS = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\x00"}
_UNSEEN_ONES = lazy_re(f"[{_UNSEEN}]")
_IS_UNSEEN = _UNSEEN_ONES.match
_SIGNS = lazy_re(rf"[\x0e\x0f\x1b\x80-\x9f{_UNSEEN}]")
_SPELLED_SIGNS = lazy_re(r"\\(?:u[0-9a-fA-F]{4}|x(?:[0-7][0-9a-fA-F]|[aA][dD])|0[0-7]|e\[|/)")
_PERCENT = lazy_re(r"%(?:25){0,3}[2-7][0-9a-fA-F]")
_MAIL = lazy_re(r"=(?:3D|(?:(?<=\n[^\n\x1b]{75}=)|(?<=\A[^\n\x1b]{75}=))\r?\n)")
_CONTROL = tuple(map(chr, (0, 7, 14, 15, 27, 127)))


def hiding_places(text: str) -> Iterator[int]:
    """Yield, in order, the positions of escapes, terminal sequences and invisible characters."""
    asked = (
        (_SPELLED_SIGNS, "\\" in text),
        (_MAIL, "=3D" in text or "=\n" in text),
        (_PERCENT, "%" in text),
        (_SIGNS, not text.isascii() or any(sign in text for sign in _CONTROL)),
    )
    found = (sign.finditer(text) for sign, there in asked if there)
    return merge(*(map(re.Match.start, one) for one in found))


def _escaped_char(found: re.Match[str]) -> str:
    """Return the character that an escape stands for; "" for an invisible character."""
    kind = found.lastgroup or ""
    spelled = found[kind]
    char = _LETTERS.get(spelled, spelled) if kind == "letter" else chr(int(spelled, 16))
    return "" if _IS_UNSEEN(char) else char


def _read_uniform_run(run: str) -> str | None:
    r"""Return the characters of a run of escapes that all look like `%41`, or all like `\u0041`;
    None for any other run."""
    if run.count("%") * 3 == len(run):
        return bytes.fromhex(run.replace("%", "")).decode("latin-1")
    if run.count("\\u") * 6 == len(run) == run.count("\\") * 6:
        return run.encode().decode("unicode_escape")
    return None


class _ShownRuns(dict[str, str]):
    """A cache from a run of escapes, terminal sequences or invisible characters to its displayed
    text."""

    def __missing__(self, run: str) -> str:
        if _IS_STILL(run):
            shown = ""
        elif run[0] in "\\%=" and not _IS_ESC(run):
            read = _read_uniform_run(run)
            shown = _ONE.sub(_escaped_char, run) if read is None else _UNSEEN_ONES.sub("", read)
        else:
            shown = ""
        self[run] = shown
        return shown


class VisibleText:
    """A text as it is displayed (`bare`), and the original `text`."""

    def __init__(self, text: str) -> None:
        self.text = text
        # What is seen as it is and what is not, in turn; what is shown of the latter.
        self.runs = _HIDING.split(text)
        known = _ShownRuns()
        self._parts = self.runs.copy()
        self._parts[1::2] = [known[run] for run in self.runs[1::2]]
        self.bare = "".join(self._parts)
        # Where each piece begins in what is shown, where in the text, and where it ends there.
        self._bare: list[int] = []
        self._from: list[int] = []
        self._to: list[int] = []

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return (start, end) in `text` for positions `start` and `end` of `bare`."""
        return self._original_start(start), self._original_end(end)

    def _original_start(self, at: int) -> int:
        """Return the position in `text` where the character at position `at` of `bare` begins."""
        self._lay_out_places()
        piece = bisect_right(self._bare, at) - 1
        return self._from[piece] + at - self._bare[piece]

    def _original_end(self, at: int) -> int:
        """Return the position in `text` where the character before position `at` of `bare` ends."""
        self._lay_out_places()
        piece = bisect_left(self._bare, at) - 1
        if at == self._bare[piece + 1]:
            return self._to[piece]
        return self._from[piece] + at - self._bare[piece]

    def _lay_out_places(self) -> None:
        """Fill, at the first call, the lists of positions that `span` needs."""
        if self._bare:
            return
        at = size = 0
        for number, (run, part) in enumerate(zip(self.runs, self._parts, strict=True)):
            pieces = [(at, at + len(run), len(part))] if part else []
            if number % 2 and run[0] in "\\%=" and not (_IS_ESC(run) or _IS_STILL(run)):
                pieces = [
                    (at + one.start(), at + one.end(), len(_escaped_char(one)))
                    for one in _ONE.finditer(run)
                ]
            for start, end, shown in pieces:
                if shown:
                    self._bare.append(size)
                    self._from.append(start)
                    self._to.append(end)
                    size += shown
            at += len(run)
        self._bare.append(size)
