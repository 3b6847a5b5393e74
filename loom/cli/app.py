"""The app: one command a function, one place where errors become exit codes."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Sequence
from contextlib import ExitStack, suppress

from cyclopts import App, Parameter

import loom
from loom.cli.exits import FINE, FOUND, INTERRUPTED, expected, silenced, told
from loom.cli.show import complain, console, failed

# Where each command is, and how its own text begins: it is imported when it is asked for, so that
# a list of commands waits for no engine.
COMMANDS: dict[str, str] = {
    "demo.screen:demo": "Run a scripted agent in an 8,192-token window and prove that nothing it"
    " read was lost.",
    "replay:replay": "Replay recorded sessions through a window and check every law at every turn.",
    "stat_log:stat": "Show what a workspace holds and how full its window is.",
    "beside:bench": "Hold ways to keep a window against scenarios, beside one another;"
    " no model is called.",
    "beside:fit": "Fit K and λ of the score to recorded sessions, and say what a policy"
    " has to state.",
    "report:report": "Make one page that shows what Loom did with an agent's window, to open in any"
    " browser.",
    "context:context": "Show what fills the window, item by item, in tokens.",
    "top:top": "Watch a workspace live while another process writes it; q or Ctrl-C ends.",
    "ps:ps": "List agents and forks under a workspace folder as a tree: their state, how full each"
    " is.",
    "stat_log:log": "Show the journal, a line for each record, oldest first; or the requests that"
    " were made.",
    "request:show": "Show a request as it was sent, but for arguments the host added.",
    "request:diff": "Show what entered, left or changed between requests N and M, by partition, in"
    " tokens.",
    "pages:pages": "List the pages and snapshots of a workspace; those that were retired say why.",
    "pages:cat": "Print a page (outputs/read_0007.json, read_0007), an entry (step_0012) or what"
    " the dashboard has no room for (working/events.md), whole or in part.",
    "memory:memory": "Show the AGENTS.md files that count in a folder and why, merged, line by"
    " line.",
    "skills:skills": "List the skills found from a folder: in it, above it up to the git root, and"
    " at home.",
    "check:check": "Check a workspace and those below it: files, laws, entries, and last requests.",
    "repair:repair": "Write all that verifies of a damaged workspace into a new folder.",
    "hook:hook": "Give Claude Code short forms of large results, and after a compaction what Loom"
    " holds.",
    "pin:signal": "Put a message in the inbox of a workspace; its agent's heartbeat tells it.",
    "pin:pin": "Keep an entry, a file's text or a line in the window of a session, whatever"
    " leaves.",
    "pin:compact": "Have a session begin a fresh window at its next request; what leaves rests on"
    " pages.",
    "statusline:statusline": "Print a line for Claude Code's status line: how full the window is.",
    "gc:gc": "Let go of pages that nothing live names and whose time is over.",
    "purge:purge": "Take secrets out of a workspace and of all agents below it.",
    "mcp:mcp": "Serve pages to a coding agent over stdio (MCP): page_in, recall, note, plan.",
    "doctor.command:doctor": "Say what is wired and works on this machine, and what to do.",
    "moving:export": "Write a workspace to one archive, byte for byte; or its session as a"
    " provider's messages.",
    "serve:serve": "Stand between agents and providers: each conversation keeps within a window of"
    " its own.",
    "moving:import_": "Make a workspace of an archive, every file as it was; or of a recorded"
    " session.",
}


def app_of(asked: str = "") -> App:
    """The app, with the text of the command `asked` for as that has it, whole."""
    made = App(
        name="loom",
        help="Virtual memory for an agent's context window.",
        version=loom.__version__,
        help_format="plaintext",
        default_parameter=Parameter(negative=()),
        suppress_keyboard_interrupt=False,
    )
    for place, about in COMMANDS.items():
        name = place.partition(":")[2].strip("_")
        made.command(f"loom.cli.{place}", name=name, help=None if name == asked else about)
    return made


app = app_of()


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
    with ExitStack() as held:  # what is said of an error names the addresses as well
        elsewhere = any(":" in word for word in given)  # an address, or what was meant for one
        try:
            words = given
            if elsewhere:
                from loom.cli.elsewhere import placed

                words = held.enter_context(placed(given))
            code = app_of(given[0] if given else "")(
                words,
                console=console(),
                exit_on_error=False,
                print_error=False,
                result_action="return_value",
            )
        except BrokenPipeError:
            raise
        except Exception as error:
            if not isinstance(error, expected()):
                raise
            if elsewhere:
                from loom.cli.elsewhere import damage_of

                error = damage_of(error)
            return told(error, given, as_json="--json" in given)
        return code if isinstance(code, int) else FINE
