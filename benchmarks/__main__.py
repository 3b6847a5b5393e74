"""`python -m benchmarks NAME`: the last line on stdout is one JSON object, progress on stderr.

The exit code is 0 when every law held and every figure was reached, else 1.
"""

from __future__ import annotations

import sys
import traceback
from types import TracebackType

from cyclopts import App

from benchmarks.ablate.command import ablate
from benchmarks.ask import ask
from benchmarks.calibration import calibration
from benchmarks.carryover import carryover
from benchmarks.documented.seeds import seeds
from benchmarks.figures.command import figures
from benchmarks.figures.picture import picture
from benchmarks.fit import fit
from benchmarks.longterm import longterm
from benchmarks.lost import lost
from benchmarks.needs import needs
from benchmarks.scale import scale
from benchmarks.speed import speed
from benchmarks.swept.command import sweep
from benchmarks.takeover import takeover
from benchmarks.tools import tools
from benchmarks.truth import truth
from benchmarks.verdicts import verdicts
from loom.cli.output import print_traceback
from loom.text import escape_invisible_lines

app = App(
    name="benchmarks",
    help="Measure Loom: laws under pressure, and the seed's figures.",
    error_formatter=lambda error: escape_invisible_lines(str(error)),
)
COMMANDS = (
    sweep, seeds, calibration, needs, takeover, ablate, carryover, lost, longterm, fit, tools,
    truth, ask, verdicts, speed, scale, figures, picture,
)  # fmt: skip
for one in COMMANDS:
    app.command(one)


def _hook(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Print what nobody expected; Python would print its text as it is."""
    print_traceback("".join(traceback.format_exception(kind, error, trace)))


if __name__ == "__main__":
    sys.excepthook = _hook
    sys.exit(app())
