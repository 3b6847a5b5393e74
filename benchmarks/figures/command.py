"""`figures`: the figures that the documentation states and anybody can measure, a row each.

A run is a command of `python -m benchmarks` whose last line on stdout is one JSON object. None of
these needs more than this repository holds; together they take about a minute of one core.

`<!-- figure NAME -->94 %<!-- /figure -->` holds one number, within a line. `<!-- figures RUN -->`
and `<!-- /figures -->` on lines of their own hold a table of all figures of a run.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Mapping
from functools import reduce
from math import isclose
from operator import getitem
from pathlib import Path
from typing import Any

from msgspec import Struct

from benchmarks.options import CommandResult, measuring
from benchmarks.show import Bar, by_row
from loom_bench.errors import BadBench


class Figure(Struct, frozen=True):
    """A number that a page states.

    name: what a page calls it by, `<!-- figure NAME -->`.
    run: the run of `RUNS` that measures it; path: the keys that lead to it in its report.
    form: how a page writes it, for `str.format`; about: what it is, as a row of a table says it.
    """

    name: str
    run: str
    path: str
    form: str
    about: str


RUNS: dict[str, tuple[str, ...]] = {
    "sweep": ("sweep", "--limit", "2", "--windows", "8192,32000", "--workers", "1"),
    "ask": ("ask", "--seeds", "1", "--first", "60", "--held-out"),
    "seeds": ("seeds",),
    "tools": ("tools",),
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
FIGURES: tuple[Figure, ...] = tuple(Figure(*row) for row in (
    ("requests", "sweep", "turns", "{:,}", "requests made and checked"),
    *((law, "sweep", law, "{:,}", about) for law, about in _BROKEN.items()),
    *(
        (f"{short}_{size}", "sweep", f"windows {size} {key}", form,
         f"{about}, window of {int(size):,} tokens")
        for size in ("8192", "32000")
        for short, key, form, about in (
            ("mean_tokens", "mean_tokens", "{:,}", "tokens of a request, on average"),
            ("reuse", "prefix_reuse", "{:.0%}", "share of a request that begins as the one before"),
            ("cuts", "cuts", "{:,}", "times the window was shortened"),
            ("renewals", "renewals", "{:,}", "of these, renewals"),
        )
    ),
    ("questions", "ask", "8192 loom questions", "{:,}",
     "questions asked about a session, at each capacity"),
    *(
        (f"ask_{keeper}_{size}", "ask", f"{size} {keeper} right", "{:.1%}",
         f"answered right from {about}, capacity {int(size):,} tokens")
        for keeper, about in _KEEPERS.items()
        for size in ("8192", "16000")
    ),
    ("step", "seeds", "tokens_per_step", "{:g}", "tokens of a reduced step"),
    ("ten_steps", "seeds", "tokens_10_steps", "{:,}", "tokens of ten mixed steps"),
    ("ten_even", "seeds", "tokens_10_even_steps_most", "{:,}",
     "tokens of ten even steps, at most"),
    ("reads", "seeds", "saved_5_reads", "{:.0%}", "saved of five file reads, once they are old"),
    ("searches", "seeds", "saved_10_searches", "{:.0%}",
     "saved of ten searches, once they are old"),
    ("twenty", "seeds", "saved_20_steps", "{:.0%}",
     "saved of a history of 20 steps, once they are old"),
    ("reads_recent", "seeds", "saved_5_reads_with_recent", "{:.0%}",
     "saved of five reads, the last three steps in full"),
    ("searches_recent", "seeds", "saved_10_searches_with_recent", "{:.0%}",
     "saved of ten searches, the last three steps in full"),
    ("twenty_recent", "seeds", "saved_20_steps_with_recent", "{:.0%}",
     "saved of 20 steps, the last three in full"),
    ("recovered", "seeds", "recovered", "{:.0%}",
     "of what was put on pages came back when it was asked for"),
    ("failed_lookups", "seeds", "tool_error_rate", "{:.0%}", "of the look-ups failed"),
    ("tools_all", "tools", "formats openai all", "{:,}", "tokens of 60 declared tools"),
    ("tools_few", "tools", "formats openai level_1_and_find_tool", "{:,}",
     "tokens of 10 of them and the two tools that find the rest"),
    ("tools_found", "tools", "found_in_5", "{:.0%}",
     "of searches that name the tool meant among the first five"),
))  # fmt: skip


def command_of(run: str) -> str:
    """The command line of a run, as a reader types it."""
    return " ".join(("python -m benchmarks", *RUNS[run]))


ROOT = Path(__file__).resolve().parents[2]
HERE = "benchmarks/figures"
WRITTEN = ROOT / "docs" / "figures.json"

# A workspace draws its mark by chance, and so may the counts of tokens differ a little.
TOLERANCE = 0.02

Measured = dict[str, dict[str, Any]]  # name → value, shown, about, command


def report_of(run: str) -> dict[str, Any]:
    """The JSON object that a run of `RUNS` ends with. Raises BadBench when it fails."""
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks", *RUNS[run]],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise BadBench(f"{command_of(run)}: exit code {done.returncode}: {done.stderr[-600:]}")
    made: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return made


def figures_of(run: str, report: Mapping[str, Any]) -> Measured:
    """The figures of one run's report, as docs/figures.json holds them."""
    found: Measured = {}
    for one in FIGURES:
        if one.run == run:
            value = reduce(getitem, one.path.split(), report)
            shown = one.form.format(value).replace("%", " %").replace(".0 %", " %")
            told = {"value": value, "shown": shown, "about": one.about}
            found[one.name] = {**told, "command": command_of(run)}
    return found


