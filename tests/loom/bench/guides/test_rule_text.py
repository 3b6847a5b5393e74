"""Rules and imports are read off a guide's text."""

from __future__ import annotations

from loom.bench.guides.rule_text import flat, imports_of, rules_of
from tests.kit.cases import all_cases

GUIDE = """\
# Title of the guide

<!-- - A comment is no rule at all. -->
First sentence of a paragraph. Second sentence,
over two lines!

## Part

- An item that goes
  on below. It is one rule.
1. A numbered rule here.
- two words

| a table | has no rules |
> A quote is no rule of this file.

```
- A line of code is no rule.
@docs/code.md
```
@docs/alone.md
"""


@all_cases("text", ["", "\n\n", "# Only a heading\n", "```\n- in a code block\n"])
def test_a_text_without_rules_has_none(text: str) -> None:
    """Blank texts, headings and code hold no rules."""
    assert rules_of("AGENTS.md", text) == ()


def test_items_and_sentences_are_rules_with_their_line_and_heading() -> None:
    """An item is one rule however long, a paragraph one for each sentence."""
    found = [(rule.line, rule.heading, rule.text) for rule in rules_of("AGENTS.md", GUIDE)]
    assert found == [
        (4, "Title of the guide", "First sentence of a paragraph."),
        (4, "Title of the guide", "Second sentence, over two lines!"),
        (9, "Part", "An item that goes on below. It is one rule."),
        (11, "Part", "A numbered rule here."),
    ]


def test_every_rule_is_found_in_its_text_as_it_reads() -> None:
    """What is compared is the text without comments, with single spaces."""
    assert all(rule.text in flat(GUIDE) for rule in rules_of("AGENTS.md", GUIDE))


def test_imports_are_read_outside_of_code() -> None:
    """A name in a code block or span is none; punctuation behind one is not its own."""
    assert imports_of(GUIDE) == ("docs/alone.md",)
    text = "See @docs/a.md, and @../b.md.\nNot `@docs/c.md` or me@d.md"
    assert imports_of(text) == ("docs/a.md", "../b.md")
