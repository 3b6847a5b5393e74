"""A capability that lets a host's model shorten large results; each summary is checked."""

from __future__ import annotations

from collections import deque

from loom.capability import Capability
from loom.reduce.summarize import summarize
from loom.reduce.summary.ask import Model
from loom.reduce.summary.judge import Summarized

KEPT = 16  # judgements of summaries


class Summarizer(Capability):
    """Lets a model summarize large results. `model` is any callable that takes an `Ask` (see
    `loom.summarize`) and returns a text or an awaitable of a text.

    Results over `Policy.compact_above` characters (by default 4,000) are shown as the model's
    summary, if every name and number in the summary occurs in the result. Otherwise the result
    is shortened by rules. The whole result is stored on a page. `judged` holds the last 16
    checks of summaries, the newest at the end.

        >>> summarizer = loom.Summarizer(lambda ask: "3 tests failed")
        >>> with loom.open("memory://summed", capabilities=[summarizer]) as ctx:
        ...     len(summarizer.judged)
        0"""

    name = "summarizer"
    summarizes = True

    def __init__(self, model: Model) -> None:
        self.model = model
        self.judged: deque[Summarized] = deque(maxlen=KEPT)

    def shortened(self, text: str, *, tool: str, objective: str, limit: int) -> str | None:
        """Return the model's summary of `text` in `limit` characters; "" if it failed the check."""
        made = summarize(text, tool=tool, objective=objective, model=self.model, limit=limit)
        self.judged.append(made)
        return made.text if made.by == "model" else ""
