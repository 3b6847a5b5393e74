"""The mechanisms of the window: a sentence each, the modules it lives in, what stands without it.

A mechanism enters with a figure on sessions it was not made on, and leaves when no judge would miss
it. FRAME are the modules that no judge can do without: the ladder, a cut's input, a digest's form.
Where there is a next simpler form it stands in place of a crude "off" (`verdict`, `named`): "off"
alone makes a mechanism look vital that a simpler one would serve as well.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

from msgspec import Struct


class Mechanism(Struct, frozen=True):
    """One mechanism. `without` gives what stands in place of which function, by its dotted name."""

    name: str
    sentence: str
    modules: tuple[str, ...]
    without: Mapping[str, Any]


def _nothing(*given: Any, **named: Any) -> None:
    """Do nothing."""


def _none(*given: Any, **named: Any) -> list[Any]:
    return []


def _same(given: Any, *more: Any, **named: Any) -> Any:
    return list(given)


def _given(given: Any, *more: Any) -> Any:
    return given


def _unasked(*given: Any, **named: Any) -> str:
    return ""


COMPRESS, REDUCE = "loom.compress.", "loom.reduce."
WORTH, DIGEST = COMPRESS + "worth.", COMPRESS + "digest."
MECHANISMS: tuple[Mechanism, ...] = (
    Mechanism(
        "read-ahead",
        "What left the window and is in use again comes back before it is missed.",
        ("compress.worth.ahead", "compress.worth.repeats"),
        {"loom.session.read_ahead.ReadAhead.ahead": lambda survey, window, *a, **k: ((), window)},
    ),
    Mechanism(
        "touches",
        "A slice is used anew when its file is named or edited.",
        ("compress.worth.acts",),
        {WORTH + "working_set.WorkingSet._touched_units": lambda catalog, touch: {}},
    ),
    Mechanism(
        "relevance",
        "A slice is worth more when it shares rare words with what is being done now.",
        ("compress.worth.focus", "compress.worth.identifiers"),
        {WORTH + "worth.relevance_of_rows": lambda catalog, wanted, rows: 0.0},
    ),
    Mechanism(
        "supersession",
        "What a later call read, wrote or ran again is known by that call alone.",
        ("compress.worth.superseded", "compress.worth.edited"),
        {WORTH + "working_set.WorkingSet._supersede": _nothing},
    ),
    Mechanism(
        "previews",
        "Of a text that came in as a preview the first cut chooses lines.",
        ("compress.worth.residency",),
        {WORTH + "residency.is_in_preview": lambda entry, unit: False},
    ),
    Mechanism(
        "named",
        "Of large JSON the members of lists that the goal names stay (without: the first ones).",
        ("reduce.named_members",),
        {REDUCE + "named_members.pick_named": _given},
    ),
    Mechanism(
        "verdict",
        "How a command ended is read from what it printed (without: its exit code alone).",
        ("reduce.verdict",),
        dict.fromkeys(
            (REDUCE + "result_facts.verdict", "benchmarks.verdicts.verdict"),
            lambda command, output, code, error: (
                f"fails (exit {code})" if code else "fails" if error else "passes"
            ),
        ),
    ),
    Mechanism(
        "model said",
        "What the model said and thought stands in the digest, long texts from both ends.",
        ("reduce.reply_facts",),
        {REDUCE + "reply_facts._from_both_ends": _none},
    ),
    Mechanism(
        "lost thoughts",
        "What steps that stay thought stands in the digest, once a cut took their reasoning.",
        (),
        {DIGEST + "digest.lost_thoughts": _none},
    ),
    Mechanism(
        "ranks",
        "Of the user's words rules and first lines are kept first (without: the newest).",
        ("compress.digest.ranking", "reduce.clauses"),
        {DIGEST + "ranking.keeping_ranks": lambda facts: [0] * len(facts)},
    ),
    Mechanism(
        "answers",
        "A message of a few words stands with the question it answers.",
        (),
        {DIGEST + "entry_facts._answered_question": _unasked},
    ),
    Mechanism(
        "ids",
        "The ids that results gave and calls used stand as words.",
        ("reduce.entities",),
        {REDUCE + "reply_facts.opaque_ids": _none},
    ),
    Mechanism(
        "closed",
        "A failed check is over when its program passed on everything later.",
        ("compress.digest.check_facts",),
        {DIGEST + "current_facts.close_failures": _same},
    ),
)
NAMES = {one.name: one for one in MECHANISMS}
# What no window does without, and why.
FRAME: Mapping[str, tuple[str, ...]] = {
    "the levels, and what a cut is made of": (
        "compress.auto", "compress.blame", "compress.choice",
        "compress.duplicates", "compress.entry_line", "compress.entry_memo", "compress.ladder",
        "compress.media", "compress.newest_entries", "compress.layout_parts", "compress.prefix",
        "compress.renew",
        "compress.cut_input", "compress.slicing", "compress.snip", "compress.step",
    ),
    "the working set: units, their places, sizes and score": (
        "compress.worth.working_set", "compress.worth.unit_columns", "compress.worth.file_names",
        "compress.worth.fitted", "compress.worth.slices",
        "compress.worth.unit_index", "compress.worth.entry_units", "compress.worth.worth",
    ),
    "a digest: facts brought together, grouped, written": (
        "compress.digest.entry_facts", "compress.digest.digest",
        "compress.digest.digest_body",
        "compress.digest.fact_groups",
        "compress.digest.fact_lines",
        "compress.digest.current_facts",
        "reduce.result_facts", "reduce.user_facts", "reduce.tasks",
        "reduce.client_notes",
    ),
    "the documents' rules by tool, and what they read": (
        "reduce.aliases", "reduce.arguments", "reduce.json_budget", "reduce.shell_commands",
        "reduce.default_rule",
        "reduce.effects", "reduce.pasted_lines", "reduce.file_rules", "reduce.hits", "reduce.lines",
        "reduce.located", "reduce.preview", "reduce.programs", "reduce.rule",
        "reduce.rules", "reduce.shell_script", "reduce.shell_rule", "reduce.shell_tokens",
        "reduce.web_rules",
    ),
    "asked for by a host: its own model sums up": ("reduce.summarize", "reduce.summary"),
}  # fmt: skip


@contextmanager
def switched_off(names: tuple[str, ...]) -> Iterator[None]:
    """Everything as it is, but without the mechanisms of these names."""
    with ExitStack() as stack:
        for name in names:
            for target, made in NAMES[name].without.items():
                stack.enter_context(patch(target, made))
        yield
