"""The plan a reply announces: several steps, under a word that says they are to come.

Strict on purpose. A list under "Plan:", "Next steps:" or "I'll do the following:", a list of boxes
to tick, a sentence that says what comes next and what then: each has two steps at least. A single
next action is none, and neither is a word about a plan ("the plan is written").
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loom.lazy import lazy_re
from loom.reduce.phrases import BULLET

MOST = 12  # steps of one list
LEAST = 2  # steps that make a plan
LINE = 2_000  # characters of a line that are looked at

# The line above a list that says its items are still to be done.
_HEAD = lazy_re(
    r"^(?:#{1,6} +)?[*_ ]*(?:"
    r"(?:(?:(?:so,? )?here['’]?s|here is|this is) )?(?:my|the|our|a|an)? ?"
    r"(?:(?:new|updated|revised|simplified|implementation|migration|work|rough|full|next|remaining"
    r"|rest of the) )?(?:plan|steps|next steps|to-?do(?: list)?|work|tasks|action items)"
    r"(?: (?:is|is to|from here|now|for (?:this|the)\b.{0,60}|left|remaining|are))?"
    r"|what (?:is|['’]s) (?:left|next|still to (?:do|be done))|still to (?:do|be done)|up next"
    r"|remaining|i(?:['’]ll| will| am going to|['’]m going to) (?:now )?(?:do|take|make|go through"
    r"|proceed|work)\b.{0,60}|.{0,60}\bnext,? i(?:['’]ll| will)"
    r"|(?:mein |der |unser )?plan|nächste schritte|prochaines étapes|(?:próximos|siguientes) pasos"
    r"|计划|計劃|計画|下一步|接下来|接下來|次のステップ|今後の手順"
    r")[*_ ]*[:：]?[*_ ]*$",
    re.IGNORECASE,
)
_BOX = lazy_re(r"(?:[-*•+] +)?\[([ xX~>-])\] +(\S.*)")
_NUMBER = lazy_re(r"(?:step )?\d{1,3}[.):] +", re.IGNORECASE)
_NEXT_THEN = lazy_re(
    r"^(?:next|first|from here|after (?:this|that)),? i(?:['’]ll| will|['’]m going to)\b"
    r"(?:(?![.!?] ).){3,400}?\b(?:,? (?:and )?(?:then|afterwards|after that|finally|next))\b",
    re.IGNORECASE,
)
_ASKED = lazy_re(r"[?？][*_ ]*$")


def planned(text: str) -> Iterator[tuple[int, str]]:
    """The steps of the plans a text without code announces, with the place of each."""
    at = 0
    head = False
    steps: list[tuple[int, str]] = []
    boxes = False
    for line in (*text.split("\n"), "end"):
        bare = line.strip()[:LINE]
        box = _BOX.match(bare)
        step = _step(bare) if head or box else ""
        if step and len(steps) < MOST:
            steps.append((at, step))
            boxes = boxes or box is not None
        elif bare and not step and not _under(line, steps):
            if len(steps) >= LEAST and (head or boxes):
                yield from steps
            steps, boxes = [], False
            head = bool(_HEAD.match(bare)) and not _ASKED.search(bare)
            if _NEXT_THEN.match(bare) and not _ASKED.search(bare):
                yield at, bare
        at += len(line) + 1


def _step(line: str) -> str:
    """The text of an item of a list, its number and its box kept; "" for any other line."""
    if _BOX.match(line) or _NUMBER.match(line):
        return line.lstrip("-*•+ ")
    bullet = BULLET.match(line)
    return line[bullet.end() :] if bullet else ""


def _under(line: str, steps: list[tuple[int, str]]) -> bool:
    """True for a line that is indented under a step."""
    return bool(steps) and line[:1] in (" ", "\t")
