"""What a unit is worth: by kind, by use, by age, less when superseded."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import pytest
from msgspec.structs import replace

import loom
from loom.compress.worth.catalog import Catalog
from loom.compress.worth.fitted import constants_of, fitted
from loom.compress.worth.worth import Worths
from loom_partitions.working import Working
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog, scene
from tests.kit.step import act

TEXT = "".join(f"{n:04d} zzz\n" for n in range(30))
OTHER = TEXT.replace("z", "y")  # what stands again word for word would be superseded
READ = ("Read", {"path": "src/a.py"}, TEXT)


def worths(catalog: Catalog) -> Worths:
    """The worth of every unit now."""
    return Worths(catalog, Working(), fitted(), 10_000)


def test_what_is_not_known_is_worth_nothing(opened: Open) -> None:
    """A unit the catalog does not hold is worth 0."""
    found = worths(catalog(opened()))
    assert found.of(("outputs/x.txt", "", 1)) == found.value(("outputs/x.txt", "", 1)) == 0.0


def test_worth_falls_with_age(opened: Open) -> None:
    """The same unit is worth less and less as others come in, and never nothing."""
    ctx = opened()
    one = act(ctx, *READ).id
    seen: list[float] = []
    for number in range(6):
        made = catalog(ctx)
        seen.append(worths(made).of(made.of_entry[one][0].key))
        act(ctx, "Bash", {"command": f"{number}"}, TEXT.replace("z", "abcdef"[number]))
    assert seen == sorted(seen, reverse=True)
    assert len(set(seen)) == len(seen)
    assert seen[-1] > 0


def test_what_is_fresh_is_a_share_of_the_window(opened: Open) -> None:
    """The same unit of the same age is worth more in a larger window, and the newest the same."""
    ctx = opened()
    one = act(ctx, *READ).id
    for number in range(4):
        last = act(ctx, "Bash", {"command": f"{number}"}, TEXT.replace("z", "abcd"[number])).id
    made = catalog(ctx)
    small, large = (Worths(made, Working(), fitted(), size) for size in (4_000, 64_000))
    old, new = (made.of_entry[id][-1].key for id in (one, last))
    assert small.of(old) < large.of(old) < large.of(new)
    assert small.of(new) == pytest.approx(large.of(new))


@all_cases(
    ("tool", "args", "change"),
    [
        ("Bash", {"command": "ls"}, 0),
        ("Bash", {"command": "wc src/a.py"}, 1),
        ("Read", {"path": "src/a.py"}, -1),
        ("Read", {"path": "src/a.py", "offset": 31}, 1),
    ],
)
def test_use_and_supersession(opened: Open, tool: str, args: dict[str, Any], change: int) -> None:
    """Naming its file makes a unit worth more, reading it again less, all else being the same."""
    found: list[float] = []
    for name, given in (("Bash", {"command": "ls"}), (tool, args)):
        ctx = opened()
        one = act(ctx, *READ).id
        act(ctx, name, given, OTHER)
        made = catalog(ctx)
        found.append(worths(made).of(made.of_entry[one][0].key))
    assert (found[1] > found[0]) - (found[1] < found[0]) == change


def test_value_is_density_by_tokens(opened: Open) -> None:
    """A unit's value per token is its worth per token^γ."""
    ctx = opened()
    for number in range(4):
        act(ctx, "Bash", {"command": f"{number}"}, TEXT * (number + 1))
    made = catalog(ctx)
    found = worths(made)
    for key, unit in made.units.items():
        assert found.value(key) / unit.tokens == pytest.approx(found.density(key))


def test_kinds_have_their_weights(opened: Open) -> None:
    """Of units alike in all but kind, the order is that of the fitted weights."""
    values: dict[str, float] = {}
    for tool, kind in (("Read", "read"), ("Bash", "shell"), ("Grep", "search")):
        ctx = opened()
        one = act(ctx, tool, {"q": "1"}, TEXT).id
        made = catalog(ctx)
        values[kind] = worths(made).of(made.of_entry[one][0].key)
    weights = fitted().kinds
    for one_kind, value in values.items():
        for other, less in values.items():
            ratio = weights.get(one_kind, 1.0) / weights.get(other, 1.0)
            assert value / less == pytest.approx(ratio)


def test_what_stands_again_is_worth_less_where_it_stood(opened: Open) -> None:
    """The same lines in a later result take the worth of the earlier ones."""
    found: list[float] = []
    for text in (OTHER, TEXT):
        ctx = opened()
        one = act(ctx, *READ).id
        act(ctx, "Bash", {"command": "ls"}, text)
        made = catalog(ctx)
        found.append(worths(made).of(made.of_entry[one][0].key))
    assert found[1] == pytest.approx(found[0] * fitted().stale)


def test_the_documented_score_is_its_formula(opened: Open) -> None:
    """Ageing by steps, a unit is worth K·rel·e^(−λ·age), age the steps since its last use."""
    ctx = opened()
    one = act(ctx, *READ).id
    for number in range(6):
        act(ctx, "Bash", {"command": f"{number}"}, TEXT.replace("z", "abcdef"[number]))
    made = catalog(ctx)
    key = made.of_entry[one][0].key
    known = replace(fitted(), step_decay=0.3, kinds={**fitted().kinds, "read": 1.7})
    found = Worths(made, Working(), known, 10_000, "steps")
    rel = (1.0 + found.relevance.of(key)) ** known.focus
    assert found.of(key) == pytest.approx(1.7 * rel * math.exp(-0.3 * 6))


def test_a_use_makes_young_again(opened: Open) -> None:
    """The step that uses a unit is the one its age counts from, for both scales."""
    ctx = opened()
    one = act(ctx, *READ).id
    act(ctx, "Bash", {"command": "ls"}, OTHER)
    made = catalog(ctx)
    key = made.of_entry[one][0].key
    assert made.steps - made.used_at[key] == 1
    act(ctx, "Bash", {"command": "wc src/a.py"}, OTHER + "1")
    made = catalog(ctx)
    assert made.steps - made.used_at[key] == 0


def test_a_policy_sets_its_own_constants() -> None:
    """λ of the way it ages and K of a kind are the policy's; all else stays as it was fitted."""
    assert constants_of(loom.Policy()) == fitted()
    assert constants_of(loom.Policy(decay=2.0)) == replace(fitted(), decay=2.0)
    steps = loom.Policy(decay=2.0, ageing="steps", kind_weights={"read": 3.0})
    assert constants_of(steps) == replace(
        fitted(), step_decay=2.0, kinds={**fitted().kinds, "read": 3.0}
    )


def test_the_scale_of_a_policy_is_used(opened: Open) -> None:
    """What a cut is decided by ages as the policy says, and a workspace keeps that."""
    policy = loom.Policy(ageing="steps", decay=0.5, kind_weights={"shell": 0.1}, own_tools=False)
    ctx = opened("kept", policy=policy)
    for number in range(4):
        act(ctx, "Bash", {"command": f"{number}"}, TEXT.replace("z", "abcd"[number]))
    ctx.close()
    again = opened("kept")
    found = scene(again)
    keys = [found.catalog.of_entry[id][0].key for id in sorted(found.catalog.of_entry)]
    ratios = [found.worths.of(b) / found.worths.of(a) for a, b in pairwise(keys)]
    assert ratios == pytest.approx([math.exp(0.5)] * 3, rel=0.2)
    assert found.fitted.kinds["shell"] == 0.1
