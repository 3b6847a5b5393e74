"""One call of a context: its commits count once it returns, and otherwise it never happened.

    with engine.lock, engine.atomic:   # or @one_call over the function whose first argument has it
        … commit …

Theory of operation
-------------------
The lock comes first: it is C code, and so is released whatever interrupts the rest. What an earlier
call left unacknowledged is undone when the next call enters, and not when the earlier one failed:
whoever pressed Ctrl-C does not wait, and a second Ctrl-C finds nothing half done. A call within a
call acknowledges what the outer one committed before it.

Host code that a call runs is a hook. A hook may start a thread that calls the same context, and
wait for that thread: if the lock were held, each would wait for the other for ever. So the lock is
released while a hook runs, and the list of running hooks keeps other threads out: every call first
waits (`admit`) until no hook runs but those the call comes from within. It waits for each hook no
longer than WAIT, and then raises Reentered: a slow hook costs other threads time and fails none of
them, and a hook that waits for that very thread goes on when the thread gets the error. A thread
that carries the hook's context variables (asyncio.to_thread, contextvars.copy_context) is known to
come from within: it waits for nothing, may read, and gets Reentered at once for a change, as the
hook itself does.

An interrupt between two steps of `run` may leave the lock released, or a finished hook on the list.
The call it ends puts that right before any other call enters: `regain_lock`, `forget`."""

from __future__ import annotations

from collections.abc import Callable
from contextvars import ContextVar, copy_context
from functools import wraps
from threading import Condition, RLock, get_ident
from time import monotonic
from types import TracebackType
from typing import Any, ParamSpec, TypeVar, TypeVarTuple

from loom.errors import Closed, Reentered, amount
from loom.session.archive.workspace import Workspace

Given = TypeVarTuple("Given")
Made = TypeVar("Made")
Params = ParamSpec("Params")
WAIT = 30.0  # seconds a thread waits for one hook of another thread's call
# Those that are deciding here: more than one when a hook opens a context of its own.
_DECIDING: ContextVar[tuple[object, ...]] = ContextVar("loom_deciding", default=())


def run_deciding(who: object, decide: Callable[[*Given], Made], *given: *Given) -> Made:
    """Return `decide(*given)`. Until the call ends, `is_deciding(who)` is True."""

    def marked() -> Made:
        _DECIDING.set((*_DECIDING.get(), who))
        return decide(*given)

    # The mark is set in a copy of the context variables: an interrupt cannot leave it set.
    return copy_context().run(marked)


def is_deciding(who: object) -> bool:
    """True when this code runs within `run_deciding(who, …)`."""
    return who in _DECIDING.get()


class HookAtWork:
    """A running hook. `name` is for error messages, `thread` the id of the thread that runs it."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.thread = get_ident()


class AtomicCalls:
    """The context manager around every public call, entered with the lock held. It also keeps the
    list of running hooks.

    `guard` is the lock. `undo_unreturned` undoes an earlier call that did not return. `fail` gets
    the type of the error when a call raises."""

    def __init__(
        self,
        guard: RLock,
        workspace: Workspace,
        undo_unreturned: Callable[[], None],
        fail: Callable[[type[BaseException]], None],
    ) -> None:
        # What a Condition uses of an RLock: to let it go at whatever depth, and have it back so.
        self._guard: Any = guard
        self._over = Condition(guard)
        self._running: list[HookAtWork] = []
        self._workspace = workspace
        self._undo_unreturned = undo_unreturned
        self._fail = fail

    def run(self, name: str, call: Callable[[*Given], Made], *given: *Given) -> Made:
        """Run a hook and return `call(*given)`. A held lock is released while the hook runs."""
        if not self._guard._is_owned():
            return call(*given)
        hook = HookAtWork(name)
        self._running.append(hook)
        depth = self._guard._release_save()
        try:
            return run_deciding(hook, call, *given)
        finally:
            self._guard._acquire_restore(depth)
            self._running.remove(hook)
            self._over.notify_all()

    def admit(self) -> None:
        """Wait until no hook is running, except hooks from which this code was called. The caller
        must hold the lock. Raises Reentered after waiting WAIT seconds for one hook."""
        waits_for, until = None, 0.0
        try:
            while (hook := self._other_hook()) is not None:
                if hook is not waits_for:
                    waits_for, until = hook, monotonic() + WAIT
                if not self._over.wait(until - monotonic()) and hook in self._running:
                    raise Reentered(
                        f"{hook.name} has been at work in another thread's call for"
                        f" {amount(WAIT, 'seconds')}, perhaps waiting for this one: no other call"
                        " is made until it returns. Nothing was changed; call again afterwards, and"
                        " let no hook wait for a thread that calls its context"
                    )
        except BaseException:
            self.regain_lock()
            raise

    def _other_hook(self) -> HookAtWork | None:
        """Return the first running hook from which this code was not called, or None."""
        return next((one for one in self._running if not is_deciding(one)), None)

    def regain_lock(self) -> None:
        """Acquire the lock again, if an interrupt left the lock released."""
        if not self._guard._is_owned():
            self._guard.acquire()

    def forget(self) -> None:
        """Remove hooks of this thread that an interrupt left on the list of running hooks."""
        mine = (one for one in self._running if one.thread == get_ident() and not is_deciding(one))
        for hook in tuple(mine):
            self._running.remove(hook)
            self._over.notify_all()

    def __enter__(self) -> None:
        """Wait for hooks of other threads, then undo the changes of an interrupted call. Raises
        Reentered, and Closed for a closed context."""
        self.admit()
        if self._workspace.closed:
            raise Closed()
        self._undo_unreturned()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if kind is None:
            self._workspace.acknowledge()  # nothing may follow it
        else:
            self.regain_lock()
            try:
                self._fail(kind)
            finally:
                self.forget()


def one_call(work: Callable[Params, Made]) -> Callable[Params, Made]:
    """Return `work` wrapped as one call of a context: with the lock held, and its commits
    acknowledged at the end. Its first argument is the engine or an object that has the engine."""

    @wraps(work)
    def call(*given: Params.args, **named: Params.kwargs) -> Made:
        first: Any = given[0]
        engine = getattr(first, "_engine", None) or getattr(first, "engine", first)
        with engine.lock, engine.atomic:
            return work(*given, **named)

    return call
