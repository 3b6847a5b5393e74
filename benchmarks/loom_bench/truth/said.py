"""The user's words that can still be found in a request, and text that stands twice.

What a client puts in the user's place is left out: blocks in tags, notes in brackets, its own
summary of the conversation, the text a slash command stands for. A sentence is found when one text
holds it, its first or last four fifths, or when a line holds four fifths of its words in order.
Messages over LONG characters are told apart, and so are their headings.

A line counts from 20 characters, blanks aside, by what it holds without its number. Left out are
lines the user typed, a client's reminders, and arguments of one line (a path, a command), which go
back with their call as they were. `again` counts, of these, the places a line has beyond those it
has in the transcript: that much the window made itself.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import ceil

from loom.inputs import Event, User
from loom_bench.sessions.needle import walked
from loom_bench.truth.shown import (
    CUT,
    MADE,
    CallMade,
    Piece,
    Ruling,
    bare,
    bare_lines,
    sentences,
    spoken,
    untagged,
)

LONG = 1_500  # characters of a message that is a plan rather than a word
SHARE = 0.8  # of the words of a sentence
FEWEST = 3  # words of a sentence
STUMP = 40  # characters a sentence cut at its end still has
TEMPLATE = 400  # characters: what a slash command stands for is longer, and nobody typed it
HEADING = re.compile(r"^\s*(?:#{1,6}\s+\S|\*\*[^*]+\*\*:?\s*$)")
SUMMARY = re.compile(
    r"\s*This session is being continued from a previous conversation"
    r"|Base directory for this skill: "
)
NOTE = re.compile(r"\s*\[[^\]\n]*\]\s*$|\s*Caveat: The messages below were generated")


class UserWords:
    """Judges what is left of what the user typed. Nothing of it is a fault by itself."""

    def __init__(self) -> None:
        self._said: dict[str, str] = {}  # sentence → short, long or headings
        self._before = ""  # the message right before, "" when none is

    def take(self, event: Event, made: CallMade | None) -> None:
        """Note the sentences of a message the user typed."""
        before, self._before = self._before, event.text if isinstance(event, User) else ""
        if not isinstance(event, User) or SUMMARY.match(event.text) or NOTE.match(event.text):
            return
        if before.startswith("<command-message>") and len(event.text) > TEMPLATE:
            return
        text = untagged(event.text)
        length = "long" if len(text) > LONG else "short"
        for line in text.splitlines():
            kind = "headings" if length == "long" and HEADING.match(line) else length
            for one in sentences(" ".join(line.split())):
                if kind == "headings" or len(one.split()) >= FEWEST:
                    self._said.setdefault(one, kind)

    def rule(self, pieces: Sequence[Piece], ruling: Ruling) -> None:
        """Count sentences and those found, by length of message, and those cut at their end."""
        joined = "\n".join(" ".join(one.text.split()) for one in pieces if one.kind == "text")
        lines = [
            " ".join(line.split())
            for piece in pieces
            if piece.role in MADE
            for line in piece.text.splitlines()
        ]
        by_word = _by_word(lines)
        stumps = {line[:STUMP]: line for line in lines if CUT.search(line)}
        for one, kind in self._said.items():
            ruling.sums[f"{kind}_said"] += 1
            if _found(one, joined, by_word):
                ruling.sums[f"{kind}_found"] += 1
            else:
                ruling.faults.append((f"{kind}_lost", one))
            if len(one) > STUMP and _stump(one, stumps.get(one[:STUMP], "")):
                ruling.fault("cut_short", one)


def _found(one: str, joined: str, by_word: Mapping[str, Sequence[Sequence[str]]]) -> bool:
    said = one.split()
    most = ceil(SHARE * len(said))
    if " ".join(said[:most]) in joined or " ".join(said[-most:]) in joined:
        return True
    rarest = min(said, key=lambda word: (len(by_word.get(word, ())) or 10**6, -len(word)))
    return any(_in_order(said, line) >= most for line in by_word.get(rarest, ()))


def _by_word(lines: Sequence[str]) -> Mapping[str, list[list[str]]]:
    """Word → the lines that hold it, as words."""
    found: dict[str, list[list[str]]] = defaultdict(list)
    for line in lines:
        held = line.split()
        for word in set(held):
            found[word].append(held)
    return found


def _in_order(said: Sequence[str], line: Sequence[str]) -> int:
    """How many words of a sentence a line holds in order (longest common subsequence)."""
    row = [0] * (len(line) + 1)
    for word in said:
        before = 0
        for at, other in enumerate(line, 1):
            kept = row[at]
            row[at] = before + 1 if word == other else max(row[at], row[at - 1])
            before = kept
    return row[-1]


def _stump(one: str, shown: str) -> bool:
    """True when a line shows the beginning of a sentence and then a sign of omission."""
    rest = CUT.sub("", shown).rstrip()
    return shown != one and bool(rest) and len(rest) < len(one) and one.startswith(rest)


LEAST = 20  # characters, blanks aside


class LinesTwice:
    """Judges how much of a request stands in it twice."""

    def __init__(self) -> None:
        self._typed: set[str] = set()
        self._places: Counter[str] = Counter()

    def take(self, event: Event, made: CallMade | None) -> None:
        """Note what the user typed, and in how many places the transcript has a line."""
        if isinstance(event, User):
            self._typed.update(map(bare, event.text.splitlines()))
        for place in spoken(event):
            self._places.update({line for text in place for line in bare_lines(text)})

    def rule(self, pieces: Sequence[Piece], ruling: Ruling) -> None:
        """Count characters, and those of lines that stood in another place before."""
        seen: Counter[str] = Counter()
        for piece in pieces:
            texts = _texts(piece)
            here = [line for text in texts for line in bare_lines(text)]
            ruling.sums["characters"] += sum(map(len, here))
            for line in dict.fromkeys(here):
                if line in seen and line not in self._typed:
                    kinds = ("twice", "again")
                    for kind in kinds if seen[line] >= max(self._places[line], 1) else kinds[:1]:
                        ruling.sums[kind] += len(line)
                        ruling.faults.append((kind, line))
            seen.update({line for text in texts for line in _counted(text)})


@lru_cache(maxsize=4096)
def _counted(text: str) -> frozenset[str]:
    """The lines of a text that count."""
    lines = bare_lines(text)
    return frozenset(line for line in lines if len(line) - line.count(" ") >= LEAST)


def _texts(piece: Piece) -> list[str]:
    """The texts of a piece; of a call the arguments of several lines, an edit's old text too."""
    if piece.kind != "call":
        return [piece.text]
    return [text for text in walked(piece.given) if "\n" in text]
