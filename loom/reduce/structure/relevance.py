"""Relevance: words of failure, words of the objective, the names of telling fields.

Everything here is general vocabulary. An objective's terms are looked for as parts of words, so
that `timeout` finds `timeouts` and `request_timeout_ms`; a term of two letters finds nothing.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache

from msgspec import Struct

from loom.lazy import lazy_re
from loom.search.terms import asked, terms

TERMS = 24  # terms of an objective looked for
SHORTEST = 3  # characters of a term
SAMPLE = 400  # lines that tell how common a term is
FEW = 16  # lines below which no term is common
LOOKED = 2000  # characters of one line or value that are searched

ERROR, WARNING = 2, 1

_ERROR = lazy_re(
    r"(?<![a-z])(?:[a-z]*errors?|err|fail(?:ed|ure|ures|s|ing)?|[a-z]*exceptions?|traceback|panic\w*"
    r"|fatal|critical|crash(?:ed)?|abort(?:ed)?|segfault|segmentation|denied|refused|timed ?out"
    r"|undefined|cannot|unable to|not found|no such|killed|assert(?:ion)?|✗|✘|❌)(?![a-z])",
    re.IGNORECASE,
)
# A part of each of these words and those of a warning; most lines have none, which is soon seen.
_STEM = lazy_re(
    "err|fail|except|traceb|panic|fatal|critic|crash|abort|segf|segm|denied|refused|timed|undef"
    "|cannot|unable|not found|no such|killed|assert|warn|deprec|retry|✗|✘|❌"
)
# Words of failure that say there was none.
_NONE = lazy_re(
    r"\b(?:0|no|zero|without) (?:errors?|fail(?:ed|ures?|s)?|warnings?|exceptions?)\b"
    r"|\b(?:errors?|failed|failures?|fail)[ :=]+(?:0|none|null|nil)\b",
    re.IGNORECASE,
)
_WARNING = lazy_re(r"(?<![a-z])(?:warn(?:ing|ings)?|deprecat\w*|retry(?:ing)?)(?![a-z])", re.I)

# Words in the name of a field, and how much such a field tells of its record.
_FIELDS = {
    6.0: "error errors exception message msg reason failure failed fault cause",
    5.0: "id ids uuid guid key name title label slug status state level severity code symbol",
    4.0: "count total size number amount price score value url uri href link path file filename "
    "line type kind version branch sha commit hash host email user login author",
    3.0: "date time timestamp created updated duration role category tag tags method function "
    "enabled active public language rank start end from to",
    0.5: "body content text description html raw data blob base64 markdown summary details "
    "embedding embeddings vector payload avatar image thumbnail etag node signature",
}
_TELLING = {word: worth for worth, words in _FIELDS.items() for word in words.split()}
PLAIN = 2.0  # of a field nobody knows
MATCH = 8.0  # of a field whose name is in the objective


class Objective(Struct, frozen=True):
    """The terms to look for, in small letters; none when there is no objective."""

    words: tuple[str, ...] = ()

    def matches(self, text: str) -> int:
        """Count the terms that stand in the head of `text`; longer terms count double."""
        if not self.words:
            return 0
        small = text[:LOOKED].lower()
        if _any_of(self.words).search(small) is None:  # nearly always: one pass for all of them
            return 0
        return sum(1 + (len(word) > 7) for word in self.words if word in small)


@lru_cache(maxsize=64)
def _any_of(words: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, words)))


def objective_of(text: str) -> Objective:
    """The objective a text states; only its head is read. Never raises."""
    found = asked(text[: 4 * LOOKED])
    words = [word for word in found.words if len(word) >= SHORTEST and not word.isdigit()]
    # A number of five digits is an identifier: a port, an issue, a process.
    words += [word for word in found.words if word.isdigit() and len(word) >= 4]
    return Objective(tuple(dict.fromkeys(words))[:TERMS])


def narrowed(objective: Objective, lines: Sequence[str]) -> Objective:
    """The objective without terms that a quarter of the lines have: they select nothing."""
    sample = [line.lower() for line in lines[:: max(1, len(lines) // SAMPLE)]]
    if len(sample) < FEW:
        return objective
    return Objective(
        tuple(
            word
            for word in objective.words
            if sum(word in line[:LOOKED] for line in sample) * 4 < len(sample)
        )
    )


def matching(lines: Sequence[str], objective: Objective, most: int) -> list[tuple[int, int]]:
    """(score, place) of the lines that share terms with the objective, at most `most`, best first.

    Terms that a quarter of the lines have do not count.
    """
    if not objective.words:
        return []
    objective = narrowed(objective, lines)
    found = ((objective.matches(line), at) for at, line in enumerate(lines))
    return sorted((one for one in found if one[0]), key=lambda one: (-one[0], one[1]))[:most]


def severity(text: str) -> int:
    """ERROR, WARNING or 0 by the words of the head of `text`."""
    head = text[:LOOKED]
    if not _STEM.search(head.lower()):
        return 0
    if _ERROR.search(head) and (not _NONE.search(head) or _ERROR.search(_NONE.sub("", head))):
        return ERROR
    return WARNING if _WARNING.search(head) and not _NONE.search(head) else 0


class Fields:
    """Scores of record fields by their names, each name scored once."""

    def __init__(self, objective: Objective) -> None:
        self.objective = objective
        self._known: dict[str, float] = {}

    def worth(self, key: str) -> float:
        """From 0.5 (prose, blobs) over `PLAIN` to `MATCH` (named by the objective)."""
        known = self._known.get(key)
        if known is None:
            words = terms(key[:80]).words
            # The last word is what the field is: `user_id` is an id, `id_token_body` a body.
            told = [_TELLING[word] for word in words[-1:] if word in _TELLING]
            told += [_TELLING[word] - 1 for word in words[:-1] if _TELLING.get(word, 0) > PLAIN]
            known = max(told, default=PLAIN) + (MATCH if self.objective.matches(key) else 0)
            self._known[key] = known
        return known
