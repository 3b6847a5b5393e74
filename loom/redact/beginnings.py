"""The letters a match of a regular expression begins with, as far as they can be read off it."""

from __future__ import annotations

import re

from loom.lazy import lazy_re

LEAST = 2  # letters that are worth a search
_FLAGS = lazy_re(r"\(\?[aiLmsux-]*[ix]")  # letters are not what they seem
_BEHIND = lazy_re(r"\(\?<[!=][^()]*\)")  # looks behind, without a group in it
_ATOM = lazy_re(
    r"\[(?P<one>[ ])\]|\\(?P<escaped>[^\w\s])|(?P<plain>[^\\\[\](){}?*+|^$.])", re.DOTALL
)
_NOT_OPEN = lazy_re(r"\\.|\[\^?\]?(?:[^\]\\]|\\.)*\]|[^\\\[(|)]+", re.DOTALL)


def beginnings(pattern: str) -> tuple[str, ...]:
    """Texts of which one begins each match; () when the pattern does not tell."""
    if _FLAGS.search(pattern) or len(_alternatives(pattern, 0)[0]) > 1:
        return ()
    at = behind.end() if (behind := _BEHIND.match(pattern)) else 0
    if not pattern.startswith("(?:", at):
        made = [_literal(pattern[at:])]
    else:
        found, end = _alternatives(pattern, at + 3)
        made = [] if pattern[end + 1 : end + 2] in ("?", "*", "{") else list(map(_literal, found))
    return tuple(dict.fromkeys(made)) if made and min(map(len, made)) >= LEAST else ()


def _alternatives(pattern: str, at: int) -> tuple[list[str], int]:
    """The alternatives from a place on up to where their group ends, and where that is."""
    found, start, depth = [], at, 0
    while at < len(pattern):
        plain = _NOT_OPEN.match(pattern, at)
        if plain is not None:
            at = plain.end()
            continue
        sign = pattern[at]
        if sign == ")" and not depth:
            break
        if sign == "|" and not depth:
            found.append(pattern[start:at])
            start = at + 1
        depth += (sign == "(") - (sign == ")")
        at += 1
    return [*found, pattern[start:at]], at


def _literal(pattern: str) -> str:
    """The letters a pattern begins with, each of which it has to have."""
    made, at = "", 0
    while (atom := _ATOM.match(pattern, at)) is not None:
        at = atom.end()
        if pattern[at : at + 1] in ("?", "*", "{"):
            break
        made += atom[atom.lastgroup or 0]
        if pattern[at : at + 1] == "+":
            break
    return made
