"""General English cues: what a line says of a run, an edit, a rule or a choice.

They are written against raw transcripts and plain prose, and know no strategy's marks. What a line
tells as past ("was failing, passes") does not count for now.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from loom_bench.simulated.state import (
    EDITED,
    FAIL,
    FORBIDDEN,
    LIFTED,
    PASS,
    REFUSED,
    REQUIRED,
    REVERTED,
    WROTE,
)

READ = "read"  # a file was only looked at

_FAILS = r"fail(?:s|ed|ing|ures?)?|errors?|broken|red|unresolved|open"
_PASSES = (
    r"pass(?:es|ed|ing)?|ok|green|succeed(?:s|ed)?|success|fixed|resolved|closed|all checks passed"
)
_PAST = re.compile(
    r"\([^()]*\b(?:before|earlier|previously|at first)\b[^()]*\)"
    r"|\b\w+ (?:before|earlier|previously|at first)\b"
    r"|\b(?:was|were|had|previously|formerly|earlier|used to|before|after)\b[^,;.)→]*",
    re.IGNORECASE,
)
_ARROW = re.compile(
    rf"(?:→|->|=>|: |= ?|— )\**(?:now )?(?:({_PASSES})|({_FAILS}))\b", re.IGNORECASE
)
_THEN = re.compile(r"\b(?:then|now|since|finally|later|at last)\b(.*)", re.IGNORECASE)
_EXIT = re.compile(r"\bexit(?:ed)?(?:[ _]?(?:code|status))?(?: with)?\W{0,3}(\d+)", re.IGNORECASE)
_NONE = re.compile(
    r"\b(?:0|no|zero) (?:\w+ )?(?:failed|failing|failures?|errors?|problems)\b|\bfailed[:=] ?0\b"
    r"|\b(?:no longer|not) (?:fails|failing|failed|open|broken)\b",
    re.IGNORECASE,
)
_COUNT = re.compile(r"\b[1-9]\d* (?:\w+ )?(?:failed|failing|failures?|errors?|problems)\b", re.I)
_FAIL = re.compile(rf"\b(?:{_FAILS})\b|[✖✗❌●]", re.IGNORECASE)
_PASS = re.compile(rf"\b(?:{_PASSES})\b|[✔✓✅]", re.IGNORECASE)

# What a segment says was done to the file it names, the first that matches.
_DEEDS: dict[str, re.Pattern[str]] = {
    deed: re.compile(pattern, re.IGNORECASE)
    for deed, pattern in {
        REVERTED: r"\b(?:revert\w*|undone|undid|taken back|rolled back|git (?:checkout|restore))\b",
        REFUSED: r"\b(?:failed|refused|rejected|not (?:found|applied)|no (?:match|effect))\b"
        r"|\b(?:did not|never)\b",
        WROTE: r"\b(?:wrote|written|write|created?|new file|added)\b",
        EDITED: r"\b(?:edit(?:s|ed)?|chang(?:e|es|ed)|modified|updated?|patched)\b|\+\d+ ?[−–/-]",
        READ: r"\b(?:reads?|saw|seen|look(?:ed)?|viewed|opened|opening|checking|listed|found)\b",
    }.items()
}
_LIFT = re.compile(
    r"\b(?:forget what|taken back|takes? back|no longer|lift(?:s|ed)?|may (?:\w+ )?(?:change|edit)"
    r"|are fine|is fine|not any ?more|withdrawn|allowed again|allowed now)\b",
    re.IGNORECASE,
)
_FORBID = re.compile(
    r"\b(?:never|do not|don['’]?t|must not|not allowed|hands off|off limits|forbid\w*|forbade"
    r"|not permitted|leave\b.*\balone)\b",
    re.IGNORECASE,
)
_REQUIRE = re.compile(r"\b(?:always|must|before (?:you|each|every)|ahead of|required?s?)\b", re.I)

_COMMA = re.compile(r"[,;] (?![^()]*\))")
_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"`\[])")
_COUNTED = {"once": 1, "twice": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7}
_TIMES = re.compile(
    r"×\s*(\d+)|\b(?:runs|edits|times)[:=] ?(\d+)"
    r"|\b(\d+)\s*(?:×|x\b|times\b|edits\b|changes\b|runs\b)"
    r"|\b(once|twice|(?:three|four|five|six|seven)(?= (?:times|edits|changes|runs)))\b",
    re.IGNORECASE,
)
_LABEL = re.compile(r"^[\s*•-]*\w+(?: \w+){0,2}$")


def verdict(text: str) -> str:
    """PASS or FAIL as a line or an output says it, "" when it says neither."""
    text = _NONE.sub(" ok ", text)
    now = _PAST.sub(" ", text) if "\n" not in text else text
    if "\n" not in now and "→" in now and (said := verdict(now.rpartition("→")[2])):
        return said
    arrow = None if "\n" in now else _ARROW.search(now)
    if arrow:
        return PASS if arrow[1] else FAIL
    if "\n" not in now and (then := _THEN.search(now)) and (said := verdict(then[1])):
        return said
    if exit := _EXIT.search(now):
        return PASS if int(exit[1]) == 0 else FAIL
    if _COUNT.search(now) or _FAIL.search(now):
        return FAIL
    return PASS if _PASS.search(now) else ""


def deed(text: str) -> str:
    """Say what was done to a file, of the deeds of a Truth or READ; "" when it is not told."""
    if (then := re.search(r"\b(?:then|later)\b(.*)", text)) and (said := deed(then[1])):
        return said
    return next((name for name, pattern in _DEEDS.items() if pattern.search(text)), "")


def ruling(text: str) -> str:
    """The state of a rule as a sentence says it, "" when it is no rule."""
    if _LIFT.search(text):
        return LIFTED
    if _FORBID.search(text):
        return FORBIDDEN
    return REQUIRED if _REQUIRE.search(text) else ""


def times(text: str) -> int:
    """How often a thing was done as a segment says it; once when it says nothing."""
    found = _TIMES.search(text)
    if not found:
        return 1
    word = found[4]
    return _COUNTED[word.lower()] if word else int(found[1] or found[2] or found[3])


def segments(line: str) -> Iterator[str]:
    """The parts of a line between commas and semicolons, each with the label before its colon.

    `edited: a.py, b.py; read: c.py` gives `edited: a.py`, `edited: b.py`, `read: c.py`.
    """
    label = ""
    for part in _COMMA.split(line):
        head, colon, _ = part.partition(": ")
        if colon and _LABEL.match(head):
            label = f"{head}: "
            yield part
        else:
            yield label + part


def parts(line: str, about: re.Pattern[str], other: re.Pattern[str]) -> Iterator[str]:
    """The segments that match `about`, each with those behind it that match no `other`."""
    found = list(segments(line))
    for at, part in enumerate(found):
        if about.search(part):
            rest = takewhile(lambda each: not other.search(each), found[at + 1 :])
            yield ", ".join((part, *rest))


def sentences(line: str) -> list[str]:
    """The sentences of a line."""
    return _SENTENCE.split(line)


def dropped(choice: str, text: str) -> bool:
    """True when a sentence says that a choice or a value holds no more."""
    it = re.escape(choice)
    before = r"(?:no longer|not|instead of|rather than|from|was|were|replac(?:es|ing)|dropped|"
    before += r"formerly|previously|used to be|taken back|reverted|over|~~)"
    after = (
        r"(?:turned out|blocked|no longer|not any ?more|~~|any ?more|before|replaced|reverted|→|"
    )
    after += r"(?:is|was) (?:out|taken back|dropped|replaced|reverted|wrong))"
    quote = r"[`\"'*\s(:]*"
    pattern = rf"\b{before}{quote}(?:using |the )?{it}(?!\w)|(?<!\w){it}[`\"'*\s)]*\(?{after}"
    return re.search(pattern, text, re.IGNORECASE) is not None
