"""Which run of the OpenAI Agents SDK a context serves.

A tool may be an agent (`Agent.as_tool`): its run has a list of its own, and takes the
configuration of the run above it where it has none. Its model is then asked without Loom.
"""

from __future__ import annotations

from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

from loom.adapters.errors import UnsupportedRun
from loom.context import Context

try:
    from agents.models._run_context import get_model_run_owner
except ImportError:  # not public: without it, runs cannot be told apart

    def get_model_run_owner() -> object | None:
        """Nothing stands for a run."""
        return None


# Of each context, what stands for the run it serves; the SDK lets go of it when the run ends.
_serving: WeakKeyDictionary[Context, ReferenceType[Any]] = WeakKeyDictionary()


def of_a_tool(context: Context) -> bool:
    """True when a tool of the run that the context serves is asking; else it serves this run.

    Raises UnsupportedRun for two runs at once.
    """
    run = get_model_run_owner()
    held = _serving.get(context)
    other = None if held is None else held()
    if run is None or other is None or other is run:
        if run is not None:
            _serving[context] = ref(run)
        return False
    if not context.calls:
        raise UnsupportedRun(
            "two runs at once on one context", "give each conversation a context of its own"
        )
    return True


def end_run(context: Context, run: object) -> None:
    """The run is over: the next one may begin."""
    held = _serving.get(context)
    if held is not None and held() is run:
        del _serving[context]
