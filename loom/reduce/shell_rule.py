"""The rule for shells: command, exit code, line count, and what failed."""

from __future__ import annotations

import re
from typing import Any

from loom.lazy import lazy_re
from loom.reduce.arguments import first_present, integer_or_none, small_scalar
from loom.reduce.lines import count_lines, failure_line, plural, refusal_reason
from loom.reduce.rule import BARE, ENDED, REFUSED, Observation, ToolResult, fill_template
from loom.reduce.shell_commands import parse_command
from loom.reduce.verdict import DONE, STARTED, UNKNOWN, verdict
from loom.reduce.verdict import is_failed as fails
from loom.text import one_line

OUTPUT = 500  # characters of output that stay without a page
LABEL = 72  # characters of a command in an observation

COMMAND_KEYS = ("command", "cmd", "script", "commands", "code", "input", "shell_command")
EXIT_KEYS = ("exit_code", "exitCode", "returncode", "return_code", "exit_status", "code", "status")
OUT_KEYS = ("stdout", "output", "out", "result", "content", "text", "aggregated_output")
ERR_KEYS = ("stderr", "err", "error")

# A line that is nothing but a report of the exit code.
_EXIT = lazy_re(
    r"^[\[(<]?(?:the |your )?(?:command |process |script )?(?:completed |finished |failed )?"
    r"(?:with )?(?:exited(?: with)?(?: code| status)?|exit(?: code| status)|exit_code|"
    r"return ?code|(?<=[\[(<])exit)[ \t]{0,4}[:=>]?[ \t]{0,4}(-?\d{1,5})"
    r"(?:[.\])> \t\r]{0,4}|</return ?code>\s*)$",
    re.IGNORECASE | re.MULTILINE,
)
NOT_RUN = "not run"  # what came of a command that was turned down
_ENDED = {UNKNOWN: "outcome not seen", STARTED: "started in the background"}
_MARGIN = 400  # characters at either end of an output where a tool reports the exit code
_WRAPPERS = frozenset(("-c", "-lc", "-ic", "/c", "-Command"))


def command_rule(given: ToolResult) -> Observation:
    """Return the observation (one-line summary) of a shell command: the command, its exit code and
    the number of lines printed, with the failing lines of a failure."""
    command = command_of_call(given.arguments) or one_line(
        given.raw if not given.arguments else "", 400
    )
    out, err, code = output_and_exit_code(given.payload, given.text)
    line = parse_command(command)
    came = verdict(line, f"{out}\n{err}", code, given.error)
    failed = given.error or bool(code) or fails(came)
    # Where nobody gave a code, what was printed may say that it failed.
    exit_code = code if code is not None else int(given.error)
    own = not line.masked and came not in _ENDED  # no error: then it is 0
    refused = given.error and code is None and refusal_reason(out, True) is not None
    if refused:
        came = NOT_RUN
    known = (bool(exit_code) and not refused) or (not failed and (code is not None or own))
    ended = f"exit {exit_code}" if known else _ENDED.get(came, "" if came == DONE else came)
    count = plural(count_lines(out) + count_lines(err), "line")
    said = command or "?"
    label = _command_label(command)
    return Observation(
        subject=_line_without_exit_code(said, ended),
        text=f"{label}: {f'{ended}, ' if ended else ''}{count} output",
        args={"command": command} if command else {},
        fields={"command": said, "exit_code": str(exit_code)} if known else {},
        page=len(out) + len(err) > OUTPUT,
        failure=failure_line(err if err.strip() else out) if failed else "",
        judged=True,
    )


def _line_without_exit_code(command: str, ended: str) -> str:
    """Return the line for a command whose exit code is not known: "Ran `make` (started in the
    background)". `ended` says how the command ended, "" for unknown."""
    template = REFUSED if ended == NOT_RUN else ENDED if ended else BARE
    return fill_template(template, {"command": command, "ended": ended})


def command_of_call(arguments: dict[str, Any]) -> str:
    """Return the command line in the arguments of a call, "" for none: the script of `["bash",
    "-lc", script]`."""
    command = first_present(arguments, COMMAND_KEYS)
    if isinstance(command, list):
        words = [word for word in command if isinstance(word, str)]
        wrapped = len(words) >= 3 and words[1] in _WRAPPERS
        command = " ".join(words[2:] if wrapped else words)
    if not isinstance(command, str):
        return ""
    more = arguments.get("args")
    if isinstance(more, list):
        more = " ".join(str(small_scalar(word)) for word in more)
    return f"{command} {more}".strip() if isinstance(more, str) and more else command.strip()


def output_and_exit_code(payload: Any, text: str) -> tuple[str, str, int | None]:
    """Return (output, error output, exit code) of a shell's result, None for an unknown exit code.
    `payload` is the JSON in the result `text`, None for none."""
    if not isinstance(payload, dict) or first_present(payload, OUT_KEYS + ERR_KEYS) is None:
        code, body = _split_exit_report(text)
        return body, "", code
    out, err = first_present(payload, OUT_KEYS), first_present(payload, ERR_KEYS)
    inner = payload.get("metadata")
    code = _exit_code_member(payload)
    if code is None and isinstance(inner, dict):
        code = _exit_code_member(inner)
    return out if isinstance(out, str) else "", err if isinstance(err, str) else "", code


def _exit_code_member(members: dict[str, Any]) -> int | None:
    """Return the exit code in an object; None for none."""
    return integer_or_none(first_present(members, EXIT_KEYS))


def _split_exit_report(text: str) -> tuple[int | None, str]:
    """Return (exit code, rest of `text`) if a line near its beginning or end says the exit code;
    else (None, `text`)."""
    edge = max(_MARGIN, len(text) - _MARGIN)
    marks = _EXIT.match(text) or _EXIT.search(text, 0, _MARGIN) or _EXIT.search(text, edge)
    if marks is None:
        return None, text
    return int(marks[1]), text[: marks.start()] + text[marks.end() :].removeprefix("\n")


def _command_label(command: str) -> str:
    """Return the words of a command before its first option: "git log -n 5" → "git log"."""
    words = one_line(command.split("\n", 1)[0], 4 * LABEL).split(" ")
    options = (at for at, word in enumerate(words) if at and word.startswith("-"))
    return one_line(" ".join(words[: next(options, len(words))]), LABEL) or "command"
