"""What the user typed, as facts: sentences, headings, steps and code, each in its place. Only typed
text counts as the user's word; pasted text is no rule. Blocks that a client adds, its summary, an
attached file and a tool's result given as a message are other voices, and their facts say so."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from loom.lazy import lazy_re
from loom.reduce.clauses import BULLET, QUESTION, RULE, SENTENCE_END, beginning_within
from loom.reduce.client_notes import RAN, SKILL, summary_proper, typed_text
from loom.reduce.lines import failing_lines
from loom.reduce.pasted_lines import FENCE, pasted_line_numbers
from loom.text import encodable, one_line
from loom_partitions.message import Fact

SCANNED = 60_000  # characters of a message that are looked at
LENGTH = 1_000  # characters of one sentence
MOST = 240  # facts of one message; of plain lines fewer: the first and the last of them
FIRST, LAST = 72, 24
DROPPED = (("user", "code"), ("question", "heading"), ("rule",))  # in this order, with too many
PASTED = 8, 16  # lines of what was pasted: of its beginning, and of its end
OTHER = 39  # lines of a client's summary, so many of them from its …
BEGUN = 12  # … beginning
OBSERVED = 240  # characters of an observation, and of each line that tells of a failure …
TELLING = 3  # … so many of them
ARGUMENTS = "\nARGUMENTS: "  # what stands before the words typed behind a skill's name
_WORD = lazy_re(r"\w")


def facts_of_user(text: str, voice: str = "") -> tuple[Fact, ...]:
    """Return the facts of a message in the user role. `voice` is "" for the user's words, else the
    kind of a client's text ("summary", "skill", "document", "observation", "instructions")."""
    ends = f"{text[: SCANNED // 2]}\n\n{text[-SCANNED // 2 :]}"
    seen = encodable(text if len(text) <= SCANNED else ends)
    if voice in ("document", "skill"):  # what was typed behind a skill's name ends its text
        behind = text.startswith(SKILL) and ARGUMENTS in seen
        seen = seen.rpartition(ARGUMENTS)[2] if behind else ""
    if voice == "observation":
        line = one_line(seen, OBSERVED)
        told = [one_line(one, OBSERVED) for one in failing_lines(seen, TELLING)]
        said = "; ".join([line, *(one for one in told if one not in line)])
        return (Fact("observation", said),) if line else ()
    if voice == "summary":
        return _summary_facts(seen)
    if voice == "instructions":
        return _instruction_facts(seen)
    words = typed_text(seen)
    return tuple(_limit_facts(list(_line_facts(words)), pasted_line_numbers(words)))


def _summary_facts(text: str) -> tuple[Fact, ...]:
    """Return the facts of a client's summary, one for each line from its beginning and end, and one
    that counts the lines left out. Code is left out, because it may be out of date."""
    said = _line_facts(summary_proper(typed_text(text)))
    lines = [Fact("told", fact.text) for fact in said if fact.kind != "code"]
    left = len(lines) - OTHER
    if left <= 0:
        return tuple(lines)
    gap = Fact("told", f"({left} lines of it are left out here)")
    return (*lines[:BEGUN], gap, *lines[len(lines) - OTHER + BEGUN :])


def _instruction_facts(text: str) -> tuple[Fact, ...]:
    """Return at most OTHER facts of instructions, rules first, and one that counts the lines left
    out. Code is left out."""
    lines = [one for one in _line_facts(text) if one.kind != "code"]
    lines = lines or [Fact("user", beginning_within(text, LENGTH))]
    kept = _keep_both_ends(lines, OTHER)
    told = [replace(one, kind="instruction") for one in kept]
    left = len(lines) - len(kept)
    return (*told, *[Fact("instruction", f"({left} lines of it are left out)")] * bool(left))


def _line_facts(text: str) -> Iterator[Fact]:
    """Yield the sentences, headings and code lines of a text as facts; `about` is the line number.
    Pasted lines count as code: they must not be taken for rules."""
    code = False
    foreign = pasted_line_numbers(text)
    for number, line in enumerate(text.split("\n"), 1):
        bare = line.strip()
        if FENCE.match(line):
            code = not code
        elif not _WORD.search(bare):
            continue
        elif bare.startswith(RAN):  # a command: nothing in it is a rule, and no sentence ends in it
            yield Fact("user", one_line(bare, LENGTH), about=str(number))
        elif code or number in foreign:
            yield Fact("code", line.rstrip()[:LENGTH], about=str(number))
        elif bare.startswith("#") and bare.lstrip("#").startswith(" "):
            heading = beginning_within(bare, LENGTH) if len(bare) > LENGTH else bare
            yield Fact("heading", heading, about=str(number))
        else:
            yield from _sentence_facts(bare, str(number))


def _sentence_facts(line: str, number: str) -> Iterator[Fact]:
    """Yield the sentences of a line as facts, with a bullet or number in the first."""
    bullet = BULLET.match(line)
    lead, rest = (bullet[0], line[bullet.end() :]) if bullet else ("", line)
    for part in SENTENCE_END.split(rest):
        if not _WORD.search(part):
            continue
        sentence = beginning_within(lead + part.strip(), LENGTH)
        lead = ""
        question = QUESTION.search(sentence)
        kind = "question" if question else "rule" if RULE.search(sentence) else "user"
        yield Fact(kind, sentence, about=number)


def _limit_facts(facts: list[Fact], foreign: frozenset[int]) -> list[Fact]:
    """Return at most MOST facts, and one of kind "more" that counts the facts left out. `foreign`
    has the numbers of the pasted lines."""
    pasted = [at for at, fact in enumerate(facts) if int(fact.about) in foreign]
    kept = _drop_middle(facts, pasted, *PASTED)
    plain = [at for at, fact in enumerate(kept) if fact.kind in ("user", "code")]
    kept = _keep_both_ends(_drop_middle(kept, plain, FIRST, LAST), MOST)
    left = len(facts) - len(kept)
    return [*kept, Fact("more", "user", times=left)] if left else kept


def _keep_both_ends(facts: list[Fact], most: int) -> list[Fact]:
    """Return at most `most` facts. Facts are dropped by kind, in the order of DROPPED, from the
    middle of each kind."""
    for kinds in DROPPED:
        places = [at for at, fact in enumerate(facts) if fact.kind in kinds]
        room = max(len(places) - max(len(facts) - most, 0), 0)
        facts = _drop_middle(facts, places, room // 2, room - room // 2)
    return facts


def _drop_middle(facts: list[Fact], places: list[int], first: int, last: int) -> list[Fact]:
    """Return the facts without those at the indexes `places`, except the first `first` and the last
    `last` of these indexes."""
    gone = set(places[first : len(places) - last]) if len(places) > first + last else set[int]()
    return [fact for at, fact in enumerate(facts) if at not in gone]
