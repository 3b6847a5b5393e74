"""`loom replay`: replay recorded sessions through a window and check them. The output is a verdict
in two lines, a table that fits the terminal, and notes."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from rich.text import Text

from loom.cli.exits import BAD, FINE, FOUND, error_text
from loom.cli.output import (
    AsJson,
    can_encode,
    clip,
    console,
    dollars_text,
    fill_width,
    print_result,
    spark_line,
    wrapped_lines,
)
from loom.cli.pricing import prices_by_model
from loom.cli.replay_jobs import check_folders_free, job_session, replay_jobs
from loom.cli.scratch import progress_bar, scratch_folder
from loom.cli.session_choice import chosen_sessions
from loom.cli.text_tables import NAMES, RankedColumn, RankedRow, ranked_table, shorten_middle
from loom.cli.trial import ReplaySetting, Row, run_trial, total_row
from loom.disk import make_private_folders
from loom.errors import BadSession
from loom.providers.prices import DEFAULT
from loom.reduce.lines import plural
from loom.replay.importers import find
from loom.session.turn import Turn
from loom.sizes import WINDOW
from loom.text import escape_invisible

PLOTS_MAX = 3  # more sessions than these are told by the table alone
SKIPPED_MAX = 10
MENDED_MAX = 3
PLOTTED = "ρ, how full each request was, 1.00 is full"


def replay(
    files: Annotated[list[Path] | None, Parameter(name="FILE")] = None,
    /,
    *,
    latest: int | None = None,
    window: int = WINDOW,
    reply: int | None = None,
    preset: Literal["lazy", "graduated", "eager"] = "lazy",
    price: str | None = None,
    prices: Path | None = None,
    out: Path | None = None,
    json: AsJson = False,
) -> int:
    """Replay recorded sessions through a window and check every law at every turn.

    Without FILE it lists the sessions that coding agents recorded on this machine, and asks which
    to take. Each session is compared with the same session without Loom: the whole list of messages
    sent every time.

    Args:
        files: Session files, or folders of them; each file may hold many sessions. They may lie at
            an address (s3://bucket/sessions). A file that cannot be read is skipped and reported;
            where none can be read, that is an error.
        latest: Take the newest N sessions recorded on this machine.
        window: Tokens of the window.
        reply: Tokens of the window that are kept free for the model's reply.
        preset: When detail is lowered: by pressure (lazy), or as soon as a step is no longer
            recent.
        price: Prices of every model: IN,READ,WRITE,OUT in dollars for a million tokens (plain
            input, read from the prompt cache, written to it, output). Without it Loom's list is
            used.
        prices: A JSON file of such prices: beginnings of model names, each with `input`, `output`
            and, if you like, `read`, `write` and `as_of`.
        out: Keep the workspaces, one a session, in this folder.
        json: Print one JSON object instead: `sessions`, `total` and `skipped`. A session has `loom`
            and `plain` (requests, tokens `sent`, of these `read` from the cache and `written` to
            it, the largest as `peak`, `cost` in dollars); `plain` has `overflow_turn`, the first
            request that is larger than the window less the reply (null: all fit), and what was sent
            and paid before it. `output` is what the model wrote, the same for both; `compactions`
            the client's own, `losses` what they lost and what was gone back for; `prices` those of
            its `model`.
    """
    setting = ReplaySetting(window, reply, preset, prices_by_model(price, prices))
    if (chosen := chosen_sessions(files or [], latest, json=json)) is None:
        return BAD
    jobs, skipped = replay_jobs(find(chosen))
    if out is not None:
        make_private_folders(out)
    rows: list[Row] = []
    rho, whole = "ρ" if can_encode(sys.stderr, "ρ") else "rho", sum(job.events for job in jobs)
    with nullcontext(out) if out else scratch_folder("loom-replay-") as home, progress_bar() as bar:
        check_folders_free(jobs, home)
        before = 0  # events of the sessions before
        for job in jobs:

            def watch(done: int, turn: Turn, name: str = job.name, before: int = before) -> None:
                now = f"{rho} {turn.pressure.rho:.2f} {turn.pressure.level}"
                bar(f"{clip(name, 24)} {now}", before + done, whole)

            rows.append(run_trial(job_session(job), home / job.folder, setting, watch))
            before += job.events
    odd = [{"source": str(one.path), "line": one.line, "why": one.why} for one in skipped]
    summed = total_row(rows)
    found = {"sessions": rows, "total": summed, "window": window, "skipped": odd}
    # A broken law is a finding; another error is the caller's to mend.
    broken = any(not one["lawful"] for one in rows)
    code = FOUND if broken else BAD if any(one["error"] for one in rows) else FINE
    return print_result(found, _result_lines(rows, summed, skipped, out), json=json, code=code)


def _result_lines(
    rows: Sequence[Row], total: Row, skipped: Sequence[BadSession], out: Path | None
) -> Iterator[str | Text]:
    """Yield the lines of the output: verdict, table, curves of ρ, notes, and skipped files."""
    width = fill_width(console())
    for text in (_laws_sentence(total), _cost_sentence(total), *_loss_lines(total["losses"])):
        yield from wrapped_lines(text, "", width, below="")
    yield ""
    yield from ranked_table("session", COLUMNS, [*_table_rows(rows, total)], width)
    yield ""
    for row in rows if len(rows) <= PLOTS_MAX else ():
        name = shorten_middle(row["name"], max(width - len(PLOTTED), NAMES))
        yield from wrapped_lines(f"{name}: {PLOTTED}", "", width, below="  ")
        yield spark_line(row["rho"], 1.0, min(len(row["rho"]), width))
        yield ""
    for text in _note_lines(rows, total):
        yield from wrapped_lines(text, "", width, below="  ")
    if out is not None:
        yield f"workspaces kept in {out}"
    yield from skipped_lines(skipped)


def _note_lines(rows: Sequence[Row], total: Row) -> Iterator[str]:
    """Yield lines on broken laws, replaced secrets, differences from the recordings, and prices."""
    for row in rows:
        yield from (f"{row['name']}: {text}" for text in (*row["details"], row["error"]) if text)
    if total["secrets"]:
        yield (
            f"{plural(total['secrets'], 'secret')} replaced by [redacted:…] before anything was"
            " stored or sent; so they are counted, and came back, on both sides"
        )
    for row in rows:
        yield from (f"{row['name']}: {text}" for text in row["lost"])
    mended = [row for row in rows if row["mended"]]
    for row in mended[:MENDED_MAX]:
        more = f" (and {row['mended'] - 1:,} more)" if row["mended"] > 1 else ""
        yield f"{row['name']}: mended as it was read: {row['notes'][0]}{more}"
    if len(mended) > MENDED_MAX:
        yield f"… and {len(mended) - MENDED_MAX:,} more sessions were mended (--json has all)"
    prices = {row["prices"]["model"]: row["prices"] for row in rows}
    for name, of in sorted(prices.items()):
        models = sorted({row["model"] or "not named" for row in rows if row["prices"] == of})
        few = ", ".join([*models[:3], *([f"{len(models) - 3} more"] if len(models) > 3 else [])])
        whose = name if name != DEFAULT else f"models without a price of their own ({few})"
        dated = f" as of {of['as_of']}" if of["as_of"] else ""
        yield (
            f"priced{dated}, dollars for a million tokens, {whose}: input {of['input']:g},"
            f" cached {of['read']:g}, written to the cache {of['write']:g},"
            f" output {of['output']:g}"
        )


def _loss_lines(losses: Sequence[Row]) -> Iterator[str]:
    """Yield a line on what clients' compactions lost in the session with the largest loss, and a
    line on the command that shows more. Yield nothing without losses."""
    if losses:
        most = max(losses, key=lambda row: (row["sums"]["again"], row["sums"]["lost"]))
        named = f"{most['title']}: " if len(losses) > 1 else ""
        yield escape_invisible(f"{named}{most['said']}")
        yield escape_invisible(f"{most['loom']} `loom report` lists all of it.".strip())


def _laws_sentence(total: Row) -> str:
    """Return a sentence on how many laws were broken and how many texts came back unchanged."""
    sessions, requests = plural(total["sessions"], "session"), plural(total["steps"], "request")
    back, texts, broken = total["restored"], total["texts"], sum(total["broken"].values())
    law = f"{plural(broken, 'law')} broken" if broken else "every law kept"
    law += f", {total['error']}" if total["error"] else ""
    which = f"all {texts:,}" if back == texts else f"{back:,} of {texts:,}"
    return f"{sessions}, {requests}: {law}, {which} texts came back byte for byte."


def _cost_sentence(total: Row) -> str:
    """Return a sentence that compares the input cost with Loom and without Loom."""
    plain, ours = total["plain"], dollars_text(total["loom"]["cost"])
    over, turn, cost = plain["overflowed"], plain["overflow_turn"], dollars_text(plain["cost"])
    if not plain["requests"]:
        return "No request was made, or no session ran to its end: no cost is told."
    if not over:
        return f"Without Loom all fit too; input {cost} plain, {ours} with Loom."
    one = total["sessions"] == 1
    brief = f"it overflows at turn {turn}" if one else f"{over} overflow, first at turn {turn}"
    return f"Without Loom {brief}; {ours} with it, endless {cost}."


# Columns in their order: the name, the rank (the higher, the earlier it gives way), then where in a
# row the figure with Loom stands, without it, and of its client's own compactions; and its format.
LEVELS = ("step", "snip", "micro", "collapse", "auto")
TABLE: tuple[tuple[str, int, list[str]], ...] = (
    ("requests", 5, ["loom.requests ,", "plain.requests ,", "compactions.count ,"]),
    ("tokens sent", 4, ["loom.sent ,", "plain.sent ,", "compactions.read ,"]),
    ("input cost", 0, ["loom.cost $", "plain.cost $", "compactions.cost $"]),
    ("full at", 1, ["none ", "full "]),
    ("until full", 2, ["none ", "plain.overflow_cost $"]),
    ("fullest", 7, ["peak .0%"]),
    ("reused", 8, ["reusable .1%", "same .1%"]),
    ("came back", 6, ["back "]),
    ("laws", 3, ["kept "]),
    ("pages", 9, ["pages ,"]),
    ("cuts", 10, ["cuts ,"]),
    ("renewals", 11, ["renewals ,"]),
    *((level, 12 + at, [f"levels.{level} "]) for at, level in enumerate(LEVELS)),
    ("ingested", 20, ["ingested ,"]),
)
COLUMNS = tuple(RankedColumn(name, rank, name) for name, rank, _ in TABLE)


def _table_rows(rows: Sequence[Row], total: Row) -> Iterator[RankedRow]:
    """Yield up to three rows for each session and for the total: with Loom, without Loom, and the
    client's own compactions."""
    names = [row["name"] for row in rows]
    for row in (*rows, total) if len(rows) > 1 else rows:
        name = row.get("name", "total")
        if names.count(name) > 1:
            name = f"{Path(row['source']).parent.name}/{name}"
        plain, broken = row["plain"], sum(row["broken"].values())
        figures = row | {  # those that are made of others
            "none": "-",
            "full": f"turn {plain['overflow_turn']}" if plain["overflow_turn"] else "never",
            "same": plain["read"] / max(plain["sent"], 1),
            "back": f"{row['restored']:,}/{row['texts']:,}",
            "kept": f"{broken} broken" if broken else "stopped" if row["error"] else "kept",
        }
        whose = (name, "  without Loom", "  its compactions")
        for at, label in enumerate(whose if row["compactions"]["count"] else whose[:2]):
            cells = {column: each[at] for column, _, each in TABLE if len(each) > at}
            texts = {column: _cell_text(figures, cell) for column, cell in cells.items()}
            yield RankedRow(label, texts, dim=at > 0)


def _cell_text(row: Row, cell: str) -> str:
    """Return the text of one cell. `cell` has the path of a figure in `row` and a format:
    "loom.cost $"."""
    path, _, form = cell.partition(" ")
    value: Any = row
    for name in path.split("."):
        value = value.get(name, 0)
    return dollars_text(value) if form == "$" else format(value, form)


def skipped_lines(skipped: Sequence[BadSession]) -> Iterator[str]:
    """Yield a line with path and reason for the first SKIPPED_MAX files, and a line on how many
    more were skipped."""
    for error in skipped[:SKIPPED_MAX]:
        place = f"{error.path}:{error.line}" if error.line else f"{error.path}"
        why = error_text(error).removeprefix(escape_invisible(place)).removeprefix(": ")
        yield escape_invisible(f"skipped {place}: {why}")
    if len(skipped) > SKIPPED_MAX:
        yield f"… and {len(skipped) - SKIPPED_MAX:,} more (--json lists all)"
