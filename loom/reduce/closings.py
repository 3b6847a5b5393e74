"""What a reply says is done of a task list: an item by its number or its words, or all of them.

Strict: a word of doubt, of time or of a condition in the line, and nothing is closed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from loom.lazy import lazy_re
from loom_partitions.message import Fact

EVERY_TASK = "all"  # what a word that closes the whole list is about
CLOSINGS = 20  # of one reply
LENGTH = 400  # characters of a line that are looked at

_DONE = r"(?:done|complete|completed|finished|closed|resolved|implemented)"
_UNSURE = lazy_re(
    r"\b(?:not|\w+n['’]t|almost|nearly|if|once|when|until|unless|after|before|should|will|would"
    r"|could|must|mark|partly|partially|except|but|let me)\b|[?？]",
    re.IGNORECASE,
)
_BY_NUMBER = lazy_re(
    r"\b(?:task|todo|item|step|issue) #?(\d{1,6})\b[^.!?\n]{0,80}?"
    rf"(?:(?: is| was| has been)(?: now| all)?|:| [-–—]) {_DONE}\b",
    re.IGNORECASE,
)
_NUMBER = lazy_re(r"(?:task|todo|item|step|issue) #?(\d{1,6})", re.IGNORECASE)
_ALL = lazy_re(
    r"\ball (?:of )?(?:the |my |our )?(?:\d+ |todo )?(?:tasks|to-?dos|items on the list)"
    rf"(?: on the list)?(?: are| have been)(?: now)? {_DONE}\b",
    re.IGNORECASE,
)
_BY_TEXT = lazy_re(
    r"^(?:[-*•+] +|\d{1,3}[.)] +)?(?:(?:✅|☑️?|✔️?|\[[xX]\])[ *_]+(\S.{3,300})|~~(\S.{3,300}?)~~"
    rf"|(\S.{{3,200}}?)(?: [-–—]+|:| →) \**{_DONE}\**[.!]?)$",
    re.IGNORECASE,
)


def closings(text: str) -> Iterator[tuple[int, Fact]]:
    """What a reply says is done, with its place: facts of kind `closed`, `about` a number or "all",
    or the words of an item as `text`."""
    at = made = 0
    for line in text.split("\n"):
        fact = _closing(line.strip()[:LENGTH]) if made < CLOSINGS else None
        if fact is not None:
            yield at, fact
            made += 1
        at += len(line) + 1


def _closing(line: str) -> Fact | None:
    """The items one line says are done."""
    words = _BY_TEXT.match(line)
    if words:
        said = next(filter(None, words.groups())).strip("*_ ")
        number = _NUMBER.fullmatch(said)
        return Fact("closed", "" if number else said, about=number[1] if number else "")
    if _UNSURE.search(line):
        return None
    if number := _BY_NUMBER.search(line):
        return Fact("closed", "", about=number[1])
    return Fact("closed", "", about=EVERY_TASK) if _ALL.search(line) else None
