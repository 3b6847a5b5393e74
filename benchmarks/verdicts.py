"""Verdicts: command lines that are really run, and what their output makes of the check in them.

A stand-in for a checker stands first on the PATH, prints what it is told to and ends as it is told
to, so the truth is known: it passed, it failed, or it never ran. Each line is told three times, as
clients do: with its exit code, with the word that it failed, with its output alone.
"""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import NamedTuple

from benchmarks.driven import gathered
from benchmarks.options import CommandResult, FromOne, Workers, measuring
from benchmarks.show import by_row
from loom.reduce.shell_commands import parse_command
from loom.reduce.verdict import FAILS, PASSES, verdict

CHECK = "pytest -q"
# What the checker prints, and its exit code.
ENDINGS = (
    ("===== 3 passed in 0.1s =====", 0),
    ("FAILED t.py::a\n===== 1 failed, 2 passed in 0.1s =====", 1),
    ("3 passed in 0.1s\nFAIL Required test coverage of 90% not reached", 1),
    ("", 0),
    ("", 1),
    ("something is wrong here", 1),
    ("checked 7 things", 0),
    ("no tests ran in 0.01s", 5),
)
BEFORE = (
    *("", "", "", "cd . && ", "set -e; ", "set -o pipefail; ", "echo start && ", "true || "),
    *("false && ", "[ -d . ] && ", "[ -d nope ] && ", "cd nope && ", "cd nope; "),
    *("cat <<EOF\n3 passed\nEOF\n", "echo '1 failed before'; ", "false; "),
)
AROUND = (
    *("@", "@", "@", "(@)", "{ @; }", "bash -c '@'", "/bin/bash -c '@'", "timeout 60 @"),
    *("if @; then echo OK; else echo FAIL; fi", "x=$(@); echo $?", "! @", "env A=1 @", "time @"),
    *("for i in 1; do @; done", "f() { @; }; f", "while ! @; do break; done", "(@ || true)"),
    *("case x in x) @;; esac", "bash -c \"bash -c '@'\"", "{ @ && echo OK; }", "(@; echo done)"),
)
BEHIND = (
    *("", "", "", "; echo EXIT=$?", "; echo $?", " && echo OK", " || echo FAILED", " || true"),
    *(" 2>&1 | tail -3", "; echo done", "; echo 'all tests passed'", " > /dev/null 2>&1; echo OK"),
    *(" > o.txt 2>&1; tail -3 o.txt", "; rc=$?; echo rc=$rc; exit $rc", " | grep -v passed"),
    *(" && git status", "; git diff --stat", " | tee o.txt; exit ${PIPESTATUS[0]}", " |& tail -2"),
    *(" || { echo FAILED; exit 1; }", " && pytest -q --lf", "; echo '0 errors'", " & wait"),
    *(" && echo PASS || echo FAIL", "; [ $? -eq 0 ] && echo PASS || echo FAIL", "; pytest -q"),
)
TOLD = ("code", "failed", "output")  # what a client says beside the output
# The truth: the check passed, it failed, or it never ran.
PASSED, FAILED, UNRUN = "passed", "failed", "never ran"
TRUE = {(PASSED, PASSES): "right", (FAILED, FAILS): "right", (UNRUN, FAILS): "open"}


class RunLine(NamedTuple):
    """A command line as it was run: what the checker printed and returned, and the truth."""

    line: str
    output: str
    code: int
    truth: str

    def judged(self) -> Iterator[tuple[str, str]]:
        """(what a client says, "right", "false" or "open") of the verdict on each telling."""
        command, error = parse_command(self.line), self.code != 0
        for told in TOLD:
            code = self.code if told == "code" else None
            came = verdict(command, self.output, code, error and told != "output")
            said = next((one for one in (PASSES, FAILS) if came.startswith(one)), "")
            # Of a check that never ran, a line that failed may be told as such.
            yield told, TRUE.get((self.truth, said), "false") if said else "open"


def lines(count: int, seed: int) -> list[str]:
    """So many different command lines with one check or several in them."""
    drawn, found = Random(seed), dict[str, None]()
    while len(found) < count:
        before, around, behind = map(drawn.choice, (BEFORE, AROUND, BEHIND))
        found[before + around.replace("@", CHECK) + behind] = None
    return [*found]


def run(line: str) -> list[RunLine]:
    """The line run with each ending of its checker, in a folder of its own."""
    found: list[RunLine] = []
    with TemporaryDirectory(prefix="loom-verdicts-") as name:
        folder, tools = Path(name, "work"), Path(name, "bin")
        folder.mkdir()
        tools.mkdir()
        subprocess.run(["git", "init", "-q", folder], check=True)
        ran, checker = Path(name, "ran"), tools / CHECK.partition(" ")[0]
        env = {**os.environ, "PATH": f"{tools}:{os.environ['PATH']}"}
        for said, code in ENDINGS:
            checker.write_text(f"#!/bin/sh\necho >> {ran}\nprintf '%s\\n' '{said}'\nexit {code}\n")
            checker.chmod(0o755)
            ran.unlink(missing_ok=True)
            done = subprocess.run(
                ["bash", "-c", line], cwd=folder, env=env, timeout=20, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
            )  # fmt: skip
            truth = UNRUN if not ran.exists() else FAILED if code else PASSED
            found.append(RunLine(line, done.stdout, done.returncode, truth))
    return found


@measuring
def verdicts(*, count: FromOne = 300, seed: int = 1, workers: Workers = 2) -> CommandResult:
    """Run command lines with a check in them, and count verdicts that are right, false, left open.

    Parameters
    ----------
    count
        Command lines, each run with every ending of its check.
    seed
        Draws the lines.
    """
    ran = gathered("lines", run, lines(count, seed), workers, lambda found: ("", False))
    sums = {told: Counter[str]() for told in TOLD}
    for one in (one for found in ran for one in found):
        for told, came in one.judged():
            sums[told][came] += 1
    report = {told: {k: sums[told][k] for k in ("right", "false", "open")} for told in TOLD}
    heads = {"right": "right", "false": "false", "open": "left open"}
    return CommandResult({"verdicts": report}, [by_row("Verdicts, by what is told", report, heads)])
