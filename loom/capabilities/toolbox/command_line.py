"""A command line read into the words of its programs, without a shell.

What a shell would expand, redirect, chain or put aside is refused rather than passed on as plain
words, because whoever wrote it meant the other thing. Quotes mean what POSIX says (Shell Command
Language, 2.2 and 2.3); one pass makes the words that are checked and the words that are run.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loom.capabilities.toolbox.errors import ToolRefused
from loom.lazy import lazy_re

LONGEST = 32_768  # characters of a command
MOST = 8  # commands of a pipeline

_EXPANDS = r"[\w({@*#?$!-]"  # what after a `$` makes it more than a character
_PIECE = lazy_re(
    rf"""(?P<space>[ \t]+)
    | '(?P<single>[^']*)'
    | "(?P<double>(?:[^"\\]|\\.)*)"
    | \\(?P<escaped>.)
    | (?P<operator>\|\||\|&|\||&&|&>|&|;|<<|<\(|<|>\(|>|\(|\)|`|[\r\n]+|\$(?={_EXPANDS}|['"]))
    | (?P<open>['"\\])
    | (?P<plain>[^\s'"\\|&;<>()`$]+|.)""",
    re.VERBOSE | re.DOTALL,
)
_IN_DOUBLE = lazy_re(rf'\\([\\"$`\n])|(`|\$(?={_EXPANDS}))', re.DOTALL)

_ALONE = "give one command at a time, and the next when you have seen the result"
_QUOTED = "put it in single quotes if the character itself is meant"
_OUTPUT = "leave it out: standard output and standard error both come back, each on its own"
# What a shell does at each → (why not here, what to do instead).
OPERATORS = {
    "||": ("`||` chains commands", _ALONE),
    "|&": ("`|&` joins the two outputs", _OUTPUT),
    "&&": ("`&&` chains commands", _ALONE),
    "&>": ("`&>` redirects to a file", _OUTPUT),
    "&": ("`&` puts a command in the background", _QUOTED),
    ";": ("`;` chains commands", _ALONE),
    "\n": ("a new line chains commands", _ALONE),
    "<<": ("`<<` is a here-document", "give the text as stdin"),
    "<(": ("`<(` runs another command", _ALONE),
    "<": ("`<` redirects from a file", "name the file as an argument, or give its text as stdin"),
    ">(": ("`>(` runs another command", _ALONE),
    ">": ("`>` redirects to a file, and nothing here writes files", _OUTPUT),
    "(": ("`(` starts a subshell", _QUOTED),
    ")": ("`)` ends a subshell", _QUOTED),
    "`": ("a backtick runs another command", _QUOTED),
    "$": ("`$` is expanded by a shell, and none is started", _QUOTED),
}
_UNCLOSED = ("a quote is not closed", "close it, or escape it with a backslash")
_COMMENT = ("`#` begins a comment", "leave the comment out, or " + _QUOTED)
_EMPTY = ("there is no command", "name a program, and one on each side of `|`")
_LONG = (f"it is longer than {LONGEST:,} characters", "give long text as stdin")
_MANY = (f"it has more than {MOST} commands", "use fewer of them")
_NUL = ("it holds a character no argument can hold (NUL, or a lone surrogate)", "leave it out")


def pipeline(command: str) -> list[list[str]]:
    """The commands of a pipeline, each as its words, at least one. Raises ToolRefused."""
    if len(command) > LONGEST:
        raise ToolRefused(command, *_LONG)
    stages: list[list[str]] = [[]]
    for word in _words(command):
        if word is None:
            stages.append([])
        else:
            stages[-1].append(word)
    if not all(stages):
        raise ToolRefused(command, *_EMPTY)
    if len(stages) > MOST:
        raise ToolRefused(command, *_MANY)
    for stage in stages:
        passable(stage)
    return stages


def passable(words: list[str]) -> None:
    """Refuse words no program can be given, and none at all."""
    if not words:
        raise ToolRefused("", *_EMPTY)
    for word in words:
        try:
            given = word.encode()
        except UnicodeEncodeError:
            given = b"\0"
        if b"\0" in given:
            raise ToolRefused(ascii(word), *_NUL)


def _words(command: str) -> Iterator[str | None]:
    """The words of a command line, and None for each `|`."""
    word: str | None = None
    for piece in _PIECE.finditer(command.strip()):
        kind, text = str(piece.lastgroup), piece[str(piece.lastgroup)]
        if kind in {"space", "operator"}:
            if word is not None:
                yield word
            word = None
            if kind == "operator":
                if text != "|":
                    raise ToolRefused(command, *OPERATORS[text.strip() or "\n"])
                yield None
        elif (kind, text) != ("escaped", "\n"):  # that is a line that goes on
            if kind == "open" or (kind == "plain" and word is None and text.startswith("#")):
                raise ToolRefused(command, *(_UNCLOSED if kind == "open" else _COMMENT))
            word = (word or "") + (_doubled(command, text) if kind == "double" else text)
    if word is not None:
        yield word


def _doubled(command: str, text: str) -> str:
    """The literal text of a double-quoted piece."""

    def literal(found: re.Match[str]) -> str:
        if found[2]:
            raise ToolRefused(command, *OPERATORS[found[2]])
        return "" if found[1] == "\n" else found[1]

    return _IN_DOUBLE.sub(literal, text)
