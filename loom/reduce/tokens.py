"""A line of shell in tokens: words, what joins commands, redirections, heredocs, comments.

Theory of operation
-------------------
One pass from left to right. A word is read with a stack of what is open in it: double quotes, `$(`,
`${`, backticks; within `$(` there may be heredocs again, whose bodies are passed over as data. Each
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
_EXPANDED = lazy_re(r"\$[\w?!@*#$-]")
_PATTERN = lazy_re(r"[*?\[]")
_HERE = lazy_re(r"<<(-?)[ \t]*(?:'([^'\n]*)'|\"([^\"\n]*)\"|\\?([\w.-]+))")
# What a word is made of, by what is open: "" nothing, `"`, `(`, `{`, a backtick.
_PIECES = {
    "": lazy_re(
        r"(?P<run>[^ \t\r\n'\"`\\$&|;<>()]+)|(?P<single>'[^']*'?)|(?P<escape>\\.?)"
        r"|(?P<dollar>\$'(?:[^'\\]|\\.)*+'?)|(?P<open>\$\(|\$\{|[<>]\(|[\"`])|(?P<sign>\$)",
        re.DOTALL,
    ),
    '"': lazy_re(
        r"(?P<run>[^\"\\$`]+)|(?P<escape>\\.?)|(?P<close>\")|(?P<open>\$\(|\$\{|`)|(?P<sign>\$)",
        re.DOTALL,
    ),
    "(": lazy_re(
        r"(?P<run>[^'\"`\\$()#<\n]+|<<<)|(?P<single>'[^']*'?)|(?P<escape>\\.?)|(?P<close>\))"
        r"|(?P<open>\$\(|\$\{|[\"`(])|(?P<comment>(?<=[\s;(])#[^\n]*)|(?P<here><<(?!<))"
        r"|(?P<line>\n)|(?P<sign>[$#<])",
        re.DOTALL,
    ),
    "{": lazy_re(
        r"(?P<run>[^}\"`\\$]+)|(?P<escape>\\.?)|(?P<close>\})|(?P<open>\$\(|\$\{|[\"`])"
        r"|(?P<sign>\$)",
        re.DOTALL,
    ),
    "`": lazy_re(r"(?P<run>[^`\\]+)|(?P<escape>\\.?)|(?P<close>`)", re.DOTALL),
}


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
    at, value, opened = start, list[str](), list[str]()
    waiting: list[tuple[str, bool]] = []
    bare = fixed = True
    while at < len(text):
        inside = opened[-1] if opened else ""
        found = _PIECES[inside].match(text, at)
        if found is None:
            break  # a blank or a joint ends the word
        kind, piece = found.lastgroup, found[0]
        at = found.end()
        bare = bare and kind in ("run", "sign") and not opened
        if kind == "open":
            opened.append(piece[-1])
            fixed = fixed and piece == '"'
        elif kind == "close":
            opened.pop()
        elif kind == "sign":
            fixed = fixed and not _EXPANDED.match(text, at - 1)
        elif kind == "run" and not inside:
            fixed = fixed and not _PATTERN.search(piece)
        elif kind == "here":
            at, piece = _announced(text, at - 2, waiting)
        elif kind == "line" and waiting:
            for number, (name, tabs) in enumerate(waiting, 1):
                _, at = body_end(text, at, name, tabs)
                at += number < len(waiting) and at < len(text)
            waiting, piece = [], text[found.start() : at]
        value.append(_meant(kind or "", piece, opened, inside))
    at = max(at, start + 1)
    return Token(WORD, text[start:at], "".join(value), bare, fixed)


def _announced(text: str, at: int, waiting: list[tuple[str, bool]]) -> tuple[int, str]:
    """Note the heredoc announced at `at` within a substitution; the end of that, and its text."""
    found = _HERE.match(text, at)
    if found is None:
        return at + 2, text[at : at + 2]
    waiting.append((found[2] or found[3] or found[4] or "", bool(found[1])))
    return found.end(), found[0]


def _meant(kind: str, piece: str, opened: list[str], inside: str) -> str:
    """The text of a piece of a word, without quotes and escapes outside of substitutions."""
    if piece == '"' and kind in ("open", "close") and len(opened) <= 1 and inside in ("", '"'):
        return ""
    if opened not in ([], ['"']) or inside not in ("", '"'):
        return piece
    if kind == "single":
        return piece.strip("'") if piece.count("'") <= 2 else piece
    if kind == "dollar":
        return piece[2:].removesuffix("'")
    if kind == "escape":
        if piece[1:] == "\n":
            return ""
        return piece[1:] if not inside or piece[1:] in tuple('"\\$`') else piece
    return piece
