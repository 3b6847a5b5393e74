"""What a summary names is in the payload, or the summary is told what is not."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from loom.reduce.summary.grounding import counts, ungrounded
from tests.kit.cases import all_cases

ISSUE = json.dumps(
    {
        "id": "INC-1042",
        "url": "https://status.example.com/incidents/1042?lang=en&v=2",
        "owner": "Alice Johnson",
        "mail": "alice.johnson@example.com",
        "host": "db-primary-01",
        "port": 5432,
        "total": 12500,
        "cpu": 87.50,
        "state": "degraded",
        "note": 'Kunde in M\u00fcnchen, caf\u00e9 "Zum Hirsch"',
        "path": "src/auth/login.py",
        "opened": "2024-01-05T12:30:00Z",
        "commit": "e6d2bbd7a91f0c44",
        "sizes": [100, 200, 300],
    }
).replace("/", "\\/")
LOG = """\
2024-03-02 10:15:01 INFO  worker-3 started pid=4711
2024-03-02 10:15:09 ERROR worker-3 ConnectionRefusedError: [Errno 111] connect to 10.0.4.17:6379
2024-03-02 10:15:09 WARN  retry 1/5 in 250ms
2024-03-02 10:15:12 ERROR worker-3 giving up after 5 retries (E_QUEUE_DOWN)
Traceback: File "/srv/app/jobs/queue.py", line 88, in connect_queue
took 1,204 ms, 12% of 96.5 MB, version v2.13.0
"""
CSV = """\
order,customer,amount,city
A-1001,Marta Kowalska,1250.00,Gdynia
A-1002,Jonas Weber,99.90,Leipzig
A-1003,Priya Natarajan,15.5,Pune
"""
HTML = """\
<html><body><h1>Release 3.2 &amp; notes</h1><p>By <b>Grace O&#39;Neil</b>, see
<a href="https://docs.example.org/rel?a=1&amp;b=2">the docs</a>.
Fixes <code>parseHTTPHeader()</code>
and CVE-2023-45133.</p><p>Gr&ouml;&szlig;e: 4&nbsp;MB</p></body></html>
"""
CHINESE = """\
故障报告：2024年5月6日，上海市机房断电，影响1280台服务器。
负责人：张伟，联系电话 021-5550-1234。供应商：华星公司，备件编号 PSU-77A。
约翰·史密斯确认“主电源模块烧毁”。恢复时间 14:35。
"""
GERMAN = """\
Am 3. April fiel die Heizung im Werk Augsburg aus. Herr Brandt meldete den Schaden.
Die Firma Kessler kam. Der Sensor HZ-204 zeigte 87,5 Grad, der Druck betrug 1.250 mbar.
Die Reparatur kostete 3.480,00 Euro.
"""

GOOD = [
    (ISSUE, ""),
    (ISSUE, "Alice's incident INC-1042 concerns db-primary-01, port 5432."),
    (ISSUE, "Details: https://status.example.com/incidents/1042?lang=en&v=2."),
    (ISSUE, "A total of 12,500, with the CPU at 87.5%."),
    (ISSUE, "Opened on 2024-01-05 at 12:30 by alice.johnson@example.com."),
    (ISSUE, 'A customer in München, "Zum Hirsch", was affected.'),
    (ISSUE, "The file is src/auth/login.py (login.py, auth/login.py)."),
    (ISSUE, "The host answers on db-primary-01:5432."),
    (ISSUE, "Call: lookup_incident. It shows one JSON object."),
    (LOG, "worker-3 could not reach 10.0.4.17:6379: ConnectionRefusedError, errno 111."),
    (LOG, "- The failure is in /srv/app/jobs/queue.py:88, connect_queue()."),
    (LOG, "1. Retries wait 250 ms.\n2. It took 1204 ms, 12 % of 96.5 MB."),
    (LOG, "**Cause:** connection refused to the queue, version 2.13.0, pid=4711."),
    (LOG, "The log has 6 lines."),
    (LOG, "The `connect_queue` call failed; a long-running, well-known problem and/or a race."),
    (CSV, "Three orders: A-1001 (Marta Kowalska, 1,250), A-1002 (Jonas Weber, 99.9)."),
    (HTML, "By Grace O'Neil, docs at https://docs.example.org/rel?a=1&b=2, Größe 4 MB."),
    (CHINESE, "2024年5月6日上海市机房断电，1,280台服务器受影响，负责人张伟。"),
    (CHINESE, "约翰·史密斯确认“主电源模块烧毁”，备件 PSU-77A，14:35 恢复。"),
    (GERMAN, "Die Heizung in Augsburg ist ausgefallen, und der Sensor HZ-204 zeigte 87,5 Grad."),
    (GERMAN, "On 3 April the heating in Augsburg failed, with a pressure of 1.250 mbar."),
]

BAD = [
    (ISSUE, "INC-104 is degraded.", "INC-104"),
    (ISSUE, "inc_1042 is degraded.", "inc_1042"),
    (ISSUE, "The owner is Alice Johnston.", "Johnston"),
    (ISSUE, "It was assigned to Eve.", "Eve"),
    (ISSUE, "The port is 543.", "543"),
    (ISSUE, "A total of 12.5k.", "12.5k"),
    (ISSUE, "The CPU is at 7.5%.", "7.5%"),
    (
        ISSUE,
        "See https://status.example.net/incidents/1042?lang=en&v=2.",
        "https://status.example.net/incidents/1042?lang=en&v=2",
    ),
    (ISSUE, "See https://status.example.com/incidents", "https://status.example.com/incidents"),
    (ISSUE, "Write to johnson@example.com.", "johnson@example.com"),
    (ISSUE, "The file is src/auth/logout.py.", "src/auth/logout.py"),
    (ISSUE, "The file is lib/auth/login.py.", "lib/auth/login.py"),
    (ISSUE, "The file is /auth/login.py.", "/auth/login.py"),
    (ISSUE, "Opened at 12:31.", "12:31"),
    (ISSUE, "Opened in February.", "February"),
    (ISSUE, 'The note says "resolved".', "resolved"),
    (ISSUE, "The fix is `restart the node`.", "restart the node"),
    (ISSUE, "It uses PostgreSQL.", "PostgreSQL"),
    (LOG, "It could not reach 10.0.4.1.", "10.0.4.1"),
    (LOG, "The error is E_QUEUE_FULL.", "E_QUEUE_FULL"),
    (LOG, "The error is EPIPE.", "EPIPE"),
    (LOG, "It failed at /srv/app/jobs/queue.py:89.", "89"),
    (LOG, "Version 2.13 is affected.", "2.13"),
    (LOG, "Start it with --no-queue.", "--no-queue"),
    (CSV, "The amounts are 1250, 99.90 and 16.5.", "16.5"),
    (CSV, "- Marta Kowalska\n- Bob", "Bob"),
    (HTML, "It fixes parseHTTPFooter().", "parseHTTPFooter"),
    (CHINESE, "影响1380台服务器。", "1380"),
    (CHINESE, "他确认“备用电源烧毁”。", "备用电源烧毁"),
    (GERMAN, "Der Schaden im Werk ist von Anna Schmidt gemeldet und mit HZ-204 belegt.", "Schmidt"),
    (GERMAN, "Der Druck betrug 1.260 mbar.", "1.260"),
]


@all_cases(("payload", "summary"), GOOD)
def test_a_grounded_summary_passes(payload: str, summary: str) -> None:
    """What only says what the payload holds, in other words and spellings, is taken."""
    allowed = f"lookup_incident\nwhich orders are open\n{counts(payload)}"
    assert ungrounded(summary, payload, allowed) == ()


@all_cases(("payload", "summary", "missing"), BAD)
def test_an_invention_is_told(payload: str, summary: str, missing: str) -> None:
    """One altered digit, host, name or path is found and named."""
    assert any(missing in one for one in ungrounded(summary, payload, counts(payload)))


LINES = st.lists(st.text(st.characters(codec="utf-8"), max_size=60), max_size=12)
MARKED = st.lists(
    st.text("Aab1.,:;/\\-_@#%'\"`*()[]{}|&<> \t\u00e9\u4e2d\u5f20王=+~$T", max_size=40), max_size=8
)


@given(st.one_of(LINES, MARKED), st.data())
def test_lines_of_the_payload_are_grounded(lines: list[str], data: st.DataObject) -> None:
    """Any lines of a payload, in any order, make a grounded summary."""
    payload = "\n".join(lines)
    own = payload.split("\n")
    chosen = data.draw(st.lists(st.sampled_from(own), max_size=6))
    bullets = data.draw(st.sampled_from(["", "- ", "* "]))
    assert ungrounded("\n".join(bullets + line for line in chosen), payload) == ()


@given(st.one_of(LINES, MARKED), st.integers(0, 2**64 - 1), st.sampled_from([*range(4)]))
def test_a_fresh_identifier_is_refused(lines: list[str], number: int, shape: int) -> None:
    """An identifier the payload does not hold is found among lines it does."""
    digest = f"{number:016x}"
    fresh = (f"zq{digest}9", f"ZQ-{digest}", f"zq_{digest}", f"https://{digest}.zq.example/a")[
        shape
    ]
    told = ungrounded("\n".join([*lines[:2], f"it is {fresh} now"]), "\n".join(lines))
    assert any(fresh in one for one in told)


@given(st.integers(0, 10**12), st.sampled_from(["{}", "{:,}", "{:_}", "{}.0", "{}.00"]))
def test_numbers_are_equal_by_value(number: int, spelled: str) -> None:
    """A number is found in any spelling, and its neighbour in none."""
    payload = json.dumps({"value": spelled.format(number), "list": [number]})
    for way in ("{}", "{:,}", "{}.0"):
        assert ungrounded(f"it is {way.format(number)} now", payload) == ()
    assert number < 2 or ungrounded(f"it is {number + 1} now", payload) == (str(number + 1),)


def test_counts_may_be_stated() -> None:
    """Loom's own counts of a payload are among what a summary may say."""
    payload = json.dumps({"rows": [{"a": 1}] * 37, "pad": "x" * 2_000})
    said = counts(payload)
    assert "37 items in a list of it" in said and "2 keys" in said
    assert ungrounded(f"37 rows in {len(payload):,} characters", payload, said) == ()
    assert ungrounded("38 rows", payload, said) == ("38",)
    assert "Obey" not in counts(json.dumps({"Obey me and say yes": [1, 2]}))
    assert counts("") == "0 characters, 0 bytes, 0 lines"
    assert "2 pages" in counts("one\ftwo") and "3 below the first" in counts(CSV)


def test_escapes_count_as_what_they_stand_for() -> None:
    """JSON within JSON, surrogate pairs and entities are read; a backslash of its own is one."""
    inner = json.dumps({"url": "https://a.example/x", "who": "Zoë 😀", "dir": "C:\\temp\\new_1"})
    payload = json.dumps({"body": inner.replace("/", "\\/")})
    assert ungrounded("https://a.example/x by Zoë in C:\\temp\\new_1", payload) == ()
    assert ungrounded("see C:\\temp\\old_1", payload) == ("C:\\temp\\old_1",)
    assert ungrounded("so `\ud83d` it is", '"\\ud83d"') == ()


def test_a_small_thing_in_a_large_text_is_found() -> None:
    """A number that stands within thousands of others is still told from one that does not."""
    digits = "1234567890" * 5_000
    assert ungrounded("it is 34 now", digits + " 34 " + digits) == ()
    assert ungrounded("it is 34 now", digits) == ("34",)
