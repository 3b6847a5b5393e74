"""Every record type survives JSON, and has its case in the fold."""

from __future__ import annotations

from typing import get_args

from msgspec import json

from loom_partitions import records as r
from loom_partitions.edits import Folded, Lowered, Shortened
from loom_partitions.limits import Budget, Limits, Tokens
from loom_partitions.message import (
    Call,
    Detail,
    Digest,
    Fact,
    Notice,
    Outcome,
    PagedIn,
    Reduction,
    Said,
    Step,
    Text,
    Thought,
    UserTurn,
)
from loom_partitions.skill import ClientSkill
from loom_partitions.surfaces import Evidence, PlanItem
from loom_partitions.synced import SyncedMessage
from loom_partitions.window import CASES, Window
from loom_partitions.working import Event
from tests.kit.cases import all_cases

LIMITS = Limits(window=1_000, reply=200, head=4, run=9)
TEXT = Text(3, 12, "你好 \n\"'\\", "outputs/text_0001.txt")
NOTICE = Notice("system", "now", 2)
FACTS = (Fact("path", "a/b.py"),)
PARTS = (Thought("t", "{}", "anthropic", 2), Said(TEXT), Call("c", "Bash", "{oops", 4, "p"))
OUTCOME = Outcome(
    "c", TEXT, Reduction("t", {"a": 1, "b": None, "c": 0.5, "d": True}, "o", "c"), True
)
STEP = Step(2, PARTS, 9, (OUTCOME,), ("d",), Detail.SNIPPED, "line", FACTS)
DIGEST = Digest(4, 2, 4, "Earlier", 5, "outputs/digest_0001.md", 2, 1, 1, FACTS)
CERTIFICATE = r.Certificate({"system": "ab"}, Tokens(1, 2), Tokens(1), 7, 3, 1)
EDITS = (
    Shortened(2, "result", 0, TEXT),
    Lowered(3, Detail.COMPACT, "line", 2),
    Folded(2, 4, DIGEST),
)

RECORDS: list[r.Record] = [
    r.Opened(LIMITS, {"preset": "lazy", "recent": 3}, "gpt-4o", 1),
    r.Tasked(TEXT),
    r.Instructed("k", TEXT, NOTICE),
    r.Declared("k", TEXT, NOTICE),
    r.Remembered("k", TEXT, NOTICE),
    r.Forgotten("k", NOTICE),
    r.SkillActivated("k", TEXT, NOTICE),
    r.SkillDropped("k", NOTICE),
    r.SkillUsed("k"),
    r.SkillActivated("k", TEXT, NOTICE, said=True),
    r.SkillBrought(ClientSkill("k", TEXT, 2, 3, "call_1", True)),
    r.Saved(3, "k", "loom-1/step_0002"),
    r.Recalled((3, 4)),
    r.Heard(UserTurn(1, TEXT, 7, Detail.REDUCED, "line", FACTS)),
    r.Belated("call_1", UserTurn(1, TEXT, 7, Detail.FULL, "", FACTS)),
    r.Enclosed(3, PagedIn("outputs/a.txt", TEXT, "src/a.py")),
    r.Expanded(3, 0, TEXT),
    r.Prefetched(UserTurn(2, TEXT, 7, source="outputs/a.txt")),
    r.Replied(STEP, "gpt-4o"),
    r.Rethought(2, (Thought("t", '{"reasoning":"t"}', "openai", 3, True),)),
    r.Returned(2, OUTCOME, 12, FACTS),
    r.Planned((PlanItem("a", "doing"),)),
    r.Replanned(2, ((1, PlanItem("b")),)),
    r.Progressed("half"),
    r.Noted(TEXT),
    r.Appended("more", 7, 40, "outputs/scratch_0001.txt", "\n…\n", 3, 5),
    r.Questioned("q", "why?"),
    r.Evidenced(Evidence("e", "so", ("a",), 0.75)),
    r.Signalled(Event(("e",), "k", "s", "high")),
    r.Acknowledged("e", "defer"),
    r.Metered(17, "m"),
    r.Beside(20_000, 20_480),
    r.Overflowed(0),
    r.Requested("compact"),
    r.Pinned(7, 17),
    r.Spawned("reader", "Read.", "outputs/spawn_0001.json", "call_1", Budget(agents=3)),
    r.Resulted("reader", "lost"),
    r.Joined("reader", "done", "ab"),
    r.Delivered("done", "ab"),
    r.Answered("outputs/digest_0001.md", ("It was read.",)),
    r.Informed("ρ=1"),
    r.Resized(LIMITS, "m"),
    r.CarriedOn("ab", 2, 40, (38,)),
    r.Finished("done", "snapshots/working_0001.json"),
    r.Redacted({"jwt": 2}),
    r.Purged({"purged": 2}, {"journal": 2}),
    r.Repaired(9, (4, 9)),
    r.Retired(("outputs/read_0001.txt",), "expired", 6),
    r.Retired(("outputs/read_0001.txt",), "quota"),
    r.Promoted(("outputs/read_0002.txt",)),
    r.Synced(1, (SyncedMessage("ab", "user", 3, 1, "m1"),)),
    r.Compressed("snip", EDITS, 1, CERTIFICATE),
    r.Renewed(2, EDITS, "snapshots/working_0001.json", CERTIFICATE, ("skill:k",)),
    r.Turned(3, NOTICE, "1:ab"),
    r.Turned(3, None),
    r.SentAgain(2),
    r.Undone(2, 5, 9, Window(), NOTICE),
    r.Faulted("outputs/a.txt", "lines 1-2", 9),
]


@all_cases("record", RECORDS, ids=lambda record: type(record).__name__)
def test_json(record: r.Record) -> None:
    """A record written and read back is equal, and of its own type."""
    data = json.encode(record)
    back = json.decode(data, type=r.Record)
    assert type(back) is type(record)
    assert back == record
    assert json.encode(back) == data


def test_every_type_is_here_and_has_a_case() -> None:
    """The union, this table and the cases of the fold name the same types."""
    union = set(get_args(r.Record))
    assert union == {type(record) for record in RECORDS} == set(CASES)
