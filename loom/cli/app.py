"""The command line app: it loads the function of each command, and turns errors into exit codes."""

from __future__ import annotations

import ast
import os
import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path

from cyclopts import App, Parameter

import loom
from loom.cli.exits import FINE, FOUND, INTERRUPTED, PIPE, is_expected, report_error
from loom.cli.output import complain, console, print_traceback

# Where each command is: it is imported when it is asked for, so that a list of commands waits for
# no engine. Its text in the list is the beginning of its own, read from the source.
COMMANDS = (
    "demo.screen:demo", "replay:replay", "stat:stat", "plugin_commands:bench",
    "plugin_commands:fit", "report:report", "context:context", "top:top", "ps:ps", "log:log",
    "sent_requests:show", "sent_requests:diff", "pages:pages", "pages:cat",
    "guides_and_skills:memory", "guides_and_skills:skills", "check:check", "repair:repair",
    "hook:hook", "pin:signal", "pin:pin", "pin:compact", "mcp:statusline", "gc:gc",
    "purge:purge", "mcp:mcp", "doctor.command:doctor", "export_import:export", "serve:serve",
    "export_import:import_",
)  # fmt: skip
# Those that another distribution brings.
BENCH_SUMMARIES = {
    "bench": "Hold ways to keep a window against scenarios, beside one another;"
    " no model is called.",
    "fit": "Fit K and λ of the score to recorded sessions, and say what a policy has to state.",
}


def command_summary(place: str) -> str:
    """Return the first paragraph of a command's docstring as one line, "" if there is none. `place`
    is the command's entry in COMMANDS (`stat:stat`)."""
    module, _, name = place.partition(":")
    if name in BENCH_SUMMARIES:
        return BENCH_SUMMARIES[name]
    path = Path(__file__).parent.joinpath(*module.split(".")).with_suffix(".py")
    for node in ast.parse(path.read_text("utf-8")).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return " ".join((ast.get_docstring(node) or "").partition("\n\n")[0].split())
    return ""


def build_app(asked: str | None) -> App:
    """Return the app with all commands. `asked` is the first word of the command line, or None if
    no help is shown. If `asked` is no command, the help lists all commands with a summary of each.
    """
    made = App(
        name="loom",
        help="Virtual memory for an agent's context window.",
        version=loom.__version__,
        help_format="plaintext",
        default_parameter=Parameter(negative=()),
        suppress_keyboard_interrupt=False,
    )
    names = [place.partition(":")[2].strip("_") for place in COMMANDS]
    for place, name in zip(COMMANDS, names, strict=True):
        # Where no list is shown no text is given: an App of loom-bench would keep it.
        text = None if asked in (*names, None) else command_summary(place)
        made.command(f"loom.cli.{place}", name=name, help=text)
    return made


app = build_app(None)


def main(tokens: Sequence[str] | None = None) -> int:
    """Run a command line (`sys.argv` by default) and return its exit code."""
    given = list(sys.argv[1:] if tokens is None else tokens)
    try:
        code = _run_command_line(given)
        sys.stdout.flush()
    except BrokenPipeError:  # its reader has gone: nothing more is written, not even at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return PIPE
    except KeyboardInterrupt:
        with suppress(OSError):
            complain("interrupted")
        return INTERRUPTED
    except Exception:  # nobody expected it: Python would print its text as it is
        print_traceback(traceback.format_exc())
        return FOUND
    return code


def _run_command_line(given: list[str]) -> int:
    """Run a command line and return its exit code. Expected errors are printed, others are
    raised."""
    with ExitStack() as held:  # what is said of an error names the addresses as well
        elsewhere = any(":" in word for word in given)  # an address, or what was meant for one
        try:
            words = given
            if elsewhere:
                from loom.cli.address_mirrors import words_with_mirrors

                words = held.enter_context(words_with_mirrors(given))
            code = build_app(given[0] if given else "")(
                words,
                console=console(),
                exit_on_error=False,
                print_error=False,
                result_action="return_value",
            )
        except Exception as error:
            if isinstance(error, BrokenPipeError) or not is_expected(error):
                raise
            if elsewhere:
                from loom.cli.address_mirrors import underlying_damage

                error = underlying_damage(error)
            return report_error(error, given, as_json="--json" in given)
        return code if isinstance(code, int) else FINE
