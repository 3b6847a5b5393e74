"""The facts of entries, each with the id of its entry, in the order in which they came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from operator import attrgetter

from msgspec.structs import replace

from loom.compress.entry_line import said_text
from loom.lazy import lazy_re
from loom.reduce.aliases import READ
from loom.reduce.clauses import SENTENCE_END, beginning_within
from loom.reduce.client_notes import RAN, typed_text
from loom.reduce.file_rules import partial_read_range
from loom.text import encodable, one_line
from loom_partitions.message import Digest, Entry, Fact, Step, Thought, UserTurn, name_of

AT = attrgetter("at")
SPOKEN = ("user", "rule", "question", "heading", "code", "told", "observation", "instruction")
TYPED = ("user", "rule", "question", "heading", "code")
FILES = ("edit", "write", "read")
BARE = 80  # characters of a message without a word
WORDS = 6  # of a message that may be an answer, at most
ASKED = 160  # characters of what it answers
SCANNED = 8_000  # characters of the end of a reply that are looked at for it
LATEST = "the latest up to here"  # what marks the message that says what is asked for now
# Names the window itself gives: to list them among the names of the work would be noise.
_OWN = lazy_re(
    r"(?:user|step|digest|read|shell|search|list|edit|write|page|tool|message|text)_\d{3,}"
)


def collect_facts(entries: Iterable[Entry]) -> list[Fact]:
    """Return all facts of the entries, oldest first. (A fact is something an entry tells, such as a
    command with its outcome.)"""
    found: list[Fact] = []
    before: Entry | None = None
    for entry in entries:
        near = before if before is not None and before.id == entry.id - 1 else None
        found.extend(entry.facts if isinstance(entry, Digest) else _facts_with_answers(entry, near))
        before = entry
    return sorted(found, key=AT)


def _facts_with_answers(entry: UserTurn | Step, before: Entry | None) -> Iterator[Fact]:
    """Yield the facts of an entry. The last fact of a short answer to a question of the entry
    `before` gets a note about the question."""
    facts = list(_facts_with_sources(entry))
    if not isinstance(entry, UserTurn) or entry.source or entry.voice:
        yield from facts
        return
    typed_ones = [at for at, fact in enumerate(facts) if fact.kind in TYPED]
    if typed_ones and (asked := _answered_question(facts, before)):
        facts[typed_ones[-1]] = replace(facts[typed_ones[-1]], came=asked)
    elif not typed_ones and (bare := _wordless_message(entry, before)):
        facts.append(Fact("user", f"({bare})", at=entry.id))
    yield from facts


def _answered_question(facts: Sequence[Fact], before: Entry | None) -> str:
    """Return the note `(answers "Shall I go on?", step_0003)` for a message of a few words that
    answers a question of the entry `before`; else ""."""
    mine = [fact for fact in facts if fact.kind in TYPED]
    if len(" ".join(fact.text for fact in mine).split()) > WORDS:
        return ""
    if isinstance(before, Digest):  # the text of the reply has left: its name leads to it
        own = any(fact.at == before.last and fact.kind in TYPED for fact in before.facts)
        return "" if own else f"(answers step_{before.last:04d})"
    if not isinstance(before, Step) or before.calls:
        return ""
    lines = encodable(said_text(before))[-SCANNED:].replace('"', "'").split("\n")
    sentences = [part for line in lines for part in SENTENCE_END.split(line)]
    places = [at for at, one in enumerate(sentences) if one.rstrip(" *_)`'").endswith(("?", "？"))]
    if not places:
        return ""
    asked = beginning_within(" ".join(" ".join(sentences[places[-1] :]).split()), ASKED)
    return f'(answers "{asked}", {name_of(before)})'


def _wordless_message(turn: UserTurn, before: Entry | None) -> str:
    """Return the typed text of a message without words, such as "?"; "" if nothing was typed."""
    if turn.text.media is not None and isinstance(before, UserTurn):
        return ""  # what came with a message that has words
    return one_line(typed_text(turn.text.body or ""), BARE)


def entry_name_of(fact: Fact) -> str:
    """Return the name of the entry a fact comes from, such as "step_0012"; "" if not known."""
    if not fact.at:
        return ""
    return f"{'user' if fact.kind in SPOKEN else 'step'}_{fact.at:04d}"


def facts_with_latest_marked(facts: Sequence[Fact], later: Iterable[Fact]) -> list[Fact]:
    """Return the facts for a digest. Facts of the user's latest message get the outcome LATEST,
    unless `later` has a newer message."""
    facts = facts_with_questions(facts)
    said = max((fact.at for fact in facts if _is_user_request(fact)), default=0)
    if not said or any(_is_user_request(fact) and fact.at > said for fact in later):
        return facts
    return [
        replace(fact, came=LATEST) if fact.at == said and fact.kind in TYPED else fact
        for fact in facts
    ]


def facts_with_questions(facts: Iterable[Fact]) -> list[Fact]:
    """Return the facts for a digest. The text of an answer ends with a note about its question."""
    return [
        replace(fact, text=f"{fact.text} {fact.came}", came="")
        if fact.came and fact.kind in TYPED
        else fact
        for fact in facts
    ]


def cut_takes_thoughts(entries: Iterable[Entry]) -> bool:
    """Return True if a cut would remove signed reasoning from a step among these entries."""
    steps = [entry for entry in entries if isinstance(entry, Step)]
    return any(
        isinstance(part, Thought) and part.opaque and not part.unbound
        for step in steps[:-1]
        for part in step.parts
    )


def lost_thoughts(standing: Sequence[Entry]) -> Iterator[Fact]:
    """Yield a fact for each thought that no request contains any more: thoughts of steps that stay
    in the window but lost their signed reasoning by a cut."""
    steps = [entry for entry in standing if isinstance(entry, Step)]
    for step in steps:
        sent = [one for one in step.parts if isinstance(one, Thought) and one.opaque]
        # The reasoning of the newest step may have to go back with the results of its calls.
        loops = step is steps[-1] and bool(step.outcomes or step.paused)
        if any(one.unbound for one in sent) or (sent and loops):
            continue
        yield from (replace(fact, at=step.id) for fact in step.facts if fact.kind == "thought")


def _is_user_request(fact: Fact) -> bool:
    """Return True for a fact from a message the user typed, other than a shell command."""
    return fact.kind in TYPED and not fact.text.startswith(RAN)


def _facts_with_sources(entry: UserTurn | Step) -> Iterator[Fact]:
    # What Loom put there itself repeats what is known; only what it counts as a result says more.
    """Yield the facts of an entry, each with the entry's id. For a file read, `refs` names the page
    or step with the file's text."""
    own = isinstance(entry, UserTurn) and bool(entry.source)
    spans = _partial_read_ranges(entry) if isinstance(entry, Step) else {}
    for fact in entry.facts:
        if own and fact.kind in SPOKEN:
            continue
        refs = fact.refs
        if fact.kind == "read":
            # One without a page is found by the name of its step.
            span = spans.get(refs, "")
            refs = refs or name_of(entry)
            refs = f"{refs}({span})" if span else refs
        yield replace(fact, refs=refs, at=entry.id)


def _partial_read_ranges(step: Step) -> dict[str, str]:
    """Return the line range of each partial read of a step, by the name of the page with the
    result: {"read_0001": "10-59"}."""
    made = (outcome.reduction for outcome in step.outcomes)
    spans = {
        one.outcome_ref.rpartition("/")[2].partition(".")[0]: partial_read_range(one.minimal_args)
        for one in made
        if one.tool == READ and one.outcome_ref
    }
    return {name: span for name, span in spans.items() if span}
