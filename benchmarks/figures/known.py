"""The figures that the documentation states and anybody can measure: a row each.

A run is a command of `python -m benchmarks` whose last line on stdout is one JSON object. None of
these needs more than this repository holds; together they take about a minute of one core.
"""

from __future__ import annotations

from msgspec import Struct


class Figure(Struct, frozen=True):
    """A number that a page states.

    name: what a page calls it by, `<!-- figure NAME -->`.
    run: the run of `RUNS` that measures it; path: the keys that lead to it in that run's report.
    form: how a page writes it, for `str.format`; about: what it is, as a row of a table says it.
    """

    name: str
    run: str
    path: tuple[str, ...]
    form: str
    about: str


RUNS: dict[str, tuple[str, ...]] = {
    "sweep": ("sweep", "--limit", "2", "--windows", "8192,32000", "--workers", "1"),
    "ask": ("ask", "--seeds", "1", "--first", "60", "--held-out"),
    "seeds": ("seeds",),
    "tools": ("tools",),
    "agents_md": ("agents_md", "--steps", "40", "--windows", "32000"),
}

_KEEPERS = {
    "loom": "Loom",
    "tail": "the newest messages alone",
    "head_tail": "the first and the newest messages",
    "clear_tools": "all messages, old tool results cleared",
    "summary_stub": "a stub of a summary",
}
_BROKEN = {
    "over_budget": "requests over the capacity",
    "orphans": "calls without a result or results without a call",
    "mistyped": "requests that a type of a provider's SDK refuses",
    "unrestorable": "texts that did not come back byte for byte",
    "prefix_broken_between_cuts": "requests that rewrote the one before without a cut",
    "reopen_differs": "sessions that went on with another request after a restart",
}
_REUSED = "share of a request that begins as the one before"
_WINDOWS = ("8192", "32000")
_LOADERS = {"loom": "Loom", "claude": "Claude Code", "codex": "Codex", "gemini": "Gemini CLI"}

FIGURES: tuple[Figure, ...] = (
    Figure("requests", "sweep", ("turns",), "{:,}", "requests made and checked"),
    *(Figure(law, "sweep", (law,), "{:,}", about) for law, about in _BROKEN.items()),
    *(
        Figure(f"{short}_{size}", "sweep", ("windows", size, key), form,
               f"{about}, window of {int(size):,} tokens")
        for size in _WINDOWS
        for short, key, form, about in (
            ("mean_tokens", "mean_tokens", "{:,}", "tokens of a request, on average"),
            ("reuse", "prefix_reuse", "{:.0%}", _REUSED),
            ("cuts", "cuts", "{:,}", "times the window was shortened"),
            ("renewals", "renewals", "{:,}", "of these, renewals"),
        )
    ),
    Figure("questions", "ask", ("8192", "loom", "questions"), "{:,}",
           "questions asked about a session, at each capacity"),
    *(
        Figure(f"ask_{keeper}_{size}", "ask", (size, keeper, "right"), "{:.1%}",
               f"answered right from {about}, capacity {int(size):,} tokens")
        for keeper, about in _KEEPERS.items()
        for size in ("8192", "16000")
    ),
    Figure("step", "seeds", ("tokens_per_step",), "{:g}", "tokens of a reduced step"),
    Figure("ten_steps", "seeds", ("tokens_10_steps",), "{:,}", "tokens of ten mixed steps"),
    Figure("ten_even", "seeds", ("tokens_10_even_steps_most",), "{:,}",
           "tokens of ten even steps, at most"),
    Figure("reads", "seeds", ("saved_5_reads",), "{:.0%}",
           "saved of five file reads, once they are old"),
    Figure("searches", "seeds", ("saved_10_searches",), "{:.0%}",
           "saved of ten searches, once they are old"),
    Figure("twenty", "seeds", ("saved_20_steps",), "{:.0%}",
           "saved of a history of 20 steps, once they are old"),
    Figure("reads_recent", "seeds", ("saved_5_reads_with_recent",), "{:.0%}",
           "saved of five reads, the last three steps in full"),
    Figure("searches_recent", "seeds", ("saved_10_searches_with_recent",), "{:.0%}",
           "saved of ten searches, the last three steps in full"),
    Figure("twenty_recent", "seeds", ("saved_20_steps_with_recent",), "{:.0%}",
           "saved of 20 steps, the last three in full"),
    Figure("recovered", "seeds", ("recovered",), "{:.0%}",
           "of what was put on pages came back when it was asked for"),
    Figure("failed_lookups", "seeds", ("tool_error_rate",), "{:.0%}",
           "of the look-ups failed"),
    Figure("tools_all", "tools", ("formats", "openai", "all"), "{:,}",
           "tokens of 60 declared tools"),
    Figure("tools_few", "tools", ("formats", "openai", "level_1_and_find_tool"), "{:,}",
           "tokens of 10 of them and the two tools that find the rest"),
    Figure("tools_found", "tools", ("found_in_5",), "{:.0%}",
           "of searches that name the tool meant among the first five"),
    *(
        Figure(f"{short}_{key}", "agents_md", ("windows", "32000", name, path), form,
               f"{about}: {name}")
        for short, name in _LOADERS.items()
        for key, path, form, about in (
            ("fit", "fit_in_force", "{:.1%}", "rules in force where all of them fit"),
            ("edits", "fit_edits", "{:.1%}", "edits of a rule in force by the next turn"),
            ("stale", "stale", "{:,}", "rules shown that do not apply (any more)"),
            ("per_rule", "tokens_per_rule", "{:.1f}", "tokens for each rule in force"),
            ("reused", "prefix_reuse", "{:.0%}", _REUSED),
        )
    ),
)  # fmt: skip


def command_of(run: str) -> str:
    """The command line of a run, as a reader types it."""
    return " ".join(("python -m benchmarks", *RUNS[run]))
