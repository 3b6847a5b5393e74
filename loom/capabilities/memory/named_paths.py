"""The words of a call that may name a file or a folder, whatever its tool, shell or program.

No grammar of commands tells a path from another word: what exists on the disk does, and
`ProjectGuides.touch_named` checks it. A word without a slash counts where it is all of an argument
or stands in a command; in other texts (written content, questions) it is a word of a language."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from loom.compress.worth.entry_units import path_of_call, tool_of_call
from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, SHELL, WRITE
from loom.reduce.arguments import parse_json
from loom.reduce.entities import TOKEN
from loom.reduce.shell_rule import command_of_call
from loom.reduce.shell_tokens import WORD, shell_tokens
from loom_partitions.message import Call

WORDS = 400  # of a call that are looked up
NESTED = 4  # lists within lists
_PIECE = lazy_re(r"[^\s\"'`<>(){}\[\],;|*&=:@$]{1,300}")
_SCRIPT = lazy_re(r"[-/]\w{0,4}c", 2)  # IGNORECASE: behind it stands a script (`bash -lc`)


def path_words(call: Call) -> Iterator[str]:
    """Yield up to WORDS different words of a call that may be paths, the path argument first."""
    return islice(dict.fromkeys(islice(_possible_words(call), 4 * WORDS)), WORDS)


def _possible_words(call: Call) -> Iterator[str]:
    """Yield the words of a tool call that may be paths. Words may repeat."""
    given = parse_json(call.arguments)
    texts = [*_argument_texts(given, NESTED)] if given else [call.arguments]
    yield path_of_call(call)
    yield from (text for text in texts if len(text) <= TOKEN and "\n" not in text)
    tool = tool_of_call(call)
    if tool not in (EDIT, WRITE):
        command = command_of_call(given) if isinstance(given, dict) else call.arguments
        for text in [command] if command or tool != SHELL else texts:
            yield from _script_words(text)
    yield from (piece for text in texts for piece in _PIECE.findall(text) if "/" in piece)


def _argument_texts(value: Any, depth: int) -> Iterator[str]:
    """Yield all texts in a call's arguments, from at most `depth` levels of lists and objects."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list) and depth:
        for inner in value.values() if isinstance(value, dict) else value:
            yield from _argument_texts(inner, depth - 1)


def _script_words(script: str) -> Iterator[str]:
    """Yield the words of a shell command. A quoted text is one word; a quoted script (`bash -lc
    "…"`) also gives each word in the script. Heredocs are skipped."""
    before = ""
    for token in (one for one in shell_tokens(script) if one.kind == WORD):
        yield token.value
        if token.bare or not token.fixed or _SCRIPT.fullmatch(before):
            for piece in _PIECE.findall(token.value):
                yield piece
                if piece.startswith("-"):
                    yield piece[2:]  # `-Capi`
        before = token.value
