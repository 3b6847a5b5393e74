"""`calibration`: predicted sizes of requests beside those that providers reported."""

from __future__ import annotations

from itertools import islice

from benchmarks.measures.calibrated.predicted import FIRST, HALVES, Measured, measure, reported
from benchmarks.measures.calibrated.report import TARGETS, calibration_table, figures, line, missed
from benchmarks.options import FromZero, Json, Sessions, refuse
from benchmarks.show import end, on_stderr
from loom.replay.importers.unreadable import BadSession


def calibration(
    *,
    sessions: Sessions,
    model: str = "claude",
    limit: FromZero = 0,
    json: Json = False,
) -> int:
    """Predict the reported size of every recorded request, and compare.

    Parameters
    ----------
    sessions
        Files or folders of recorded sessions; those without reported sizes are passed over.
    model
        The model of sessions that do not name it.
    limit
        At most this many sessions; 0 is all.
    """
    measured: list[Measured] = []
    try:
        for session, marks in islice(reported(sessions), limit or None):
            measured.append(measure(session, marks, model))
            on_stderr(f"{len(measured)} {session.name}: {line(measured[-1])}")
    except BadSession as error:
        return refuse(f"--sessions: {error}")
    if not any(one.calls[FIRST:] for one in measured):
        return refuse(f"--sessions: none reports the sizes of more than {FIRST} requests")
    halves = {half: [one for one in measured if one.half == half] for half in HALVES}
    report = figures(measured)
    parts = {half: figures(halves[half]) for half in halves if halves[half]}
    end({**report, "halves": parts}, [] if json else [calibration_table(measured)])
    for name in missed(report):
        on_stderr(f"{name} {report[name]} is not below {TARGETS[name]}")
    return int(bool(missed(report)))