def written() -> Measured:
    """What docs/figures.json holds; nothing where it is not there yet."""
    if not WRITTEN.exists():
        return {}
    made: Measured = json.loads(WRITTEN.read_text("utf-8"))["figures"]
    return made


def write(figures: Measured) -> None:
    """Write docs/figures.json, in the order of `FIGURES`."""
    kept = {one.name: figures[one.name] for one in FIGURES if one.name in figures}
    WRITTEN.write_text(json.dumps({"figures": kept}, indent=1, ensure_ascii=False) + "\n", "utf-8")


def differing(fresh: Measured, kept: Measured) -> list[str]:
    """The fresh figures that are not within `TOLERANCE` of what is written down, a line each."""
    found = []
    for name, one in fresh.items():
        was, now = kept.get(name, {}).get("value"), one["value"]
        if was is None or not isclose(now, was, rel_tol=TOLERANCE):
            found.append(f"{name}: {was} is written down, measured is {now}")
    return found


ONE = re.compile(r"(<!-- figure (\w+) -->)(.*?)(<!-- /figure -->)")
TABLE = re.compile(
    r"^(<!-- figures (\w+) -->\n)((?:(?!<!-- figures ).*\n)*?)(<!-- /figures -->)", re.MULTILINE
)


def pages() -> list[Path]:
    """The Markdown files that may state figures."""
    return [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]


def filled(text: str, figures: Measured, place: str = "") -> str:
    """The text with every figure as measured. Raises BadBench for a name nobody measures."""

    def put(found: re.Match[str]) -> str:
        start, name, _, end = found.groups()
        table = start.endswith("\n")
        if name not in (RUNS if table else figures):
            what = "run" if table else "figure"
            raise BadBench(f"{place}: {start.strip()}: no {what} has this name; see {HERE}")
        return start + (rows(name, figures) if table else figures[name]["shown"]) + end

    return TABLE.sub(put, ONE.sub(put, text))


def rows(run: str, figures: Measured) -> str:
    """The table of a run's figures, with its command above."""
    head = [f"`{command_of(run)}`", "", "| what | measured |", "|---|---|"]
    told = [one for one in FIGURES if one.run == run and one.name in figures]
    lines = [f"| {one.about} | {figures[one.name]['shown']} |" for one in told]
    return "\n".join(["", *head, *lines, "", ""])


def fill(figures: Measured) -> list[str]:
    """Write the figures into every page; returns the pages that changed."""
    changed = []
    for page in pages():
        name, before = str(page.relative_to(ROOT)), page.read_text("utf-8")
        if (after := filled(before, figures, name)) != before:
            page.write_text(after, "utf-8")
            changed.append(name)
    return changed


@measuring
def figures(*runs: str, check: bool = False) -> CommandResult:
    """Measure the figures that README.md and docs/ state, and write them into the pages.

    Exit code 1 when `--check` finds one that differs by more than 2 %.

    Parameters
    ----------
    runs
        Those to measure: sweep, ask, seeds, tools; all without any.
    check
        Compare with docs/figures.json and write nothing.
    """
    if unknown := sorted({*runs} - {*RUNS}):
        raise BadBench(f"{unknown[0]!r} is no run: give some of {', '.join(RUNS)}")
    fresh: Measured = {}
    with Bar("measuring", len(runs or RUNS)) as bar:
        for run in runs or RUNS:
            fresh |= figures_of(run, report_of(run))
            bar.advance(1, run)
    kept = written()
    off = differing(fresh, kept)
    changed: list[str] = []
    if not check:
        write(kept | fresh)
        changed = fill(kept | fresh)
    shown = {one["about"]: one for one in fresh.values()}
    made = by_row("Figures of the documentation", shown, {"shown": "measured"})
    report = {"figures": len(fresh), "differ": off, "changed": changed}
    return CommandResult(report, [made], missed=off if check else ())
