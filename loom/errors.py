"""All errors of Loom: what went wrong and, where the host program can act, what to do.

LoomError
├── BadInput        a wrong argument, message, tool, name or address: correct it
│   └── BadSession  a recorded session cannot be read: skip it
├── OverCapacity    the window is too small for what must stay in it: enlarge it
├── OpenCalls       a turn was asked for while calls have no results: give them
├── NoRunner        only the host can run this tool; `near`: similar names if it is not declared
├── BudgetSpent     an agent has used up a limit of its budget
├── Overdue         an answer or a result has not arrived yet: wait, or do without
├── BrokenStream    a streamed reply is incomplete: ask the provider again
├── WorkerDied      a worker process of `loom.fleet` ended: give its work to another
├── Closed          the context or other object is not open
├── Reentered       a hook changes the context that called it, or blocks it
├── NewerWorkspace  a newer Loom wrote the workspace: open it with that version
├── BrokenLaw       a fault in Loom: a cut failed its checks and was not applied
└── PagingError     errors of files and stores
    ├── MissingPage       there is no page or entry with this name
    │   └── Expired       the page was deleted on purpose
    ├── CorruptPage       the bytes of a page have changed since it was stored
    ├── CorruptJournal    the journal, a store's log or a workspace is damaged: repair it
    ├── PageExists        another page has this name
    ├── OutsideStore      the name is not valid in a store
    ├── StoreLocked       another writer has the workspace open
    ├── StoreReplaced     this writer can no longer write: open the workspace again
    └── StoreUnreachable  a store did not answer, or refuses; `hint` says what to correct

LoomWarning         a problem that does not prevent opening; `kind` says which
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from concurrent.futures import BrokenExecutor
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from loom.text import one_line
from loom_paging.errors import BadInput as BadInput
from loom_paging.errors import CorruptJournal as CorruptJournal
from loom_paging.errors import CorruptPage as CorruptPage
from loom_paging.errors import Expired as Expired
from loom_paging.errors import LoomError as LoomError
from loom_paging.errors import MissingPage as MissingPage
from loom_paging.errors import OutsideStore as OutsideStore
from loom_paging.errors import PageExists as PageExists
from loom_paging.errors import PagingError as PagingError
from loom_paging.errors import StoreLocked as StoreLocked
from loom_paging.errors import StoreReplaced as StoreReplaced
from loom_paging.errors import StoreUnreachable as StoreUnreachable

NAME = 80  # characters of a name that somebody else gave, in a message
NEAREST, LISTED = 5, 12  # names a message holds: those most like it, or some
ANSWERED_CALL, UNKNOWN_CALL, VETOED = "answered call", "unknown call", "vetoed"  # kinds of errors
MEANT = 3  # names a model may have meant


class OverCapacity(LoomError):
    """A partition needs `tokens` tokens and gets at most `capacity` (the window minus the reply).
    The message is `said` if given, else it ends with `advice`."""

    def __init__(
        self, partition: str, tokens: int, capacity: int, advice: str = "", said: str = ""
    ) -> None:
        self.partition = partition
        self.tokens = tokens
        self.capacity = capacity
        super().__init__(
            said
            or f"the {partition} partition needs {tokens:,} tokens of a capacity of {capacity:,}"
            f" (window less reply): {advice or 'shorten it, or open a larger window'}"
        )


class OpenCalls(LoomError):
    """A turn was asked for while calls have no results yet. `calls` has the ids of these calls."""

    def __init__(self, calls: Sequence[str]) -> None:
        self.calls = tuple(calls)
        super().__init__(
            f"{len(self.calls)} call{'s wait' if calls[1:] else ' waits'} for results"
            f" ({', '.join(self.calls[:5])}): give each to ctx.result(call, value) before"
            " ctx.turn(), or list its result in what ctx.sync is given"
        )


def unknown_format(format: str, known: Iterable[str]) -> BadInput:
    """Return the error for a provider format that is not among `known`."""
    return BadInput(f"no format {format!r:.80}; there are {', '.join(known)}")


def answered_call(call: str) -> BadInput:
    """Return the error for a second result of the call with the id `call`."""
    said = f"call {call!r:.200} has its result already: the first one stands"
    return BadInput(said, ANSWERED_CALL)


def undone_call(call: str) -> BadInput:
    """Return the error for a result of the undone call with the id `call`."""
    said = f"call {call!r} was undone: the model does not wait for its result"
    return BadInput(said, UNKNOWN_CALL)


def unknown_call(call: str, open_calls: Sequence[str]) -> BadInput:
    """Return the error for a result with the unknown call id `call`. `open_calls` has the ids of
    the calls that wait for results."""
    waiting = ", ".join(open_calls[:5]) or "none"
    said = f"no call {call!r:.200} waits for a result; open calls: {waiting}"
    return BadInput(said, UNKNOWN_CALL)


class Closed(LoomError):
    """A method was called on a context or other object that is not open. Another process may have
    opened the workspace since."""

    def __init__(self, said: str = "") -> None:
        super().__init__(said or "this context is closed: loom.open the workspace again to go on")


class Reentered(LoomError):
    """A hook changed the context that called it, or blocked a call of another thread too long."""

    def __init__(self, said: str = "") -> None:
        super().__init__(
            said
            or "an on_cut hook may read the context but not change it (return False to refuse a"
            " cut), a tool's answer add no entries to it, before_turn ask for no turn: do that"
            " afterwards"
        )


class NewerWorkspace(LoomError):
    """A newer Loom wrote the workspace or the memory. `schema` is its version, 0 if unknown."""

    def __init__(self, said: str, schema: int = 0) -> None:
        self.schema = schema
        super().__init__(said)


def bad_record(why: str) -> BadInput:
    """Return the error for a record with a value of the wrong type. `why` says which value."""
    return BadInput(
        f"this cannot be recorded: {why}. An argument, or what a capability gave, is of another"
        " type than is documented; nothing was written"
    )


def bad_result(call: str, why: BaseException) -> BadInput:
    """Return the error for a result that cannot become JSON. `why` is the encoder's error."""
    reason = str(why) or type(why).__name__
    return BadInput(
        f"the result of call {call!r:.200} cannot be written as JSON ({reason}): give a text,"
        " bytes, or values JSON can hold; the call stays open"
    )


