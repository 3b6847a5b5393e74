"""Records of an earlier schema, as their journal holds them, say the same in the words of today."""

from msgspec import convert, json

from loom_partitions import records as r
from loom_partitions.message import Fact, Notice, PagedIn, Text, UserTurn
from loom_partitions.migrations import SCHEMA, migrate_records
from loom_partitions.skill import ClientSkill
from loom_partitions.surfaces import PlanItem
from tests.kit.cases import all_cases

PAGE = "outputs/shell_0001.log"
SHOWN = Text(12, 20000, "line 3", PAGE, ((4, 4),))
LATE = UserTurn(3, Text(6, 6, "passes"), 10, facts=(Fact("ran", "slow"),), source="step_0002")
LATE_JSON = (
    b'{"type":"user","id":3,"text":{"tokens":6,"size":6,"body":"passes"},"tokens":10,'
    b'"facts":[["ran","slow","","","",1,0]],"source":"step_0002"}'
)
TEXT, BODY = Text(6, 8, "Tidy up."), b'"text":{"tokens":6,"size":8,"body":"Tidy up."}'
TOLD, NOTICE = (
    Notice("memory", "told", 9),
    b'"notice":{"type":"notice","partition":"memory","text":"told","tokens":9}',
)
FOUR: list[tuple[bytes, r.Record]] = [
    (b'{"type":"Enclosed","step":4,"paged":{"ref":"outputs/shell_0001.log","text":{"tokens":12,'
     b'"size":20000,"body":"line 3","page":"outputs/shell_0001.log","lines":[[4,4]]},'
     b'"path":"make.log"}}', r.Brought(PagedIn(PAGE, SHOWN, "make.log"), 4)),
    (b'{"type":"Expanded","step":4,"at":0,"text":{"tokens":4200,"size":3032,'
     b'"page":"outputs/shell_0001.log"}}',
     r.Brought(PagedIn(PAGE, Text(4200, 3032, None, PAGE)), 4, 0)),
    (b'{"type":"Prefetched","turn":{"type":"user","id":5,"text":{"tokens":12,"size":20000,'
     b'"body":"line 3","page":"outputs/shell_0001.log","lines":[[4,4]]},"tokens":16,'
     b'"source":"outputs/shell_0001.log"}}', r.Brought(UserTurn(5, SHOWN, 16, source=PAGE))),
    (b'{"type":"Belated","call_id":"c2","turn":%b}' % LATE_JSON, r.Heard(LATE, call="c2")),
    (b'{"type":"Instructed","key":"a",%b,%b}' % (BODY, NOTICE),
     r.Shelved("system", "a", TOLD, TEXT)),
    (b'{"type":"Declared","name":"a",%b,%b}' % (BODY, NOTICE), r.Shelved("tools", "a", TOLD, TEXT)),
    (b'{"type":"Remembered","key":"a",%b,%b,"quoted":true}' % (BODY, NOTICE),
     r.Shelved("memory", "a", TOLD, TEXT, quoted=True)),
    (b'{"type":"Forgotten","key":"a",%b}' % NOTICE, r.Shelved("memory", "a", TOLD)),
    (b'{"type":"SkillActivated","key":"a",%b,%b,"said":true}' % (BODY, NOTICE),
     r.Shelved("skill", "a", TOLD, TEXT, said=True)),
    (b'{"type":"SkillDropped","key":"a",%b}' % NOTICE, r.Shelved("skill", "a", TOLD)),
    (b'{"type":"SkillBrought","skill":{"key":"pdf",%b,"entry":5,"asked":6,"left":true}}' % BODY,
     r.SkillUsed("pdf", ClientSkill("pdf", TEXT, 5, 6, left=True))),
    (b'{"type":"SkillUsed","key":"pdf"}', r.SkillUsed("pdf")),
    (b'{"type":"Planned","items":[{"text":"look","state":"todo"},{"text":"mend","state":"doing"}]}',
     r.Planned(2, ((0, PlanItem("look")), (1, PlanItem("mend", "doing"))))),
    (b'{"type":"Replanned","size":4,"items":[[0,{"text":"look","state":"done"}]]}',
     r.Planned(4, ((0, PlanItem("look", "done")),))),
    (b'{"type":"Noted","text":{"tokens":1,"size":5,"body":"first"}}', r.Noted(Text(1, 5, "first"))),
    (b'{"type":"Appended","words":"more","tokens":3,"size":90,"page":"outputs/shell_0001.log",'
     b'"gap":"(gap)","start":1,"end":2}',
     r.Noted(Text(3, 90, "more", PAGE), True, "(gap)", 1, 2)),
    (b'{"type":"Joined","child":"helper","status":"done","sha256":"ab"}',
     r.HandedOver("done", "ab", "helper")),
    (b'{"type":"Delivered","status":"done","sha256":"cd"}', r.HandedOver("done", "cd")),
    (b'{"type":"Promoted","pages":["outputs/shell_0001.log"]}', r.Sifted((PAGE,), "kept")),
    (b'{"type":"Retired","pages":["outputs/shell_0001.log"],"why":"expired","freed":12}',
     r.Sifted((PAGE,), "expired", 12)),
]  # fmt: skip
FIVE: list[tuple[bytes, r.Record]] = [
    (b'{"type":"Saved","id":7,"key":"build","source":"step_0002"}',
     r.Remembered((7,), "build", "step_0002")),
    (b'{"type":"Recalled","ids":[7,9]}', r.Remembered((7, 9))),
    (b'{"type":"Purged","counts":{"jwt":1},"places":{"page":2}}',
     r.Redacted({"jwt": 1}, places={"page": 2})),
    (b'{"type":"Redacted","counts":{"jwt":1}}', r.Redacted({"jwt": 1})),
]  # fmt: skip


@all_cases(("schema", "written", "now"), [*((4, *o) for o in FOUR), *((5, *o) for o in FIVE)])
def test_earlier_schemas(schema: int, written: bytes, now: r.Record) -> None:
    """Each record that became one with others; and some that stay as they are."""
    records = convert(migrate_records([json.decode(written)], schema), list[r.Record])
    assert records == [now]
    assert migrate_records(json.decode(json.encode(records)), SCHEMA) == json.decode(
        json.encode(records)
    )
