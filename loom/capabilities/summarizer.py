"""A model of the host's that makes large results short; what it says is held against the result."""

from __future__ import annotations

from collections import deque

from loom.capability import Capability
from loom.reduce.summarize import summarize
from loom.reduce.summary.ask import Model
from loom.reduce.summary.judge import Summarized

KEPT = 16  # judgements of summaries


class Summarizer(Capability):
    """Has large results summed up by a `model`: any callable that takes an `Ask` (`loom.summarize`)
    and gives a text, or an awaitable of one.

    A result over `Policy.compact_above` characters (4,000 when nothing is said) then stands in the
    window in the model's words, where these name nothing that the result does not; otherwise by its
    structure. The whole rests on its page. `judged` are the last judgements, the newest at the end.
    """

    name = "summarizer"
    summarizes = True

    def __init__(self, model: Model) -> None:
        self.model = model
        self.judged: deque[Summarized] = deque(maxlen=KEPT)

    def shortened(self, text: str, *, tool: str, objective: str, limit: int) -> str | None:
        """The model's summary, "" where it was refused."""
        made = summarize(text, tool=tool, objective=objective, model=self.model, limit=limit)
        self.judged.append(made)
        return made.text if made.by == "model" else ""