class BrokenLaw(LoomError):
    """A cut that was not applied because it would break the laws in `broken`. Please report it."""

    def __init__(self, what: str, broken: Sequence[str]) -> None:
        self.broken = tuple(broken)
        super().__init__(f"{what} was not applied: {'; '.join(self.broken[:5])}")


def amount(number: float, what: str) -> str:
    """Return a number with a noun: "1 step", "12 steps". `what` is the plural."""
    return f"{round(number, 1):,.15g} {what.removesuffix('s') if number == 1 else what}"


class BudgetSpent(LoomError):
    """An agent has used up a limit of its budget. It can still deliver its result.

    `what` names the limit, such as "steps". `used` of `limit` are used. `left`, usually 0, is less
    than the agent asked for. `where` is the agent's name."""

    def __init__(
        self, what: str, used: float, limit: float, where: str = "", left: float = 0.0
    ) -> None:
        self.what = what
        self.used = used
        self.limit = limit
        self.where = where
        self.left = left
        verb = "would use" if left or (used > limit >= 0 and what != "seconds") else "has used"
        rest = f" ({round(left, 1):,.15g} left)" if left else ""
        super().__init__(
            f"{where or 'this agent'} {verb} {round(used, 1):,.15g} of its"
            f" {amount(max(limit, 0), what)}{rest}: deliver what there is, or have the parent"
            " spawn one with more"
        )


