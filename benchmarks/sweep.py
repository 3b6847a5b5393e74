"""`sweep`: sessions at several windows, every request audited, broken laws counted."""

from __future__ import annotations

import time
from typing import Literal

from msgspec.structs import replace

from benchmarks.measures.swept.report import line, sweep_table
from benchmarks.measures.swept.sweep import WINDOWS, jobs_of, replays
from benchmarks.measures.swept.sweep import sessions as found_in
from benchmarks.measures.swept.tally import totals
from benchmarks.options import FromZero, Json, Sessions, Workers, refuse, sizes
from benchmarks.show import Bar, end
from loom.policy import PRESETS
from loom.replay.audit import BROKEN
from loom.replay.importers.unreadable import BadSession


def sweep(
    *,
    sessions: Sessions | None = None,
    windows: str = ",".join(map(str, WINDOWS)),
    preset: Literal["lazy", "graduated", "eager"] = "lazy",
    ageing: Literal["log", "steps"] = "log",
    workers: Workers = 2,
    limit: FromZero = 0,
    working: bool = False,
    project: bool = False,
    heads: str = "0",
    json: Json = False,
) -> int:
    """Replay sessions at several windows and count broken laws.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; without any, generated ones are replayed.
    windows
        Window sizes in tokens, separated by commas.
    preset
        How detail is lowered: by pressure, when it pays or at each mark, or as each step ages.
    ageing
        How the score falls with age.
    limit
        At most this many sessions; 0 is all.
    working
        Declare Loom's tools and keep C_working busy: plan, events, notes, questions, evidence.
    project
        In a project whose AGENTS.md files and skills are three times what a window has for them,
        edited and used all along.
    heads
        Shares of the capacity that instructions take, separated by commas; each is replayed.
    """
    began = time.monotonic()
    try:
        chosen = sizes("--windows", windows)
        given = list(found_in(sessions or (), limit))
        if not given:
            return refuse("--sessions: there is no session there, so nothing was shown")
        policy = replace(PRESETS[preset], ageing=ageing)
        shares = [float(share) for share in heads.split(",")]
        if not all(0 <= share < 1 for share in shares):
            return refuse(f"--heads {heads}: give shares from 0 to less than 1")
        jobs, done = jobs_of(given, chosen, policy, working=working, project=project, heads=shares)
        with Bar("replaying", len(jobs)) as bar:
            for one in replays(jobs, workers):
                bar.advance(1, line(one), loud=bool(one.failed or one.findings.broken))
                done.append(one)
    except ValueError as error:
        return refuse(error)
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    report = totals(done, time.monotonic() - began)
    end(report, [] if json else [sweep_table(report)])
    return int(any(report[law] for law in (*BROKEN, "failed")))
