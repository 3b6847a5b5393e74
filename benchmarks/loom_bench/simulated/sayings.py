"""What a reading tells of what was said: rules, decisions, values, corrections, the user's plan."""

from __future__ import annotations

import re
from collections.abc import Sequence

from loom_bench.simulated.cues import dropped, ruling, segments
from loom_bench.simulated.reading import UNTOLD, Mention, Reading, settled
from loom_bench.simulated.state import LIFTED

_CHANGE = re.compile(
    r"\b(?:now|no longer|instead|rather|replaces|revert\w*|not|was|changed?)\b", re.I
)
_NUMBER = re.compile(r"(?<![\w.#-])\d+(?![\w-]|\.\d)")
_NOW = re.compile(r"\b(?:now|to|→|->)\W{0,3}(?:is |be )?(\d+)\b")


def rule(reading: Reading, about: str) -> str:
    """The state of the rule about something: FORBIDDEN, REQUIRED, LIFTED."""
    told = []
    for line, sentence in reading.about(about):
        said = ruling(sentence) or line.inherited(ruling)
        if said:
            told.append(Mention(line.block, said, said == LIFTED))
    return settled(told)


def choice(reading: Reading, topic: str, choices: Sequence[str]) -> str:
    """The one of some choices that holds for a topic now."""
    told = []
    for line, sentence in reading.about(topic):
        named = [
            each for each in choices if re.search(rf"(?<!\w){re.escape(each)}(?!\w)", sentence)
        ]
        holding = [each for each in named if not dropped(each, sentence)]
        if len(holding) == 1:
            changed = len(named) > 1 or _CHANGE.search(sentence) is not None
            told.append(Mention(line.block, holding[0], changed))
    return settled(told)


def value(reading: Reading, name: str) -> str:
    """The value of a setting now."""
    told = []
    for line, sentence in reading.about(name):
        part = next((part for part in segments(sentence) if name in part), sentence)
        text = part.partition(name)[2]
        numbers = _NUMBER.findall(text)
        left = [number for number in numbers if not dropped(number, text)]
        if now := _NOW.search(text):
            left = [now[1]]
        if left:
            changed = len(numbers) > 1 or _CHANGE.search(sentence) is not None
            told.append(Mention(line.block, left[-1], changed))
    return settled(told)


def in_order(reading: Reading, parts: Sequence[str]) -> str:
    """The parts of a text that stand in one block in their order, parted by bars."""
    blocks: dict[int, list[str]] = {}
    for line in reading.lines:
        blocks.setdefault(line.block, []).append(line.text)
    best: list[str] = []
    for lines in blocks.values():
        text, at, found = "\n".join(lines), 0, []
        for part in parts:
            match = re.compile(rf"(?<![\w-]){re.escape(part.strip())}(?![\w-])").search(text, at)
            if match:
                found.append(part)
                at = match.end()
        best = max(best, found, key=len)
    return " | ".join(best) if best else UNTOLD
