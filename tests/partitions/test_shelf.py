"""Shelves: what is stored and what is shown, and the order in which texts may leave."""

from collections.abc import Callable

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from loom_partitions.limits import Limits
from loom_partitions.message import Notice, Text
from loom_partitions.records import Opened, Record, Shelved, SkillUsed
from loom_partitions.sent import WindowCounters
from loom_partitions.shelf import Shelf, ShelfText
from loom_partitions.skill import CATALOGUE, SkillShelf
from loom_partitions.window import Window, apply, fold

TEXT = Text(5, 20, "a text")
NOTICE = Notice("skill", "a notice", 7)
keys = st.sampled_from(["a", "b", "c", "d", CATALOGUE])


def shelf(*keys: str) -> Shelf:
    """A shelf that holds a text under each key, in their order."""
    held = Shelf()
    for key in keys:
        held = held.keep(ShelfText(key, TEXT))
    return held.settle()


def test_a_text_keeps_its_place() -> None:
    """One put again stands where the older stood; until it settles the older is shown."""
    other = Text(9, 40, "another")
    held = shelf("a", "b").keep(ShelfText("a", other))
    assert [one.key for one in held.current] == ["a", "b"] and held.get("a") == other
    assert held.shown[0].text == TEXT and held.tokens == 10 and not held.settled
    assert held.settle().tokens == 14 and held.settle().shown == held.current


ORDERS: list[tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]] = [
    (("a", "b", "c"), (), ("a", "b", "c")),
    (("a", "b", "c"), ("c", "b", "a"), ("c", "b", "a")),
    (("a", "b", "c"), ("a",), ("b", "c", "a")),
    (("a", "b", "c"), ("x", "b", "y", "a"), ("c", "b", "a")),
    ((CATALOGUE, "a", "b"), (), ("a", "b", CATALOGUE)),
    ((CATALOGUE, "a", "b"), (CATALOGUE, "b", "a"), ("b", "a", CATALOGUE)),
    (("a", CATALOGUE), ("a", CATALOGUE), ("a", CATALOGUE)),
    ((CATALOGUE,), ("a",), (CATALOGUE,)),
]


def test_the_order_of_leaving() -> None:
    """What nobody asked for in the order it came, then the one used longest ago; the list last."""
    for held, used, order in ORDERS:
        assert SkillShelf(shelf(*held), used=used).idle == order


@given(st.lists(keys, unique=True), st.lists(keys, unique=True))
def test_any_order(held: list[str], used: list[str]) -> None:
    """Every key once, the list behind all, the one used last behind every other."""
    order = list(SkillShelf(shelf(*held), used=tuple(used)).idle)
    assert sorted(order) == sorted(held)
    if CATALOGUE in held:
        assert order.pop() == CATALOGUE
    known = [key for key in used if key in order]
    assert order[len(order) - len(known) :] == known
    rest = [key for key in held if key in order and key not in known]
    assert order[: len(rest)] == rest


def window(*keys: str) -> Window:
    """A window with skills, and a request made."""
    opened = apply(Window(), Opened(Limits(window=2_000, reply=500), {}))
    made = fold([Shelved("skill", key, NOTICE, TEXT) for key in keys], opened)
    return replace(made, sent=WindowCounters(made=True))


def test_use_is_an_order_and_nothing_else() -> None:
    """A skill used again goes to the end; shelf, stream and tokens are as they were."""
    before = window("a", "b")
    after = apply(before, SkillUsed("a"))
    assert (before.skill.used, after.skill.used) == (("a", "b"), ("b", "a"))
    assert (
        after.skill.bodies is before.skill.bodies and after.history.stream is before.history.stream
    )
    assert after.tokens == before.tokens
    assert apply(after, SkillUsed("a")).skill.used == after.skill.used


def test_what_left_and_comes_again_is_used_last() -> None:
    """Its key stays in the order of use while it is gone, and is there once."""
    gone = apply(window("a", "b"), Shelved("skill", "a", NOTICE))
    assert gone.skill.used == ("a", "b") and gone.skill.idle == ("b",)
    back = apply(gone, Shelved("skill", "a", NOTICE, TEXT))
    assert back.skill.used == ("b", "a") and back.skill.idle == ("b", "a")


@given(st.lists(st.tuples(st.sampled_from("aud"), keys), max_size=20))
def test_any_life_of_a_shelf(acts: list[tuple[str, str]]) -> None:
    """Each key is used at most once in the order, and all that stand were used."""
    made: dict[str, Callable[[str], Record]] = {
        "a": lambda key: Shelved("skill", key, NOTICE, TEXT),
        "u": SkillUsed,
        "d": lambda key: Shelved("skill", key, NOTICE),
    }
    after = fold([made[act](key) for act, key in acts], window())
    assert len(set(after.skill.used)) == len(after.skill.used)
    assert {held.key for held in after.skill.bodies.current} <= set(after.skill.used)
    last = next((key for act, key in reversed(acts) if act != "d"), None)
    assert after.skill.used[-1:] == ((last,) if last else ())