class NoRunner(LoomError):
    """A call of a tool that only the host program can run.

    If the tool is not declared, answer the call with `ctx.result(call, str(error), error=True)`,
    since the message is meant for the model. `near` has the declared names most similar to `name`;
    it is () for a declared tool."""

    def __init__(self, name: str, said: str = "", near: Sequence[str] = ()) -> None:
        self.name, self.near = name, tuple(near)
        usual = "nothing here runs the tool {}: run it, and give its result to ctx.result"
        super().__init__(said or usual.format(quoted_name(name)))


def undeclared_tool(name: str, declared: Iterable[str], more: str = "") -> NoRunner:
    """Return the error for a call of a tool that is not among `declared`. Its message ends with
    `more`."""
    known = list(declared)
    meant = similar_names(name, known)[:MEANT]
    hint = f"did you mean {' or '.join(meant)}?" if meant else similar_names_hint(name, known)
    said = f"no tool {quoted_name(name)} is declared; {hint}"
    behind = f" {more}" if meant else f"; {more}"
    return NoRunner(name, said + (behind if more else ""), meant)


class Overdue(LoomError):
    """An agent's result or answer did not arrive in time. Results that did arrive are recorded.

    `agents` has the names of agents that are still waited for, `closed` the names of waited-for
    agents that no process has open."""

    def __init__(self, said: str, agents: Sequence[str] = (), closed: Sequence[str] = ()) -> None:
        self.agents, self.closed = tuple(agents), tuple(closed)
        super().__init__(said)


class BrokenStream(LoomError):
    """A streamed reply is incomplete: the stream ended early, or the provider sent an error. `code`
    is the provider's error code or type, `said` its message, and `body` the whole error as a JSON
    value."""

    def __init__(self, message: str, code: str = "", said: str = "", body: Any = None) -> None:
        self.code, self.said, self.body = code, said, body
        super().__init__(message)


class WorkerDied(LoomError, BrokenExecutor):
    """A worker process ended before it answered; `cause` says how. What the worker had stored is in
    its store. The rest of the work was not done."""

    def __init__(self, cause: str) -> None:
        self.cause = cause
        super().__init__(f"its worker died: {cause}")


class BadSession(BadInput):
    """A recorded session cannot be read, and nothing of the session was loaded. `path` is its file,
    `line` the line number from 1 (0 if unknown), `why` the reason."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        self.path, self.line, self.why = path, line, why
        super().__init__(f"{path}:{line}: {why}" if line else f"{path}: {why}")


class LoomWarning(UserWarning):
    """A problem that does not prevent a workspace from opening. The message says what to do about
    it.

    `kind` is "exposed": others can read or change the workspace, or git tracks it; "files": guides
    or skills were not loaded; "policy": the given policy differs from the recorded policy;
    "snapshot": the newest snapshot is damaged or contradicts the journal; or "full": the disk is
    full and a change was not recorded."""

    def __init__(self, said: str, kind: str) -> None:
        self.kind = kind
        super().__init__(said)

    def __reduce__(self) -> tuple[type[LoomWarning], tuple[str, str]]:
        return type(self), (str(self), self.kind)


def quoted_name(name: str) -> str:
    """Return a name from outside in quotes on one line, shortened to NAME characters."""
    return repr(one_line(name, NAME))


def similar_names(given: str, known: Iterable[str]) -> list[str]:
    """Return at most NEAREST names in `known` that are similar to `given`, best first. Case is
    ignored."""
    names = {one_line(name, NAME): None for name in known}
    lower = {name.lower(): name for name in names}
    found = get_close_matches(one_line(given, NAME).lower(), lower, NEAREST, 0.5)
    return [lower[name] for name in found]


def similar_names_hint(given: str, known: Iterable[str]) -> str:
    """Return "there are …" with the names in `known` that are similar to `given`, or else with the
    first LISTED names."""
    names = list(known)
    listed = similar_names(given, names)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED and not listed else ""
    listed = listed or [one_line(name, NAME) for name in names[:LISTED]]
    return f"there are {', '.join(listed) or 'none'}{more}"
