"""A model's summary of a tool's output, held against the output before it is believed.

    Ask (fenced data) → the host's model → judged (length, grounding) → Summarized

Pure but for running the host's callable: no disk, no network of its own. The public functions are
in `loom.summarize`.
"""

from loom.reduce.summary.ask import Ask, Model, asked
from loom.reduce.summary.grounding import counts, ungrounded
from loom.reduce.summary.judge import Summarized, judged, refused
from loom.reduce.summary.running import Late, answered, run

__all__ = [
    "Ask",
    "Late",
    "Model",
    "Summarized",
    "answered",
    "asked",
    "counts",
    "judged",
    "refused",
    "run",
    "ungrounded",
]
