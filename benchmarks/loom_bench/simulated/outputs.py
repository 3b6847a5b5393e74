"""What test runners and linters print, in two halves of styles, and how a shell tells its exit.

A runner's kind is the first word of its style: `python`, `node`, `go`, `make`. Each style says in
its own way that all is well, or which tests failed, with what message, and how many.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

Failures = Sequence[tuple[str, str]]  # (id of a test or place, message)
Style = Callable[[Failures, int], str]  # what failed, how many passed → the output


def _quiet_pytest(failed: Failures, passed: int) -> str:
    if not failed:
        return f"{'.' * passed}   [100%]\n{passed} passed in 0.{passed}s"
    body = [f"E   {message}" for _, message in failed]
    tail = [f"FAILED {name} - {message}" for name, message in failed]
    return "\n".join([*body, *tail, f"{len(failed)} failed, {passed} passed in 1.{passed}s"])


def _framed_pytest(failed: Failures, passed: int) -> str:
    head = "============ test session starts ============\ncollected items"
    if not failed:
        return f"{head}\n\n============ {passed} passed in 0.{passed}s ============"
    tail = [f"FAILED {name} - {message}" for name, message in failed]
    end = f"============ {len(failed)} failed, {passed} passed in 2.{passed}s ============"
    return "\n".join([head, "== short test summary info ==", *tail, end])


def _jest(failed: Failures, passed: int) -> str:
    all_of = len(failed) + passed
    if not failed:
        return f"PASS  ./all.test.ts\nTests:       {passed} passed, {all_of} total"
    lines = [f"  ● {name}\n    {message}" for name, message in failed]
    end = f"Tests:       {len(failed)} failed, {passed} passed, {all_of} total"
    return "\n".join(["FAIL  ./all.test.ts", *lines, end])


def _mocha(failed: Failures, passed: int) -> str:
    if not failed:
        return f"  {passed} passing (31ms)"
    lines = [f"  {at}) {name}:\n     {message}" for at, (name, message) in enumerate(failed, 1)]
    return "\n".join([f"  {passed} passing (40ms)", f"  {len(failed)} failing", *lines])


def _go(failed: Failures, passed: int) -> str:
    fine = [f"ok  \texample.com/m/p{at}\t0.0{at}s" for at in range(1, min(passed, 4))]
    if not failed:
        return "\n".join(fine)
    lines = [f"--- FAIL: {name} (0.00s)\n    x_test.go:31: {message}" for name, message in failed]
    return "\n".join([*lines, "FAIL", "FAIL\texample.com/m/x\t0.013s", *fine, "FAIL"])


def _go_verbose(failed: Failures, passed: int) -> str:
    if not failed:
        return "PASS\nok  \texample.com/all\t0.102s"
    lines = [f"    x_test.go:8: {message}\n--- FAIL: {name} (0.01s)" for name, message in failed]
    return "\n".join([*lines, "FAIL", "exit status 1", "FAIL\texample.com/all\t0.044s"])


def _ruff(failed: Failures, passed: int) -> str:
    if not failed:
        return "All checks passed!"
    lines = [f"{name}: {message}" for name, message in failed]
    return "\n".join(
        [*lines, f"Found {len(failed)} errors.", "make: *** [Makefile:7: lint] Error 1"]
    )


def _eslint(failed: Failures, passed: int) -> str:
    if not failed:
        return "✔ 0 problems, everything ok"
    lines = [f"{name}  error  {message}" for name, message in failed]
    count = len(failed)
    return "\n".join([*lines, f"✖ {count} problems ({count} errors, 0 warnings)"])


STYLES: dict[str, tuple[Style, Style]] = {
    "python": (_quiet_pytest, _framed_pytest),
    "node": (_jest, _mocha),
    "go": (_go, _go_verbose),
    "make": (_ruff, _eslint),
}
EXITS = ("flag", "line", "text")  # how an exit is told: by the error flag, in a line, by the text


def printed(runner: str, failed: Failures, passed: int, *, held_out: bool, exit: str) -> str:
    """The output of a run, its exit code in a line of its own where `exit` is `line`."""
    text = STYLES[runner][held_out](failed, passed)
    if exit != "line":
        return text
    code = int(bool(failed))
    return f"{text}\n[exit code: {code}]" if held_out else f"Exit code {code}\n{text}"
