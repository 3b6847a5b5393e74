"""A model's summary of a tool's output, held against the output before it is believed.

    Ask (fenced data) → the host's model → judged (length, grounding) → Summarized

Pure but for running the host's callable: no disk, no network of its own. The public functions are
in `loom.summarize`.
"""

from loom.reduce.summary.ask import Ask as Ask
from loom.reduce.summary.ask import Model as Model
from loom.reduce.summary.ask import asked as asked
from loom.reduce.summary.grounding import counts as counts
from loom.reduce.summary.grounding import ungrounded as ungrounded
from loom.reduce.summary.judge import Summarized as Summarized
from loom.reduce.summary.judge import judged as judged
from loom.reduce.summary.judge import refused as refused
from loom.reduce.summary.running import answered as answered
from loom.reduce.summary.running import run as run
