"""An executor that runs calls as tasks of a Ray cluster.

A worker is given an agent's address; it shares nothing else with the caller. If a machine is lost,
all that it had made durable is in the store, and another worker continues from there. The module
needs the extra `ray` on every machine of the cluster, and the store's credentials in the
environment of the workers."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future
from typing import Any, ParamSpec, TypeVar

import ray
from ray import exceptions

from loom.errors import WorkerDied

Given = ParamSpec("Given")
Made = TypeVar("Made")
# What Ray says when a process or a machine is gone; what work itself raises comes as it is.
LOST = (
    exceptions.RayActorError, exceptions.WorkerCrashedError, exceptions.NodeDiedError,
    exceptions.LocalRayletDiedError, exceptions.OutOfMemoryError, exceptions.ObjectLostError,
)  # fmt: skip


def joined(address: str | None = None) -> None:
    """Join the Ray cluster at `address` (`ray://…`) or, by default, that of RAY_ADDRESS, or else
    start a cluster on this machine. Do nothing if this process has joined a cluster before."""
    if not ray.is_initialized():
        ray.init(address, log_to_driver=False, logging_level="warning")


class RayExecutor(Executor):
    """An executor, for `loom.fleet.each`, that runs calls as tasks of the Ray cluster that this
    process has joined.

    `options` are those of a Ray task (`num_cpus=1`, `resources=…`). If a worker dies, the future of
    its call raises WorkerDied. Ray runs the call again only if `max_retries` is given."""

    def __init__(self, **options: Any) -> None:
        self._task = ray.remote(_call_work).options(**{"max_retries": 0, **options})
        self._refs: dict[Future[Any], Any] = {}

    def submit(
        self, work: Callable[Given, Made], /, *args: Given.args, **kwargs: Given.kwargs
    ) -> Future[Made]:
        """Call a function with these arguments in the cluster. Return the future of the call."""
        future: Future[Made] = Future()
        ref = self._refs[future] = self._task.remote(work, args, kwargs)
        future.set_running_or_notify_cancel()

        def ended(made: Future[Any]) -> None:
            self._refs.pop(future, None)
            error = made.exception()
            if error is None:
                future.set_result(made.result())
            else:
                future.set_exception(_original_error(error))

        ref.future().add_done_callback(ended)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Cancel the tasks if `cancel_futures` is True; with `wait`, wait until they have ended."""
        refs = list(self._refs.values())
        if cancel_futures:
            for ref in refs:
                ray.cancel(ref, force=True)
        if wait and refs:
            ray.wait(refs, num_returns=len(refs))


def _call_work(work: Callable[..., object], args: Any, kwargs: Any) -> object:
    """Call `work` in a Ray worker, and return what it returns."""
    return work(*args, **kwargs)


def _original_error(error: BaseException) -> BaseException:
    """Return the error that the work raised, taken out of Ray's own error, or WorkerDied if the
    worker died."""
    if isinstance(error, exceptions.RayTaskError) and isinstance(error.cause, Exception):
        return error.cause
    if isinstance(error, LOST):
        return WorkerDied(str(error).strip().splitlines()[0][:300] or type(error).__name__)
    return error
