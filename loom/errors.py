"""What can go wrong, by what a host does about it.

LoomError
├── BadInput        mend what was given: an argument, a message, a tool, a name, an address …
│   └── BadSession  a recorded session that cannot be read: leave it out
├── OverCapacity    the window is too small for what may not leave it
├── OpenCalls       a turn was asked for while calls wait for results: give them
├── NoRunner        a tool that only the host can run; `near` for one that is not declared
├── BudgetSpent     a child has used what it was given
├── Overdue         an answer or a result that is not there yet: wait, or do without
├── BrokenStream    a streamed reply that is not whole: ask the provider again
├── WorkerDied      a worker of `loom.fleet` ended: give its work to another
├── Closed          a call on what is not open
├── Reentered       a hook that changes the context it was called from, or holds it up
├── NewerWorkspace  written by a newer Loom: open it with that one
├── BrokenLaw       the engine's own fault: a cut failed its certificate and was not applied
└── PagingError     what rests on disk or on a store
    ├── MissingPage       no page or entry of that name
    │   └── Expired       its page was let go on purpose
    ├── CorruptPage       the bytes of a page are not those that were sealed
    ├── CorruptJournal    the journal, a store's log or a workspace is damaged: repair it
    ├── PageExists        a name is taken by other bytes
    ├── OutsideStore      a name that is none of a store
    ├── StoreLocked       another writer has it open
    ├── StoreReplaced     this writer can write no more: open it again
    └── StoreUnreachable  a store that did not answer, or (`hint`) refuses until that is mended

LoomWarning         what a workspace opens in spite of; `kind` says which
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
    """A partition needs `tokens` tokens, more than the `capacity` (window less reply) can give it.

    `said` replaces the usual message, which ends with `advice`."""

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
    """A turn was asked for while calls wait for results; `calls` are the ids of these calls."""

    def __init__(self, calls: Sequence[str]) -> None:
        self.calls = tuple(calls)
        super().__init__(
            f"{len(self.calls)} call{'s wait' if calls[1:] else ' waits'} for results"
            f" ({', '.join(self.calls[:5])}): give each to ctx.result(call, value) before"
            " ctx.turn(), or list its result in what ctx.sync is given"
        )


def unknown_format(format: str, known: Iterable[str]) -> BadInput:
    """Return the error for an unknown name of a provider format; `known` are the known names."""
    return BadInput(f"no format {format!r:.80}; there are {', '.join(known)}")


def answered_call(call: str) -> BadInput:
    """Return the error for a second result of a call; `call` is its id."""
    said = f"call {call!r:.200} has its result already: the first one stands"
    return BadInput(said, ANSWERED_CALL)


def undone_call(call: str) -> BadInput:
    """Return the error for a result of a call that was undone; `call` is its id."""
    said = f"call {call!r} was undone: the model does not wait for its result"
    return BadInput(said, UNKNOWN_CALL)


def unknown_call(call: str, open_calls: Sequence[str]) -> BadInput:
    """Return the error for a result with the id `call`, which none of the `open_calls` has."""
    waiting = ", ".join(open_calls[:5]) or "none"
    said = f"no call {call!r:.200} waits for a result; open calls: {waiting}"
    return BadInput(said, UNKNOWN_CALL)


class Closed(LoomError):
    """A call on a context, or another object, that is not open: mostly it was closed before.
    Another process may have the workspace open by now."""

    def __init__(self, said: str = "") -> None:
        super().__init__(said or "this context is closed: loom.open the workspace again to go on")


class Reentered(LoomError):
    """A hook called back into its calling context, or holds another thread's call up too long."""

    def __init__(self, said: str = "") -> None:
        super().__init__(
            said
            or "an on_cut hook may read the context but not change it (return False to refuse a"
            " cut), a tool's answer add no entries to it, before_turn ask for no turn: do that"
            " afterwards"
        )


class NewerWorkspace(LoomError):
    """A newer Loom wrote the workspace or the memory; `schema` is its version, 0 where unknown."""

    def __init__(self, said: str, schema: int = 0) -> None:
        self.schema = schema
        super().__init__(said)


def bad_record(why: str) -> BadInput:
    """Return the error for a record in which a value has the wrong type; `why` says which."""
    return BadInput(
        f"this cannot be recorded: {why}. An argument, or what a capability gave, is of another"
        " type than is documented; nothing was written"
    )


def bad_result(call: str, why: BaseException) -> BadInput:
    """Return the error for a result that is no JSON value; `why` is what the encoder raised."""
    reason = str(why) or type(why).__name__
    return BadInput(
        f"the result of call {call!r:.200} cannot be written as JSON ({reason}): give a text,"
        " bytes, or values JSON can hold; the call stays open"
    )


