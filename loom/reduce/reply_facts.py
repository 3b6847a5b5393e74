"""Facts of a model's reply: what it says and thinks, and the ids in its calls."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.aliases import EDIT, READ, WRITE
from loom.reduce.arguments import json_object
from loom.reduce.clauses import BULLET, SENTENCE_END
from loom.reduce.entities import opaque_ids
from loom.reduce.lines import both_ends
from loom.reduce.rule import canonical_tool_of_call
from loom.text import encodable
from loom_partitions.message import Fact

IDS = 40  # ids of one result, of one reply's calls
FILES = (READ, EDIT, WRITE)  # tools whose ids are not kept: what a file holds can be read again
SAID = 2000  # characters of each end of what a model said …
THOUGHT = 300  # … and thought: `benchmarks takeover` +6 of 192 at 32,000 from 400 and 150
ANNOUNCED = 120  # characters up to which a text may only announce its calls, where …
BEYOND = 24  # … fewer letters than these stand in words that its calls do not have
WORD = 40  # characters of a word that no end cuts
SHORTENED = "shortened"  # what came of the fact of a longer text

_WORD = lazy_re(r"\w+")


def facts_of_reply(
    text: str, calls: Sequence[tuple[str, str]], thought: str = ""
) -> tuple[Fact, ...]:
    """Return the facts of a model's reply: one with `text`, one with `thought`, and one with the
    ids in its calls. `calls` are (tool name, arguments as JSON text) pairs."""
    return (
        *_from_both_ends("thought", thought, THOUGHT),
        *(() if _only_announces_calls(text, calls) else _from_both_ends("model", text, SAID)),
        *_used_id_facts(calls),
    )


def _only_announces_calls(text: str, calls: Sequence[tuple[str, str]]) -> bool:
    """Return True for a short text that only names the calls, such as "I will read a.py"."""
    if not calls or len(text) > ANNOUNCED:
        return False
    called = {word for call in calls for part in call for word in _WORD.findall(part.casefold())}
    return sum(len(w) for w in _WORD.findall(text.casefold()) if w not in called) < BEYOND


def _from_both_ends(kind: str, text: str, end: int) -> Iterator[Fact]:
    """Yield one fact of the given kind with the text on one line, cut to `end` characters at both
    ends; nothing for a blank text."""
    words = " ".join(encodable(both_ends(text)).split())
    if len(words) > 2 * end:
        first = words.rfind(" ", end - WORD, end + 1)
        last = words.find(" ", len(words) - end - 1, len(words) - end + WORD)
        text = f"{words[: first if first > 0 else end]} … {words[last + 1 if last > 0 else -end :]}"
        yield Fact(kind, text, came=SHORTENED)
    elif words:
        yield Fact(kind, words)


def _used_id_facts(calls: Sequence[tuple[str, str]]) -> Iterator[Fact]:
    """Yield one fact with the ids in the arguments of these calls; nothing if there are none."""
    told = [(name, json_object(arguments)) for name, arguments in calls]
    texts = [
        value
        for name, members in told
        if canonical_tool_of_call(name, members) not in FILES
        for value in members.values()
        if isinstance(value, str)
    ]
    for fact in id_facts(texts):
        yield replace(fact, refs=fact.text)  # what a call names is used, not only seen


def id_facts(texts: Iterable[str]) -> Iterator[Fact]:
    """Yield one fact with the first IDS ids in these texts, joined by blanks; nothing for none."""
    found = dict.fromkeys(id for text in texts for id in opaque_ids(both_ends(text)))
    if found:
        yield Fact("id", " ".join([*found][:IDS]))


def sentences_of(text: str) -> Iterator[str]:
    """Yield the sentences and list items of a text, without headings and bullets."""
    for line in map(str.strip, text.split("\n")):
        if line.startswith("#"):
            continue
        bullet = BULLET.match(line)
        for part in SENTENCE_END.split(line[bullet.end() :] if bullet else line):
            if sentence := part.strip().lstrip("> "):
                yield sentence
