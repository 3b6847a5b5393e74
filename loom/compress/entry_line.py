"""The texts of entries, and the lines that lowered entries are shown as: REDUCED (observation and
page) and COMPACT (template)."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from loom.providers.render.render import render_text
from loom.providers.render.wording import ARROW
from loom.reduce.aliases import SHELL
from loom.reduce.clauses import beginning_or_notice
from loom.text import one_line
from loom_partitions.edits import Where
from loom_partitions.message import Detail, Reduction, Said, Step, Text, UserTurn, name_of

SAID = {Detail.REDUCED: 300, Detail.COMPACT: 100}
# Whose words a message holds that nobody typed.
OTHERS = {
    "summary": "(a client's summary, not the user's words) ",
    "document": "(a document, not the user's words) ",
    "skill": "(a skill of the client's, not the user's words) ",
    "instructions": "(instructions) ",
}
SPEAKING = ("", "summary", "instructions")
COMMAND = 100  # characters of a command
MOST = {Detail.REDUCED: 1_500, Detail.COMPACT: 600}  # characters of the calls of one step


def entry_line(entry: UserTurn | Step, detail: Detail, read: Callable[[str], str]) -> str:
    """Return an entry as one line, at the detail REDUCED (longer) or COMPACT (shorter). `read`
    returns the text of a page, given its name."""
    if entry.detail >= Detail.REDUCED and not isinstance(entry, Step):
        return _first_clauses(entry.line, detail, len(name_of(entry)) + 2)
    if isinstance(entry, UserTurn):
        whose = f"late result of {entry.call}{entry.about}: " if entry.call else ""
        whose = whose or OTHERS.get(entry.voice, "")
        text = render_text(entry.text, read)
        # What a tool brought is no sentence of anybody's: its head tells most.
        spoken = not entry.source and entry.voice in SPEAKING
        words = _first_clauses(text, detail) if spoken else one_line(text, SAID[detail])
        return f"{name_of(entry)}: {whose}{words}"
    return _step_line(entry, detail)


def _first_clauses(text: str, detail: Detail, name: int = 0) -> str:
    """Return the first clauses of spoken text, within the character limit of `detail`. `name` is
    the length of the entry's name at the start of the text, which is not counted."""
    return beginning_or_notice(text, name + SAID[detail], name + SAID[Detail.REDUCED])


def _step_line(step: Step, detail: Detail) -> str:
    """Return a step as one line: its results in short, or without calls what the model said."""
    name = name_of(step)
    if not step.outcomes:
        if step.detail >= Detail.REDUCED:
            return _first_clauses(step.line, detail, len(name) + 7)
        words = _first_clauses(said_text(step), detail)
        # A reply that was cut off while it reasoned.
        return f"{name} said: {words}" if words else f"{name} said nothing"
    reductions = [outcome.reduction for outcome in step.outcomes]
    if detail is Detail.REDUCED:
        texts = [
            _observation_text(made) + (ARROW + made.outcome_ref if made.outcome_ref else "")
            for made in reductions
        ]
    else:
        texts = [made.compact for made in reductions]
    return f"{name} " + _join_calls(texts, MOST[detail])


def _observation_text(made: Reduction) -> str:
    """Return the observation (one-line summary) of a result, with the whole line of a command."""
    command = made.minimal_args.get("command")
    label, _, rest = made.observation.partition(": ")
    if made.tool != SHELL or not isinstance(command, str) or not command.startswith(label):
        return made.observation
    return f"{one_line(command, COMMAND)}: {rest}"


def _join_calls(texts: list[str], most: int) -> str:
    """Return the texts of a step's calls on one line, cut after `most` characters: "a; b; and 3
    more calls"."""
    spent = 0
    for number, text in enumerate(texts):
        spent += len(text) + 2
        if number and spent > most:
            return f"{'; '.join(texts[:number])}; and {len(texts) - number} more calls"
    return "; ".join(texts)


def texts_by_place(entry: UserTurn | Step) -> Iterator[tuple[Where, int, Text]]:
    """Yield (kind of place, index, text) for each text of an entry. The kinds are "user", "said",
    "result" and "beside" (read ahead, shown beside a result)."""
    if isinstance(entry, UserTurn):
        yield "user", 0, entry.text
        return
    for at, part in enumerate(entry.parts):
        if isinstance(part, Said):
            yield "said", at, part.text
    yield from (("result", at, outcome.text) for at, outcome in enumerate(entry.outcomes))
    yield from (("beside", at, paged.text) for at, paged in enumerate(entry.beside))


def said_text(step: Step) -> str:
    """Return all that the model said in a step, joined by blanks."""
    return " ".join(p.text.body or "" for p in step.parts if isinstance(p, Said))
