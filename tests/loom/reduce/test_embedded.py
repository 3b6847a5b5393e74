from loom.reduce.embedded import pasted
from tests.kit.cases import all_cases


@all_cases(
    "text",
    [
        "", "Never push to main.", "- use tabs\n- never push", "+ use tabs\n+ never push",
        "1. run it\n\n   and never twice", "- one\n\n    under the item\n- two", "ok",
        "loom/a.py:12 must not import the disk", "    all of it is set in\n    like this",
        "a > b, so never do it", "note: keep it", "<task>\nFix it.\n</task>",
        "Errors must be told.\nNever hide one.",
    ],
)  # fmt: skip
def test_what_was_typed_is_not_pasted(text: str) -> None:
    """Sentences, lists with what stands under their items, and places in files are typed."""
    assert pasted(text) == frozenset()


@all_cases(
    ("text", "lines"),
    [
        ("See:\n> you must not\n> push\nwhy?", {2, 3}),
        ("It fails:\n\n--- FAIL: TestA (0.1s)\n    a_test.go:3: must not be nil\nFAIL", {3, 4, 5}),
        ("look\nTraceback (most recent call last):\n  File \"a.py\", line 2\n    never()\n"
         "ValueError: only ints\nfix it", {2, 3, 4, 5}),
        ("@@ -1,2 +1,2 @@\n-never()\n+always()\n context\n\nWhy that?", {1, 2, 3, 4}),
        ("+ x := only(a)\n+ if err != nil {\n\nmust it?", {1, 2}),
        ("2026-01-02T10:00:01 only one worker\n2026-01-02T10:00:02 must retry\n\nWhy?", {1, 2}),
        ("I ran it.\n\n$ npm test\nyou should update\nerror: do not use\n\nFix it.", {3, 4, 5}),
        ("It says\n\n    you must not do this\n    ever\n\nWhat now?", {3, 4}),
        ("Look:\n\n00001| must()\n00002| never()\n\nWhy?", {3, 4}),
        ("{\n  \"only\": true\n}", {1, 2, 3}),
        ("Error: x must be set\n    at f (a.js:1:2)\n    at g (b.js:2:3)", {1, 2, 3}),
    ],
)  # fmt: skip
def test_output_quotes_diffs_and_data_are_pasted(text: str, lines: set[int]) -> None:
    """What stands in such lines is none of the user's, the words around them are."""
    assert pasted(text) == lines


@all_cases("unit", ["a", "> ", "    x\n", "\n", "a.b/", "[{", "$ a\n", "{\n", "1:"])
def test_a_line_is_looked_at_to_a_bound(unit: str) -> None:
    """A line has one number at most, however long it is."""
    text = unit * (200_000 // len(unit))
    assert len(pasted(text)) <= text.count("\n") + 1
