"""A line of shell in tokens: words, what joins commands, redirections, heredocs, comments.

Theory of operation
-------------------
One pass from left to right. A word is read piece by piece; what is open in it (double quotes, `$(`,
`${`, backticks) is passed over with a stack, and so are the bodies of heredocs within `$(`. Each
step takes at least one character and looks at none twice, so any line takes time in its length.
What is never closed ends with the text. The texts of all tokens joined are the line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from loom.lazy import lazy_re

WORD, JOINT, REDIRECT, GROUP = "word", "joint", "redirect", "group"
HERE, BLANK, COMMENT = "here", "blank", "comment"

_BLANK = lazy_re(r"(?:[ \t\r]|\\\r?\n)+")
_COMMENT = lazy_re(r"#[^\n]*")
_REDIRECT = lazy_re(r"&>>?|\d{0,3}(?:<<<|<<-?|>>|[<>]&|>\||<>|[<>])(?!\()")
_JOINT = lazy_re(r"&&|\|\||;;&?|;&|\|&|[;|&\n]")
_EXPANDED = lazy_re(r"(?<!\\)(?:`|\$[\w?!@*#$({-])")
_PATTERN = lazy_re(r"[*?\[]")
_ESCAPED = lazy_re(r"\\([\"\\$`])|\\\n")
_PIECE = lazy_re(
    r"(?P<run>[^ \t\r\n'\"`\\$&|;<>()]+)|(?P<single>'[^']*'?)|(?P<escape>\\.?)"
    r"|(?P<dollar>\$'(?:[^'\\]|\\.)*+'?)|(?P<open>\$\(|\$\{|[<>]\(|[\"`])|(?P<sign>\$)",
    re.DOTALL,
)
# What matters within what is open, by the sign that closes it.
_WITHIN = {
    '"': lazy_re(r"\\.|\"|`|\$[({]", re.DOTALL),
    ")": lazy_re(
        r"\\.|'[^']*'?|(?<=[\s;(])#[^\n]*|<<<|\$\{|[\"`()\n]"
        r"|<<(?P<tabs>-?)[ \t]*(?:'(?P<a>[^'\n]*)'|\"(?P<b>[^\"\n]*)\"|\\?(?P<c>[\w.-]+))",
        re.DOTALL,
    ),
    "}": lazy_re(r"\\.|[}\"`]|\$[({]", re.DOTALL),
    "`": lazy_re(r"\\.|`", re.DOTALL),
}
_CLOSES = {"(": ")", "{": "}"}


class Token(NamedTuple):
    """A piece of a line: its `text` as it stands there.

    `value` is a word without its quotes, or the body of a heredoc. `bare`: no part of a word is
    quoted. `fixed`: the shell puts nothing in its place, neither a variable nor the names of files.
    """

    kind: str
    text: str
    value: str = ""
    bare: bool = True
    fixed: bool = True


def tokens(line: str) -> list[Token]:
    """The tokens of a line of shell, or of several. Never raises; linear."""
    return list(each_token(line))


def each_token(line: str) -> Iterator[Token]:
    """The same one by one, for who needs only the first of them."""
    at = 0
    waiting: list[tuple[str, bool]] = []  # ends of heredocs whose bodies begin with the next line
    after = ""  # the redirection the next word belongs to
    while at < len(line):
        token = _token(line, at)
        yield token
        at += len(token.text)
        if token.kind == WORD and after.lstrip("0123456789") in ("<<", "<<-"):
            waiting.append((token.value, after.endswith("-")))
        if token.kind != BLANK:
            after = token.text if token.kind == REDIRECT else ""
        if token.text == "\n":
            for number, (name, tabs) in enumerate(waiting, 1):
                end, stop = body_end(line, at, name, tabs)
                stop += number < len(waiting) and stop < len(line)  # the next begins a line
                if stop > at:
                    yield Token(HERE, line[at:stop], line[at:end])
                at = stop
            waiting = []


def _token(line: str, at: int) -> Token:
    """The token that begins at `at`."""
    for kind, pattern in ((BLANK, _BLANK), (COMMENT, _COMMENT), (REDIRECT, _REDIRECT)):
        if found := pattern.match(line, at):
            return Token(kind, found[0])
    if found := _JOINT.match(line, at):
        return Token(JOINT, found[0])
    if line[at] in "()":
        return Token(GROUP, line[at])
    return _word(line, at)


def body_end(text: str, at: int, name: str, tabs: bool) -> tuple[int, int]:
    """Where the body of a heredoc that begins at `at` ends, and where the line that ends it does.

    `tabs`: the line that ends it may begin with tabs, as behind `<<-`.
    """
    while at < len(text):
        end = text.find("\n", at)
        end = len(text) if end < 0 else end
        line = text[at:end].rstrip("\r")
        if (line.lstrip("\t") if tabs else line) == name:
            return at, end
        at = end + 1
    return len(text), len(text)


def _word(text: str, start: int) -> Token:
    """The word that begins at `start`, with all that is quoted or substituted in it."""
    at, value = start, list[str]()
    bare = fixed = True
    while found := _PIECE.match(text, at):
        kind, piece = found.lastgroup, found[0]
        at = found.end()
        bare = bare and kind in ("run", "sign")
        if kind == "open":
            at = _closed(text, at, piece[-1])
            quoted = piece == '"'
            piece = text[found.start() : at]
            fixed = fixed and quoted and not _EXPANDED.search(piece)
            if quoted:
                piece = _ESCAPED.sub(lambda one: one[1] or "", piece[1:].removesuffix('"'))
        elif kind == "sign":
            fixed = fixed and not _EXPANDED.match(text, at - 1)
        elif kind == "run":
            fixed = fixed and not _PATTERN.search(piece)
        elif kind == "escape":
            piece = piece[1:].removeprefix("\n")
        else:
            piece = piece.removeprefix("$")[1:].removesuffix("'")
        value.append(piece)
    at = max(at, start + 1)
    return Token(WORD, text[start:at], "".join(value), bare, fixed)


def _closed(text: str, at: int, opened: str) -> int:
    """The place behind what closes a quote, a bracket or a backtick that opened before `at`."""
    stack = [_CLOSES.get(opened, opened)]
    waiting: list[tuple[str, bool]] = []
    while stack:
        found = _WITHIN[stack[-1]].search(text, at)
        if found is None:
            return len(text)
        sign, at = found[0], found.end()
        if sign == stack[-1]:
            stack.pop()
        elif sign in ('"', "`", "(", "$(", "${"):
            stack.append(_CLOSES.get(sign[-1], sign[-1]))
        elif sign == "\n":
            at = _bodies(text, at, waiting)
            waiting = []
        elif sign[:2] == "<<" and sign != "<<<":
            name = found["a"] or found["b"] or found["c"] or ""
            waiting.append((name, bool(found["tabs"])))
    return at


def _bodies(text: str, at: int, waiting: list[tuple[str, bool]]) -> int:
    """Where the bodies of the heredocs end that begin at `at`."""
    for number, (name, tabs) in enumerate(waiting, 1):
        _, at = body_end(text, at, name, tabs)
        at += number < len(waiting) and at < len(text)  # the next begins a line
    return at
