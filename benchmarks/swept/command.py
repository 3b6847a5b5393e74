"""`sweep`: sessions at several windows, every request audited, broken laws counted.

Replays are independent, so each runs in a process of its own.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Literal

from benchmarks.options import CommandResult, Limit, Sessions, Workers, measuring, sizes
from benchmarks.show import Bar, by_column
from benchmarks.swept.drive import Replayed, SweepSetting, drive
from loom.errors import BadSession
from loom.inputs import Session
from loom.policy import PRESETS
from loom.replay.audit import BROKEN, Findings
from loom.replay.importers import find, load
from loom_bench.errors import BadBench
from loom_bench.pool import spread
from loom_bench.sessions.generate import FLAVOURS, session


def line(one: Replayed) -> str:
    """One replay on one line."""
    found = one.findings
    under = f" under {one.head:g}" if one.head else ""
    said = f"{one.session} at {one.window:,}{under}: {found.turns} turns, peak {found.peak:.2f}"
    if one.refused:
        said += f", refused: {one.refused} is too large"
    if one.failed:
        said += f", FAILED: {one.failed}"
    if found.broken:
        said += f", BROKEN {found.broken}: {'; '.join(found.details[:3])}"
    return said


WINDOWS = (8_192, 16_000, 32_000, 64_000, 128_000)
GENERATED = 15  # sessions, the flavours in turn
ERRORS_MAX = 50
ROUNDED = 4
STEPS = 150  # replies of a generated session


def found(folders: Iterable[Path], limit: int = 0) -> Iterator[Session | Replayed]:
    """The sessions of some folders, generated ones without folders.

    A file that cannot be read comes as a failed replay at window 0.
    """
    names, paths = sorted(FLAVOURS), list(folders)
    made = (session(seed, STEPS, flavour=names[seed % len(names)]) for seed in range(GENERATED))
    read = (one for path in find(paths) for one in _loaded(path))
    return islice(read if paths else made, limit or None)


def _loaded(path: Path) -> Sequence[Session | Replayed]:
    try:
        return load(path)
    except BadSession as error:
        return [Replayed(path.stem, str(path), 0, Findings(), failed=str(error))]


def _driven(job: tuple[Session, SweepSetting]) -> Replayed:
    return drive(*job)


def added(replays: Sequence[Replayed]) -> dict[str, Any]:
    """Some replays as JSON members. `prefix_reuse` is a share of bytes, 0 to 1."""
    found = [one.findings for one in replays]
    levels: Counter[str] = Counter()
    for one in found:
        levels.update(one.levels)

    def of(name: str) -> int:
        return sum(getattr(one, name) for one in found)

    sent, counted = of("sent"), sum(one.counted for one in replays)
    return {
        "sessions": len({(one.source, one.session) for one in replays}),
        "turns": of("turns"),
        **{law: of(law) for law in BROKEN},
        "failed": sum(bool(one.failed) for one in replays),
        "refused": dict(sorted(Counter(one.refused for one in replays if one.refused).items())),
        "prefix_reuse": round(of("reused") / sent, ROUNDED) if sent else 1.0,
        "levels": dict(sorted(levels.items())),
        "renewals": of("renewals"),
        "cuts": of("cuts"),
        "peak": round(max((one.peak for one in found), default=0.0), ROUNDED),
        "mean_tokens": round(sum(one.tokens for one in replays) / counted) if counted else 0,
    }


def totals(replays: Iterable[Replayed], wall: float) -> dict[str, Any]:
    """The JSON object of a sweep: sums over all windows, then each window by itself."""
    given = list(replays)
    windows: dict[tuple[int, float, str], list[Replayed]] = {}
    for one in given:
        windows.setdefault((one.window, one.head, one.column), []).append(one)
    errors = [
        f"{one.session} at {one.column}: {line}"
        for one in given
        for line in (*one.findings.details, *([one.failed] if one.failed else ()))
    ]
    return {
        **added(given),
        "errors": errors[:ERRORS_MAX],
        "wall_s": round(wall, 1),
        "windows": {key[-1]: added(windows[key]) for key in sorted(windows)},
    }


@measuring
def sweep(
    *,
    sessions: Sessions | None = None,
    windows: str = ",".join(map(str, WINDOWS)),
    preset: Literal["lazy", "graduated", "eager"] = "lazy",
    workers: Workers = 2,
    limit: Limit = 0,
    project: bool = False,
    heads: str = "0",
) -> CommandResult:
    """Replay sessions at several windows and count broken laws.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; without any, generated ones are replayed.
    windows
        Window sizes in tokens, separated by commas.
    preset
        How detail is lowered: by pressure, when it pays or at each mark, or as each step ages.
    project
        In a project whose AGENTS.md files and skills are three times what a window has for them,
        edited and used all along.
    heads
        Shares of the capacity that instructions of the host take, by commas; each is replayed.
    """
    began = time.monotonic()
    chosen = sizes("--windows", windows)
    given = list(found(sessions or (), limit))
    if not given:
        raise BadBench("--sessions: there is no session there, so nothing was shown")
    try:
        shares = [float(share) for share in heads.split(",")]
    except ValueError:
        shares = [1.0]
    if not all(0 <= share < 1 for share in shares):
        raise BadBench(f"--heads {heads}: give shares from 0 to less than 1, as 0.3,0.5")
    policy = PRESETS[preset]
    settings = [SweepSetting(size, policy, project, share) for size in chosen for share in shares]
    done = [one for one in given if isinstance(one, Replayed)]
    jobs = [(one, how) for one in given if isinstance(one, Session) for how in settings]
    jobs.sort(key=lambda job: -len(job[0].events))  # no process is left with a long one at the end
    with Bar("replaying", len(jobs)) as bar:
        for one in spread(_driven, jobs, workers):
            bar.advance(1, line(one), loud=bool(one.failed or one.findings.broken))
            done.append(one)
    report = totals(done, time.monotonic() - began)
    missed = [f"{law}: {report[law]}" for law in (*BROKEN, "failed") if report[law]]
    return CommandResult(report, [by_column("Sweep", report["windows"])], missed=missed)
