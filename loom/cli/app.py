"""The app: one command a function, one place where errors become exit codes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import suppress

from cyclopts import App, Parameter

import loom
from loom.cli.check import check
from loom.cli.context import context
from loom.cli.demo.screen import demo
from loom.cli.exits import EXPECTED, FINE, FOUND, INTERRUPTED, silenced, told
from loom.cli.gc import gc
from loom.cli.memory import memory
from loom.cli.moving import export, import_
from loom.cli.pages import cat, pages
from loom.cli.ps import ps
from loom.cli.purge import purge
from loom.cli.repair import repair
from loom.cli.replay import replay
from loom.cli.request import diff, show
from loom.cli.show import complain, console, failed
from loom.cli.signal import signal
from loom.cli.skills import skills
from loom.cli.stat_log import log, stat
from loom.cli.top import top

app = App(
    name="loom",
    help="Virtual memory for an agent's context window.",
    version=loom.__version__,
    help_format="plaintext",
    default_parameter=Parameter(negative=()),
    suppress_keyboard_interrupt=False,
)
COMMANDS = (
    demo, replay, stat, context, top, ps, log, show, diff, pages, cat, memory, skills, check,
    repair, signal, gc, purge, export, import_,
)  # fmt: skip
for command in COMMANDS:
    app.command(command)


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command line (`sys.argv` when None is given) and return its exit code."""
    given = list(sys.argv[1:] if tokens is None else tokens)
    try:
        code = _run(given)
        sys.stdout.flush()
    except BrokenPipeError:
        return silenced()
    except KeyboardInterrupt:
        with suppress(OSError):
            complain("interrupted")
        return INTERRUPTED
    except Exception:  # nobody expected it: Python would print its text as it is
        failed(traceback.format_exc())
        return FOUND
    return code


def _run(given: list[str]) -> int:
    try:
        code = app(
            given,
            console=console(),
            exit_on_error=False,
            print_error=False,
            result_action="return_value",
        )
    except BrokenPipeError:
        raise
    except EXPECTED as error:
        return told(error, as_json="--json" in given)
    return code if isinstance(code, int) else FINE