class BrokenLaw(LoomError):
    """A cut that would have broken the laws `broken`; the cut was not applied. Please report it."""

    def __init__(self, what: str, broken: Sequence[str]) -> None:
        self.broken = tuple(broken)
        super().__init__(f"{what} was not applied: {'; '.join(self.broken[:5])}")


def amount(number: float, what: str) -> str:
    """Return a number with its noun, singular for 1; `what` is the plural: "1 step", "12 steps"."""
    return f"{round(number, 1):,.15g} {what.removesuffix('s') if number == 1 else what}"


class BudgetSpent(LoomError):
    """An agent has used up a limit of its budget; the agent can still deliver its result.

    `what` names the limit ("steps"), `used` of `limit` are used, and `left` is the rest: mostly 0,
    else less than was asked for. `where` is the agent's name."""

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
    """A call of a tool that only the host can run.

    For a tool that is not declared (misspelt, made up, forgotten by the host) the message is for
    the model: answer by `ctx.result(call, str(error), error=True)`. `near` are then the declared
    names most like `name`; for a declared tool it is ()."""

    def __init__(self, name: str, said: str = "", near: Sequence[str] = ()) -> None:
        self.name, self.near = name, tuple(near)
        usual = "nothing here runs the tool {}: run it, and give its result to ctx.result"
        super().__init__(said or usual.format(quoted_name(name)))


def undeclared_tool(name: str, declared: Iterable[str], more: str = "") -> NoRunner:
    """Return the error for a call of a tool that is not `declared`; `more` ends the message."""
    known = list(declared)
    meant = similar_names(name, known)[:MEANT]
    hint = f"did you mean {' or '.join(meant)}?" if meant else similar_names_hint(name, known)
    said = f"no tool {quoted_name(name)} is declared; {hint}"
    behind = f" {more}" if meant else f"; {more}"
    return NoRunner(name, said + (behind if more else ""), meant)


class Overdue(LoomError):
    """The result of an agent, or an answer, did not come in time; results that did come were taken
    in.

    `agents` are the names still waited for; `closed` are those of them that no process has open."""

    def __init__(self, said: str, agents: Sequence[str] = (), closed: Sequence[str] = ()) -> None:
        self.agents, self.closed = tuple(agents), tuple(closed)
        super().__init__(said)


class BrokenStream(LoomError):
    """A streamed reply is not whole: the stream ended early, or the provider broke it off.

    Where the provider broke it off, `code` is its error code or type, `said` its message, and
    `body` the whole error as plain values."""

    def __init__(self, message: str, code: str = "", said: str = "", body: Any = None) -> None:
        self.code, self.said, self.body = code, said, body
        super().__init__(message)


class WorkerDied(LoomError, BrokenExecutor):
    """A worker ended before it answered; `cause` says how.

    What the work had made durable by then is in its store; the rest of the work was not done."""

    def __init__(self, cause: str) -> None:
        self.cause = cause
        super().__init__(f"its worker died: {cause}")


class BadSession(BadInput):
    """A recorded session cannot be read; nothing of the session was loaded.

    `path` is its file, `line` the number of the line from 1 (0 when not known), `why` the fault."""

    def __init__(self, path: Path, line: int, why: str) -> None:
        self.path, self.line, self.why = path, line, why
        super().__init__(f"{path}:{line}: {why}" if line else f"{path}: {why}")


class LoomWarning(UserWarning):
    """A problem that does not keep a workspace from opening; the message says what to do about it.

    `kind` is "exposed" (others can read or change the workspace, or git tracks it), "files" (guides
    or skills were not loaded), "policy" (the given policy is not the recorded one), "snapshot" (the
    newest snapshot is damaged or contradicts the journal) or "full" (the disk is full, and a change
    was not recorded)."""

    def __init__(self, said: str, kind: str) -> None:
        self.kind = kind
        super().__init__(said)

    def __reduce__(self) -> tuple[type[LoomWarning], tuple[str, str]]:
        return type(self), (str(self), self.kind)


def quoted_name(name: str) -> str:
    """Return `name`, which others gave, in quotes, on one line of at most NAME characters."""
    return repr(one_line(name, NAME))


def similar_names(given: str, known: Iterable[str]) -> list[str]:
    """Return the names of `known` most like `given`, the best first, at most NEAREST. Upper and
    lower case count as equal."""
    names = {one_line(name, NAME): None for name in known}
    lower = {name.lower(): name for name in names}
    found = get_close_matches(one_line(given, NAME).lower(), lower, NEAREST, 0.5)
    return [lower[name] for name in found]


def similar_names_hint(given: str, known: Iterable[str]) -> str:
    """Return "there are …" with the names of `known` most like `given`, else the first LISTED."""
    names = list(known)
    listed = similar_names(given, names)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED and not listed else ""
    listed = listed or [one_line(name, NAME) for name in names[:LISTED]]
    return f"there are {', '.join(listed) or 'none'}{more}"
