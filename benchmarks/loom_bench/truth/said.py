"""The user's words: how many of the sentences the user typed can still be found in a request.

What a client puts in the user's place is left out: blocks in tags, notes in brackets, its own
summary of the conversation, the text a slash command stands for. A sentence is found when one text
holds it, its first or last four fifths, or when a line holds four fifths of its words in order.
Messages over LONG characters are told apart, and so are their headings.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import ceil

from loom.inputs import Event, User
from loom_bench.truth.lines import sentences, untagged
from loom_bench.truth.shown import Ruling, ShownRequest
from loom_bench.truth.transcript import CallMade

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
CUT = re.compile(r"(?:…|\.\.\.)$")


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

    def rule(self, request: ShownRequest) -> Ruling:
        """Count sentences and those found, by length of message, and those cut at their end."""
        ruling = Ruling()
        texts = [" ".join(piece.text.split()) for piece in request.pieces if piece.kind == "text"]
        joined = "\n".join(texts)
        lines = [
            " ".join(line.split()) for piece in request.made for line in piece.text.splitlines()
        ]
        by_word = _by_word(lines)
        stumps = {text[:STUMP]: text for line in lines if CUT.search(line) for text in [line]}
        for one, kind in self._said.items():
            ruling.sums[f"{kind}_said"] += 1
            if _found(one, joined, by_word):
                ruling.sums[f"{kind}_found"] += 1
            else:
                ruling.faults.append((f"{kind}_lost", one))
            if len(one) > STUMP and _stump(one, stumps.get(one[:STUMP], "")):
                ruling.fault("cut_short", one)
        return ruling


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
