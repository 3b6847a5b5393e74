"""The page `docs/defaults.md` has every field of a policy, with the value the code gives it."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import loom
from tests.docs.test_snippets import DOCS

PAGE = (DOCS / "defaults.md").read_text("utf-8")
ROW = re.compile(r"^\| (`\w+`(?:, `\w+`)*) \| (.+) \|$", re.MULTILINE)
PARTS = ("layout", "tuning")  # of a policy: their fields have rows of their own
PRESETS = ("lazy", "graduated", "eager")


def value(text: str) -> object:
    """What a cell says: a number, a word in quotes, True, False, None or {}."""
    return ast.literal_eval(re.sub(r"(?<=\d),(?=\d)", "", text))


def table(head: str) -> dict[str, list[object]]:
    """The fields of the tables that begin with a line: the values of each, column by column."""
    found: dict[str, list[object]] = {}
    for part in PAGE.split(f"\n{head}\n")[1:]:
        for named, cells in ROW.findall(part.partition("\n\n")[0]):
            columns = [cell.split(", ") for cell in cells.split(" | ")[:-1]]
            for name, *values in zip(re.findall(r"\w+", named), *columns, strict=True):
                assert name not in found
                found[name] = [value(one) for one in values]
    return found


DIFFER = table("| field | `lazy` | `graduated` | `eager` | what it decides |")
LAYOUT = table("| field | `eager` | what it decides |")
OTHER = table("| field | default | what it decides |")


def fields(policy: loom.Policy) -> dict[str, object]:
    """Every number of a policy and its parts, by name."""
    return {
        name: getattr(part, name)
        for part in (policy, policy.layout, policy.tuning)
        for name in part.__struct_fields__
        if name not in (*PARTS, "preset")
    }


def test_where_the_policies_differ() -> None:
    """Each field that a preset sets has its three values; those of the layout have the one of
    `eager`, the others have none."""
    for at, name in enumerate(PRESETS):
        real = fields(loom.PRESETS[name])
        assert {field: values[at] for field, values in DIFFER.items()} == {
            field: real[field] for field in DIFFER
        }
        layout = loom.PRESETS[name].layout
        assert layout == (
            loom.Layout(**{field: one for field, [one] in LAYOUT.items()})  # type: ignore[arg-type]
            if name == "eager"
            else loom.Layout()
        )
    usual = fields(loom.Policy())
    differ = {
        field
        for policy in loom.PRESETS.values()
        for field, found in fields(policy).items()
        if found != usual[field]
    }
    assert differ <= DIFFER.keys() | LAYOUT.keys()


def test_every_other_number() -> None:
    """Each further field of `Policy`, `Tuning` and `Retention` has one row, with its default."""
    kept = loom.Retention()
    real = fields(loom.Policy())
    real |= {name: getattr(kept, name) for name in kept.__struct_fields__}
    assert OTHER.keys() | DIFFER.keys() | LAYOUT.keys() == real.keys()
    assert {name: one for name, [one] in OTHER.items()} == {name: real[name] for name in OTHER}


def test_how_long_pages_are_kept() -> None:
    """The seconds by kind that the row `ttl` names."""
    [said] = re.findall(r"^\| `ttl` .*; \{\}: (.*) \|$", PAGE, re.MULTILINE)
    named: dict[str, object] = {}
    for words, seconds in re.findall(r"([a-z][^\d;]*) ([\d,]+)", said):
        kinds = re.findall(r"[a-z]+", re.sub(r"\(.*?\)| and ", " ", words))
        named |= dict.fromkeys(kinds, value(seconds))
    assert {*named} == {"shell", "search", "page", "list", "weather"}
    assert {kind: loom.Retention().seconds(kind) for kind in named} == named


@pytest.mark.parametrize("policy", PRESETS)
def test_windows_and_replies(policy: str, tmp_path: Path) -> None:
    """128,000 and a reply of 8,192; a quarter of a small window, but for the documents' 8,192."""
    for at, (window, reply) in enumerate(((128_000, 8_192), (16_000, 4_000), (8_192, 2_048))):
        given = {} if at == 0 else {"window": window}
        with loom.open(tmp_path / str(at), policy=policy, **given) as ctx:
            limits = ctx.window.limits
            small = policy == "eager" and window == 8_192
            assert (limits.window, limits.reply) == (window, 3_492 if small else reply)
    for number in ("128,000", "8,192", "3,492"):
        assert number in PAGE
