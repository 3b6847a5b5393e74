"""What can go wrong, by whose move it is.

LoomError
├── OverCapacity    the window is too small for what may not leave it
│   └── OverPart    a text or tool over its part of the small-window layout
├── OpenCalls       a turn was asked for while calls wait for results
├── UnknownFormat   a request in a shape nobody defined
├── UnknownCall     a result for a call nobody made
├── Closed          a call on a closed context
├── Reentered       a hook that changes the context it was called from
│   └── HeldByHook  another thread's hook does not end (`loom.engine.locking`)
├── NewerWorkspace  a workspace of a newer schema
├── UnreadableCommit  a commit whose records are unknown
├── BadRecord       a value that could not be read back from the journal
├── BadArgument     an argument of another kind than its method takes (`loom.typed`)
├── BadResult       a result that cannot be made text
├── AnsweredCall    a second result for one call
├── BadPlugin       an entry point that leads to nothing usable (`loom.providers.plugins`)
├── UnknownReply    a reply no format can read (`loom.providers.formats`)
├── UnknownEntry    no entry of that id (`loom.engine.archive`)
├── BadSession      a recorded session that cannot be read (`loom.replay`)
├── BadNote         a command on notes that cannot be done (`loom.capabilities.memory`)
├── NoLongTerm      no folder for long-term memory (`loom.capabilities.memory`)
├── BadTool         a tool declaration that cannot be read (`loom.providers.schema`)
├── LostSkill       the SKILL.md of a skill cannot be read any more (`loom.capabilities.skills`)
├── BadResource     a path that names no text inside a skill's folder (`loom.capabilities.skills`)
├── DuplicateTool   a second tool of a name (`loom.capabilities.toolbox`)
├── UnknownTool     no tool of that name (`loom.capabilities.toolbox`)
├── ToolRefused     a command or script that is not run (`loom.capabilities.toolbox`)
├── NoRunner        a tool that only the host can run
│   └── UndeclaredTool  a call of a tool that the model was not told of
├── BudgetSpent     a child has used what it was given
├── BadBudget       figures no budget can hold (`loom.capabilities.agents`)
├── TooDeep         an agent that may have none below it (`loom.capabilities.agents`)
├── BadName         a name no agent can have (`loom.capabilities.agents`)
├── AlreadyDelivered  a second result of an agent (`loom.capabilities.agents`)
├── NotDelivered    an agent that has no result yet (`loom.capabilities.agents`)
├── NoIndex         recall can use no index, not even a new one (`loom.engine.archive.recall`)
├── Overdue         results that did not come in time (`loom.capabilities.agents`)
├── BadSnapshot     a file that is no snapshot, or a damaged one (`loom.engine.snapshots`)
├── BadSignal       an event that could not be shown (`loom.capabilities.events`)
├── BadEvent        an event, a cursor or a filter the bus cannot take (`loom.capabilities.agents`)
├── BrokenStream    a stream ended before its reply did (`loom.providers.formats.stream`)
├── StreamFailed    a provider broke a streamed reply off (`loom.providers.formats.stream`)
├── BadRepair       a folder that cannot be repaired, or not to there (`loom.rewrite`)
├── LongTermError   long-term memory: BadMemory, … (`loom.capabilities.memory.longterm`)
├── Late            the host's model did not answer in time (`loom.reduce.summary`; not raised)
├── Vetoed          the host's `on_cut` refused a cut the budget needs
├── BrokenLaw       the engine's own fault: a cut failed its certificate and was not applied
└── PagingError     the disk's: StoreLocked, CorruptPage, MissingPage, … (`loom_paging.errors`)

All of them can be imported from `loom`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import get_close_matches

from loom.text import one_line
from loom_paging.errors import LoomError as LoomError

NAME = 80  # characters of a name that somebody else gave, in a message
NEAREST, LISTED = 5, 12  # names a message holds: those most like it, or some
MEANT = 3  # names a model may have meant


class OverCapacity(LoomError):
    """`partition` alone needs `tokens`, more than the `capacity` it could have.

    `said` is the message where the usual one, which ends with `advice`, would not be true.
    """

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


class OverPart(OverCapacity):
    """A part of the small-window layout, a `part` of `capacity` tokens, would take `tokens`.

    `answered` of them are of the tools Loom answers.
    """

    def __init__(
        self, partition: str, part: str, tokens: int, capacity: int, field: str, answered: int = 0
    ) -> None:
        super().__init__(partition, tokens, capacity)
        self.part = part
        own = f" ({answered:,} are Loom's own tools: Policy.own_tools=False leaves them out)"
        self.args = (
            f"{part} would take {tokens:,} tokens{own if answered else ''}; their part"
            f" of this window is {capacity:,}: shorten them, open a larger window, or set"
            f" Policy.{field} (0: no part). Nothing was changed",
        )


class OpenCalls(LoomError):
    """Calls still wait for their results."""

    def __init__(self, calls: Sequence[str]) -> None:
        self.calls = tuple(calls)
        super().__init__(
            f"{len(self.calls)} call{'s wait' if calls[1:] else ' waits'} for results"
            f" ({', '.join(self.calls[:5])}): give each to ctx.result(call, value) before"
            " ctx.turn(), or list its result in what ctx.sync is given"
        )


class UnknownFormat(LoomError, KeyError):
    """No provider's shape of that name."""

    def __init__(self, format: str, known: Iterable[str]) -> None:
        self.format = format
        super().__init__(f"no format {format!r:.80}; there are {', '.join(known)}")

    def __str__(self) -> str:
        return str(self.args[0])


