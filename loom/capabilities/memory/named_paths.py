"""The words of a call that may name a file or a folder, whatever its tool, shell or program.

No grammar of commands tells a path from another word: what is there on the disk does, and
`ProjectGuides.touch_named` asks it. A word without a slash counts where it is all of an argument or
stands in a command; in other texts (what is written, what is asked) it is a word of a language.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from loom.compress.worth.units import path_of, tool_of
from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, SHELL, WRITE
from loom.reduce.arguments import parse
from loom.reduce.entities import TOKEN
from loom.reduce.shell import command_of
from loom.reduce.tokens import WORD, each_token
from loom_partitions.message import Call

WORDS = 400  # of a call that are looked up
NESTED = 4  # lists within lists
_PIECE = lazy_re(r"[^\s\"'`<>(){}\[\],;|*&=:@$]{1,300}")
_SCRIPT = lazy_re(r"[-/]\w{0,4}c", 2)  # IGNORECASE: behind it stands a script (`bash -lc`)


def words(call: Call) -> Iterator[str]:
    """The words of a call that may be paths, its own path first; at most `WORDS`."""
    return islice(dict.fromkeys(islice(_words(call), 4 * WORDS)), WORDS)


def _words(call: Call) -> Iterator[str]:
    given = parse(call.arguments)
    texts = [*_texts(given, NESTED)] if given else [call.arguments]
    yield path_of(call)
    yield from (text for text in texts if len(text) <= TOKEN and "\n" not in text)
    tool = tool_of(call)
    if tool not in (EDIT, WRITE):
        command = command_of(given) if isinstance(given, dict) else call.arguments
        for text in [command] if command or tool != SHELL else texts:
            yield from _of_script(text)
    yield from (piece for text in texts for piece in _PIECE.findall(text) if "/" in piece)


def _texts(value: Any, depth: int) -> Iterator[str]:
    """The texts in arguments, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _texts(inner, depth - 1)


def _of_script(script: str) -> Iterator[str]:
    """The words of a command line; what it quotes is one word, but for a script (`bash -lc`), and
    what it hands on as a text (a heredoc) none."""
    before = ""
    for token in (one for one in each_token(script) if one.kind == WORD):
        yield token.value
        if token.bare or not token.fixed or _SCRIPT.fullmatch(before):
            for piece in _PIECE.findall(token.value):
                yield piece
                if piece.startswith("-"):
                    yield piece[2:]  # `-Capi`
        before = token.value
