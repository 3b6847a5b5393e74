"""Lists of like records: which fields tell of them, which records stand out, what they add up to.

One pass counts, for every field, how many records have it and (for short scalars, while there are
few) how often each value occurs. From these follow the summary, the rare fields and rare values.
A second pass marks the records that fail, are rare, or match the objective.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from msgspec import Struct

from loom.lazy import lazy_re
from loom.reduce.lines import counted
from loom.reduce.structure.relevance import ERROR, Fields, Objective, severity
from loom.search.terms import terms
from loom.text import one_line

VALUES = 12  # values of a field whose counts are told
SHORT = 80  # characters of a value that is counted
RARE = 50  # one record in so many is rare
NAMED = 6  # values of one field named in a summary
FEW = 4  # records that are a list of like ones

_FAILED = frozenset((
    "error", "errors", "exception", "failed", "failure", "failures", "fault", "stderr", "traceback",
))  # fmt: skip
_STATE = frozenset(
    ("status", "state", "level", "severity", "result", "outcome", "conclusion", "code", "exit")
)
_FINE = (None, False, 0, "", "0", "null", "none", "ok")


class Profile(Struct, frozen=True):
    """Statistics of a list of records.

    `constant` are the fields in which no two records differ.

    `special` maps the places of records that stand out to how much; `summary` is the counts of
    values by field, most telling first; `fields` all field names, the most frequent first.
    """

    special: dict[int, float] = {}
    constant: frozenset[str] = frozenset()
    summary: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()


def alike(values: Sequence[Any]) -> bool:
    """True when most of a sample of `values` are objects that share a field."""
    sample = values[:: max(1, len(values) // 16)]
    shared = Counter(key for value in sample if isinstance(value, dict) for key in value)
    return len(values) >= FEW and 4 * max(shared.values(), default=0) >= 3 * len(sample)


def profile(values: Sequence[Any], fields: Fields) -> Profile:
    """The profile of a list of records; linear in the number of their members."""
    present: Counter[str] = Counter()
    tallies: dict[str, Counter[Any]] = {}
    crowded: set[str] = set()
    for record in values:
        if not isinstance(record, dict):
            continue
        present.update(record.keys())
        for key, value in record.items():
            if key in crowded or not _countable(value):
                continue
            tally = tallies.setdefault(key, Counter())
            tally[_told(value)] += 1
            if len(tally) > 4 * VALUES:
                crowded.add(key)
                del tallies[key]
    records = sum(isinstance(value, dict) for value in values)
    few = max(1, len(values) // RARE)
    rare_fields = (
        {key for key, times in present.items() if times <= few} if len(values) > 9 else set()
    )
    if len(rare_fields) > VALUES:  # every record has its own fields: none of them is rare
        rare_fields = set()
    categories = {
        key: tally
        for key, tally in tallies.items()
        if len(tally) <= VALUES and 2 * len(tally) <= sum(tally.values())
    }
    constant = {
        key for key, tally in categories.items() if len(tally) == 1 and 2 * present[key] >= records
    }
    return Profile(
        constant=frozenset(constant),
        special=_special(values, fields, rare_fields, categories, few),
        summary=tuple(_summary(categories, fields)),
        fields=tuple(key for key, _ in present.most_common(40)),
    )


def _special(
    values: Sequence[Any],
    fields: Fields,
    rare_fields: set[str],
    categories: dict[str, Counter[Any]],
    few: int,
) -> dict[int, float]:
    """The records that fail, are rare, or match the objective, and how much they stand out."""
    rare = {
        key: {value for value, times in tally.items() if times <= few}
        for key, tally in categories.items()
        if len(tally) > 1
    }
    rare = {key: told for key, told in rare.items() if told}
    found: dict[int, float] = {}
    judged: dict[str, int] = {}
    for at, record in enumerate(values):
        worth = 0.0
        if isinstance(record, dict):
            worth += 4 * _fails(record, judged)
            worth += 2 * len(record.keys() & rare_fields)
            worth += sum(_told(record.get(key)) in told for key, told in rare.items())
        if fields.objective.words:
            worth += 3 * fields.objective.matches(words_of(record))
        if worth:
            found[at] = worth
    return found


def special_items(items: Sequence[tuple[str, Any]], objective: Objective) -> dict[int, float]:
    """Of items that are no records, those that tell of errors or match the objective."""
    found: dict[int, float] = {}
    for at, (key, value) in enumerate(items):
        worth = 2.0 * (type(value) is str and severity(value) == ERROR)
        if objective.words:
            words = value if type(value) is str else words_of(value)
            worth += 3.0 * objective.matches(f"{key} {words}" if key else words)
        if worth:
            found[at] = worth
    return found


def member_worth(fields: Fields, key: str, value: Any) -> float:
    """Score a member of an object by its name and its value."""
    worth = fields.worth(key)
    if isinstance(value, str):
        worth -= min(len(value), 120) / 60  # of two that tell as much, the shorter
        worth -= 4 * (len(value) > 120 and blob(value)) + 2 * (not value)
        worth += 2 * fields.objective.matches(value)
    elif value is None:
        worth -= 3
    elif isinstance(value, list | dict):
        worth += (2 if isinstance(value, list) and alike(value) else -1) if value else -3
    return worth


def _fails(record: dict[str, Any], judged: dict[str, int]) -> bool:
    """True when a record says of itself that it failed.

    `judged` remembers the roles of field names: 2 a failure, 1 a state, 0 neither.
    """
    for key, value in record.items():
        role = judged.get(key)
        if role is None:
            words = terms(key[:80]).words
            role = 2 if _FAILED.intersection(words) else int(bool(_STATE.intersection(words)))
            judged[key] = role
        if role == 2 and value and not (isinstance(value, str) and value.lower() in _FINE):
            return True
        if role == 1 and _bad(value):
            return True
    return False


def _bad(value: Any) -> bool:
    """True when the value of a state says failure: a word of it, or an HTTP status from 400 on."""
    if isinstance(value, bool) or value is None:
        return False
    if isinstance(value, int):
        return 400 <= value < 600
    return isinstance(value, str) and len(value) <= SHORT and severity(value) == ERROR


def words_of(value: Any, depth: int = 0) -> str:
    """The strings of a value on two levels, to be searched; at most some thousand characters."""
    if isinstance(value, str):
        return value[:1000]
    if depth > 1 or not isinstance(value, dict | list):
        return str(value) if isinstance(value, int) and value.bit_length() < 64 else ""
    inner: Iterable[Any] = value.values() if isinstance(value, dict) else value[:20]
    return " ".join(word for word in (words_of(one, depth + 1) for one in inner) if word)


def _countable(value: Any) -> bool:
    """True when a value can be one of a category."""
    return (
        len(value) <= SHORT if isinstance(value, str) else value is None or isinstance(value, int)
    )


def _told(value: Any) -> Any:
    """A value as its tally knows it: True is not 1."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else str(value).lower()
    return value if isinstance(value, str | int) else ""


def _summary(categories: dict[str, Counter[Any]], fields: Fields) -> Iterable[str]:
    """`status: open 430, closed 68` for each category that has more than one value."""
    for key in sorted(categories, key=lambda key: (len(categories[key]) == 1, -fields.worth(key))):
        told = categories[key].most_common()
        named = [f"{one_line(str(value), SHORT) or '(empty)'} {times:,}" for value, times in told]
        more = f", {counted(len(told) - NAMED, 'more value')}" if len(told) > NAMED else ""
        yield f"{one_line(key, SHORT)}: {', '.join(named[:NAMED])}{more}"


_BLOB = lazy_re(r"(?:data:[\w./+-]{1,60};base64,)?[A-Za-z0-9+/=_-]{150}")


def blob(text: str) -> bool:
    """True when a long string is encoded bytes rather than words: base64, hex, a data address."""
    return len(text) >= 200 and _BLOB.match(text) is not None
