"""A shell script in tokens: words, joints of commands, redirections, brackets, heredocs.

The bodies of heredocs are taken out first, line by line, so that nothing in them is read as shell;
a hash stands in the place of each. No pattern goes back over what it took, and substitutions within
substitutions are read two levels deep, so that time is linear in the length of any line."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from loom.lazy import lazy_re

WORD, JOINT, REDIRECT, GROUP, HERE = "word", "joint", "redirect", "group", "here"
BODY = "here:"  # before the hash of the body of a heredoc
BODIES = 32  # heredocs of one line that are told

_QUOTED = r"'[^']*+'|\"(?:[^\"\\]|\\.)*+\""
_ROUND = rf"(?:[^()'\"\\]|\\.|{_QUOTED}|['\"]"
_PUT = rf"[$<>]\({_ROUND}|\({_ROUND}|\([^()]*+\))*+\))*+\)?|\$\{{[^}}]*+\}}?|`[^`]*+`?"
_TOKEN = lazy_re(
    r"(?P<blank>(?:[ \t\r]|\\\r?\n)++)|(?P<comment>#[^\n]*)"
    r"|(?P<redirect>&>>?|\d{0,3}(?:<<<|<<-?|>>|[<>]&|>\||<>|[<>])(?!\())"
    r"|(?P<joint>&&|\|\||;;&?|;&|\|&|[;|&\n])"
    r"|(?P<sum>\(\((?:[^()\n;]|\([^()\n;]*+\)){0,200}\)\))|(?P<group>[()])"
)
_PIECE = lazy_re(
    rf"(?P<run>[^ \t\r\n'\"`\\$&|;<>()]+)|(?P<single>\$?'(?:(?<!\$')[^']*+|(?:[^'\\]|\\.)*+)'?)"
    rf"|(?P<escape>\\.?)|(?P<double>\"(?:[^\"\\`$]|\\.|{_PUT}|\$)*+\"?)|(?P<put>{_PUT})|(?P<sign>\$)",
    16,  # DOTALL
)
# What is quoted within a line, or a comment, opens no heredoc; what is substituted may.
_HEREDOC = lazy_re(
    r"\\.|(?<![^\s;&|()])#.*|'(?:(?!<<-?[ \t]*')[^'])*+'"
    r"|\"(?:(?!<<-?[ \t]*\"|\$\()[^\"\\`]|\\.)*+(?:\"|(?=\$\(|`))"
    r"|(?<!<)<<-?[ \t]*(?:'([^'\n]+)'|\"([^\"\n]+)\"|\\?([A-Za-z_][\w.-]*))"
)
_EXPANDED = lazy_re(r"(?<!\\)(?:`|\$[\w?!@*#$({-])")
_PATTERN = lazy_re(r"[*?\[]")
_ESCAPED = lazy_re(r"\\([\"\\$`])|\\\n")


class Token(NamedTuple):
    """A token of a script. `text` is the token as written, `value` the word without quotes or the
    body of a heredoc. `bare` is True if nothing in the word is quoted, `fixed` if the word has no
    variables or file patterns for the shell to replace."""

    kind: str
    text: str
    value: str = ""
    bare: bool = True
    fixed: bool = True


def shell_tokens(line: str, most: int | None = None) -> Iterator[Token]:
    """Yield the tokens of a script, without blanks and comments. `most` is how many characters are
    read; None means all. Never raises."""
    line, bodies = _take_out_heredocs(line)
    line = line[:most]
    at = 0
    while at < len(line):
        found = _TOKEN.match(line, at)
        token = Token(found.lastgroup or "", found[0]) if found else _word_token(line, at)
        at += len(token.text)
        if token.text in bodies:
            yield Token(HERE, token.text, bodies[token.text])
        elif token.kind not in ("blank", "comment", "sum"):
            yield token


def _take_out_heredocs(line: str) -> tuple[str, dict[str, str]]:
    """Return (script, bodies): the script with a hash for the body of each heredoc, and the bodies
    by hash."""
    lines, bodies = line.split("\n"), dict[str, str]()
    if len(lines) == 1 or "<<" not in line:
        return line, bodies
    # Where each line stands last: as it is, and under `<<-` without the tabs before it.
    bare = [text.rstrip("\r") for text in lines]
    tabbed = [text.lstrip("\t") for text in bare]
    ends = [{text: at for at, text in enumerate(one)} for one in (bare, tabbed)]
    shown, at = list[str](), 0
    while at < len(lines):
        text, at, taken = lines[at], at + 1, 0
        opening = (found for found in _HEREDOC.finditer(text) if found.lastindex)
        for found in islice(opening, BODIES):
            name, dash = found[1] or found[2] or found[3], found[0].startswith("<<-")
            if ends[dash].get(name, -1) >= at:
                end = (tabbed if dash else bare).index(name, at)
                body = "".join(f"{one}\n" for one in lines[at:end])
                digest = hashlib.blake2b(body.encode("utf-8", "replace"), digest_size=4)
                bodies[key := BODY + digest.hexdigest()] = body
                shown += text[taken : found.start()], f"<<{key}"
                taken, at = found.end(), end + 1
        shown += text[taken:], "\n"
    return "".join(shown[:-1]), bodies


def _word_token(text: str, start: int) -> Token:
    """Return the word that begins at index `start`, with quoted parts and substitutions."""
    at, value = start, list[str]()
    bare = fixed = True
    while found := _PIECE.match(text, at):
        kind, piece = found.lastgroup, found[0]
        at = found.end()
        bare = bare and kind in ("run", "sign")
        if kind == "double":
            fixed = fixed and not _EXPANDED.search(piece)
            piece = _ESCAPED.sub(lambda one: one[1] or "", piece[1:].removesuffix('"'))
        elif kind == "put":
            fixed = False
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