class UnknownCall(LoomError):
    """No open step has a call of that id."""

    def __init__(self, call: str, open_calls: Sequence[str]) -> None:
        self.call = call
        waiting = ", ".join(open_calls[:5]) or "none"
        super().__init__(f"no call {call!r:.200} waits for a result; open calls: {waiting}")


class Closed(LoomError):
    """The context was closed; another writer may have its workspace."""

    def __init__(self) -> None:
        super().__init__("this context is closed: loom.open the workspace again to go on")


class Reentered(LoomError):
    """A hook called back into the context it was called from."""

    def __init__(self) -> None:
        super().__init__(
            "an on_cut hook may read the context but not change it (return False to refuse a cut),"
            " a tool's answer add no entries to it, before_turn ask for no turn: do that afterwards"
        )


class NewerWorkspace(LoomError):
    """A commit is of a newer schema than this Loom reads."""

    def __init__(self, commit: int, schema: int, known: int) -> None:
        self.commit, self.schema, self.known = commit, schema, known
        super().__init__(
            f"commit {commit} of the journal is of schema {schema}, and this version reads up to"
            f" {known}: a newer Loom wrote it; open it with that one. Nothing was changed"
        )


class UnreadableCommit(LoomError):
    """The records of a commit are none this Loom knows, by whatever schema."""

    def __init__(self, commit: int, why: str) -> None:
        self.commit = commit
        super().__init__(
            f"commit {commit} of the journal holds a record this version cannot read ({why}); it"
            " was written by a newer Loom, or one before 0.1.0: open it with that one. Nothing was"
            " changed"
        )


class BadRecord(LoomError):
    """What was to be recorded holds a value of another type than its place takes."""

    def __init__(self, why: str) -> None:
        super().__init__(
            f"this cannot be recorded: {why}. An argument, or what a capability gave, is of another"
            " type than is documented; nothing was written"
        )


class BadResult(LoomError):
    """A result that cannot be made text."""

    def __init__(self, call: str, why: BaseException) -> None:
        self.call = call
        reason = str(why) or type(why).__name__
        super().__init__(
            f"the result of call {call!r:.200} cannot be written as JSON ({reason}): give a text,"
            " bytes, or values JSON can hold; the call stays open"
        )


class AnsweredCall(LoomError):
    """The call has its result already; the first one stands."""

    def __init__(self, call: str) -> None:
        self.call = call
        super().__init__(f"call {call!r:.200} has its result already: the first one stands")


class Vetoed(LoomError):
    """The host's hook refused a cut without which the request does not fit."""

    def __init__(self, level: str, rho: float) -> None:
        self.level = level
        super().__init__(
            f"on_cut refused {level} at ρ {rho:.2f}, where the request no longer fits: allow it,"
            " or resize the window"
        )


class BrokenLaw(LoomError):
    """A cut would have broken a law, so it was not applied. Please report it."""

    def __init__(self, what: str, broken: Sequence[str]) -> None:
        self.broken = tuple(broken)
        super().__init__(f"{what} was not applied: {'; '.join(self.broken[:5])}")


def amount(number: float, what: str) -> str:
    """So many of what a plural names: "1 step", "12 steps", "0.5 seconds"."""
    return f"{round(number, 1):,.15g} {what.removesuffix('s') if number == 1 else what}"


class BudgetSpent(LoomError):
    """A child has used all it was given of `what`; it can still deliver what it has.

    `where` is its name, `left` what there still is: less than was asked for, mostly nothing.
    """

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
    """A tool that only the host can run."""

    def __init__(self, name: str, said: str = "") -> None:
        self.name = name
        usual = "nothing here runs the tool {}: run it, and give its result to ctx.result"
        super().__init__(said or usual.format(shown_name(name)))


class UndeclaredTool(NoRunner):
    """A call of a tool that is not declared: misspelt, made up, or forgotten by the host.

    The message is one for the model: `ctx.result(call, str(error), error=True)` answers with it.
    `near` are the declared names most like it.
    """

    def __init__(self, name: str, declared: Iterable[str], more: str = "") -> None:
        known = list(declared)
        self.near = tuple(alike(name, known)[:MEANT])
        hint = f"did you mean {' or '.join(self.near)}?" if self.near else near(name, known)
        said = f"no tool {shown_name(name)} is declared; {hint}"
        super().__init__(
            name, f"{said} {more}" if more and self.near else f"{said}; {more}" if more else said
        )


def shown_name(name: str) -> str:
    """The name of a tool that somebody else gave, quoted, on one line, at most NAME characters."""
    return repr(one_line(name, NAME))


def alike(given: str, known: Iterable[str]) -> list[str]:
    """The names most like the one given, the best first, at most NEAREST; whatever their case."""
    names = {one_line(name, NAME): None for name in known}
    lower = {name.lower(): name for name in names}
    found = get_close_matches(one_line(given, NAME).lower(), lower, NEAREST, 0.5)
    return [lower[name] for name in found]


def near(given: str, known: Iterable[str]) -> str:
    """A hint at the names most like the one given, or at some of those there are."""
    names = list(known)
    listed = alike(given, names)
    more = f" and {len(names) - LISTED} more" if len(names) > LISTED and not listed else ""
    listed = listed or [one_line(name, NAME) for name in names[:LISTED]]
    return f"there are {', '.join(listed) or 'none'}{more}"
