import json
from typing import Any

from loom.reduce.rules import reduce_result
from tests.kit.cases import all_cases

RESULTS = [{"title": f"T{n}", "url": f"https://e.com/{n}", "snippet": "s"} for n in range(10)]


def text_of(result: Any) -> str:
    """A result as text."""
    return result if isinstance(result, str) else json.dumps(result)


@all_cases(
    ("result", "line", "page"),
    [
        ("", "Found 0 results for 'btc'", False),
        ({"results": []}, "Found 0 results for 'btc'", False),
        ({"results": RESULTS[:5]}, "Found 5 results for 'btc': T0; T1; T2", False),
        ({"results": RESULTS[:6]}, "Found 6 results for 'btc': T0; T1; T2", True),
        (RESULTS[:1], "Found 1 result for 'btc': T0", False),
        ({"web": {"results": RESULTS[:2]}}, "Found 2 results for 'btc': T0; T1", False),
        ('Web\nLinks: [{"title":"A","url":"u"}]\n\nrest', "Found 1 result for 'btc': A", False),
        ("Links: [broken", "Found 0 results for 'btc'", False),
        ("Title: A\nURL: u\n\nTitle: B\n", "Found 2 results for 'btc': A; B", False),
        ("1. First\n   text\n2. Second", "Found 2 results for 'btc': First; Second", False),
        ("see [One](https://a) and [Two](https://b)", "Found 2 results for 'btc': One; Two", False),
    ],
)
def test_search(result: Any, line: str, page: bool) -> None:
    """A web search keeps query, count and top titles, and rests on a page beyond five results."""
    done = reduce_result("web_search", json.dumps({"query": "btc", "count": 10}), text_of(result))
    assert (done.reduction.observation, done.page) == (line, page)
    assert done.reduction.minimal_args == {"query": "btc"}
    assert done.kind == "search"
