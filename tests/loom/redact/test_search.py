"""Where the secrets of a text stand."""

from __future__ import annotations

from time import process_time

from loom.redact import SECRETS
from loom.redact.rule import compiled
from loom.redact.search import SecretSearch, joined
from tests.kit.cases import all_cases
from tests.kit.secrets_made import MIXED

SEARCH = SecretSearch(*compiled(SECRETS))


def test_a_long_value_goes_whole() -> None:
    """Beyond what its rule reads it ends at a space, a quote or the line's end."""
    value = MIXED * 300
    [(start, end, _)] = SEARCH(f"DB_PASSWORD={value} and more")
    assert (start, end) == (12, 12 + len(value))


@all_cases(
    ("spans", "made"),
    [
        ([], []),
        ([(3, 4, "a"), (0, 2, "b")], [(0, 2, "b"), (3, 4, "a")]),
        ([(0, 2, "a"), (2, 4, "b")], [(0, 2, "a"), (2, 4, "b")]),
        ([(0, 3, "a"), (2, 9, "b")], [(0, 9, "b")]),
        ([(0, 9, "a"), (2, 4, "b")], [(0, 9, "a")]),
        ([(0, 4, "a"), (3, 6, "b"), (5, 7, "c")], [(0, 7, "a")]),
    ],
)
def test_spans_are_joined(
    spans: list[tuple[int, int, str]], made: list[tuple[int, int, str]]
) -> None:
    """Those that overlap are one, of the kind of the longest."""
    assert joined(spans) == made


# What a rule finds begun again and again, and never ended.
BEGUN = [
    "-----BEGIN RSA PRIVATE KEY-----\n", "-----BEGIN ", "AKIA", "ghp_", "-glpat", "xoxb-", "-sk",
    "sk-a1bcd-Ef", "sk-ant-", "-eyJ.eyJ", "eyJaaaaaaaaaa.", "Authorization: Bearer abc ",
    "aa://a:", "aa://a:b@sha1:", "password=", "password: ", "user,password\n", "mysql -p ",
    "\x1b[0;", "\x1b]0;", "\x9d0;", "\\u001b]a", "\\\\", "\\n", "%25", "%73k-", "\x00",
    "\x1b[msk-\x1b[m", "YWFh",
]  # fmt: skip


def seconds(text: str) -> float:
    """Processor time of a search, the least of some."""
    times = []
    for _ in range(4):
        began = process_time()
        SEARCH(text)
        times.append(process_time() - began)
    return min(times)


@all_cases("unit", BEGUN)
def test_no_text_is_searched_again_and_again(unit: str) -> None:
    """Four times as much text takes about four times as long, whatever it is made of."""
    short, long = ((unit * (size // len(unit) + 1))[:size] for size in (4_000, 16_000))
    assert seconds(long) < 10 * seconds(short)
