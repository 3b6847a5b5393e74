"""What the judges of `loom_bench.truth` find, which follow a session and rule on its requests."""

from __future__ import annotations

from collections import Counter
from itertools import chain

from loom.errors import BadInput
from loom.providers.formats.listing.readers import read_list
from loom.replay.importers.provider_lists import message_events
from loom_bench.judge import HIGH, LOW, MetricColumn, Ruled, judge
from loom_bench.moment import SHOWN, BenchMoment, BenchRuling
from loom_bench.session import PressureSession
from loom_bench.truth import FollowedSession

FAULTS = ("stale", "untold", "resolved_open", "open_untold", "foreign", "forged")
PREFIX = "truth_"  # of the sums, whose names other judges have too

# Name of the column, the sum, what it is a share of ("" for a count), better, what it says.
FIGURES: tuple[tuple[str, str, str, str, str], ...] = (
    ("judged", "requests", "", "", "requests ruled on: after a cut, refused, and at the end"),
    ("stale blocks", "stale", "", LOW, "blocks of code that stand and that no file has any more"),
    ("stale lines", "stale_lines", "code_lines", LOW, "lines of these, of all lines of code"),
    ("untold", "untold", "changed", LOW, "files the agent changed that are not told as changed"),
    ("listed", "listed", "", LOW, "files that were only read and are named while one is untold"),
    ("resolved open", "resolved_open", "resolved", LOW,
     "commands that pass again and whose failure stands as if it were open"),
    ("open untold", "open_untold", "open", LOW, "checks that fail and are not told as failing"),
    ("foreign", "foreign", "", LOW, "lines of tools that stand as the user's or the harness's"),
    ("raised", "forged", "", LOW, "planted lines that pretend to be the window's own and stand so"),
    ("twice", "twice", "characters", LOW, "characters that stand in the request twice"),
    ("again", "again", "characters", LOW, "characters that the strategy itself put there twice"),
    ("user's", "short_found", "short_said", HIGH, "sentences the user typed that can be found"),
    ("user's long", "long_found", "long_said", HIGH, "of these, those of long messages"),
    ("headings", "headings_found", "headings_said", HIGH, "of these, headings of long messages"),
    ("cut short", "cut_short", "", LOW, "sentences of the user that are cut at their end"),
)  # fmt: skip


@judge(
    *(
        MetricColumn(
            name, PREFIX + part, whole and PREFIX + whole, better, whole and "%", about=about
        )
        for name, part, whole, better, about in FIGURES
    )
)
def truth(session: PressureSession) -> Ruled | None:
    """Rules after every cut and at the end. Counts are over all requests ruled on."""
    try:
        events = [[*message_events(one, 0)] for one in read_list("openai", session.messages, 0)]
    except BadInput:  # nothing is said of a session that cannot be read
        return None
    followed, taken = FollowedSession(), 0

    def rule(moment: BenchMoment) -> BenchRuling | None:
        nonlocal taken
        for event in chain.from_iterable(events[taken : moment.at]):
            followed.take(event)
        taken = moment.at
        if not (moment.cut or moment.last or moment.refused):
            return None
        found = followed.rule(moment.messages)
        found.sums["requests"] += 1
        told = [f"{kind}: {text}"[:SHOWN] for kind, text in found.faults if kind in FAULTS]
        return BenchRuling(Counter({PREFIX + one: of for one, of in found.sums.items()}), told)

    return rule
