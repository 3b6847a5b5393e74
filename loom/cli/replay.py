"""`loom replay`: recorded sessions through a window, audited, summed up in a table."""

from __future__ import annotations

from contextlib import nullcontext
from functools import partial
from pathlib import Path
from typing import Annotated, Literal

from cyclopts import Parameter

from loom.cli.exits import BAD, FINE, FOUND
from loom.cli.found import sessions
from loom.cli.jobs import ReplayJob, check_free, jobs_of, replayed, session_of, telling
from loom.cli.pricing import priced, pricing, total
from loom.cli.replay_report import report
from loom.cli.scratch import scratch
from loom.cli.show import AsJson, end
from loom.cli.trial import Setting, trial
from loom.disk import private_folders
from loom.errors import BadInput
from loom.fleet.processes import cpus
from loom.replay.importers import find
from loom.session.turn import Turn
from loom.sizes import WINDOW


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
    workers: int = 1,
    json: AsJson = False,
) -> int:
    """Replay recorded sessions through a window and check every law at every turn.

    Without FILE it lists those that coding agents recorded on this machine, and asks which. Each is
    told beside what it would have been without Loom: the whole list of messages sent every time.

    Args:
        files: Session files, or folders of them; each file may hold many sessions. They may lie at
            an address (s3://bucket/sessions). A file that cannot be read is skipped and told,
            unless none can.
        latest: Take the newest N sessions recorded on this machine.
        window: Tokens of the window.
        reply: Tokens of it that are kept free for the model's reply.
        preset: When detail is lowered: by pressure (lazy), or as soon as a step is no longer
            recent.
        price: Prices of every model: IN,READ,WRITE,OUT in dollars for a million tokens (plain
            input, read from the prompt cache, written to it, output). Without, Loom's list counts.
        prices: A JSON file of such prices: beginnings of model names, each with `input`, `output`
            and, if you like, `read`, `write` and `as_of`.
        out: Keep the workspaces, one a session, in this folder.
        workers: Processes that replay at the same time, 0 for one a processor. With more than one,
            a session that raises, or whose process is killed, is told as a failure, and the others
            go on.
        json: Print one JSON object instead: `sessions`, `total` and `skipped`. A session has `loom`
            and `plain` (requests, tokens `sent`, of these `read` from the cache and `written` to
            it, the largest as `peak`, `cost` in dollars); `plain` has `overflow_turn`, the first
            request that is larger than the window less the reply (null: all fit), and what was sent
            and paid before it. `output` is what the model wrote, the same for both; `compactions`
            the client's own, `losses` what they lost and what was gone back for; `prices` those of
            its `model`.
    """
    if workers < 0:
        raise BadInput(f"--workers {workers}: give 1 or more, or 0 for one a processor")
    prices_of = pricing(price, prices)
    if (chosen := sessions(files or [], latest, json=json)) is None:
        return BAD
    setting = Setting(window, reply, preset, prices_of)
    jobs, skipped = jobs_of(find(chosen))
    if out is not None:
        private_folders(out)
    with nullcontext(out) if out else scratch("loom-replay-") as home, telling(jobs) as tell:
        check_free(jobs, home)

        def watch(job: ReplayJob, done: int, turn: Turn) -> None:
            tell(job, done, turn.pressure)

        if workers == 1:  # what a session raises ends all
            places = ((job, home / job.folder) for job in jobs)
            ended = [(trial(session_of(job), place, setting, partial(watch, job)), FINE)
                     for job, place in places]  # fmt: skip
        else:
            ended = replayed(jobs, home, setting, tell, workers=workers or cpus())
    rows = [priced(one, prices_of(one.model)) for one, _ in ended]
    odd = [{"source": str(one.path), "line": one.line, "why": one.why} for one in skipped]
    summed = total(rows)
    whole = {"sessions": rows, "total": summed, "window": window, "skipped": odd}
    # A broken law or damage is a finding; another error is the caller's to mend.
    broken = any(code == FOUND or not one.lawful for one, code in ended)
    code = FOUND if broken else BAD if any(one.error for one, _ in ended) else FINE
    return end(whole, report(rows, summed, skipped, out), json=json, code=code)
