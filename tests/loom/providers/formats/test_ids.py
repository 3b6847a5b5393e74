"""The ids calls have on the wire."""

from loom.providers.formats.ids import ID_CHARS, Ids, derived_id, is_derived, lawful_id
from tests.kit.cases import all_cases


@all_cases(
    ("id", "same"),
    [("toolu_01-A", True), ("x" * ID_CHARS, True), ("x" * 65, False), ("a.b", False), ("", False)],
)
def test_lawful(id: str, same: bool) -> None:
    """A lawful id stays, another becomes one that is, and always the same."""
    made = lawful_id(id)
    assert (made == id) is same
    assert 0 < len(made) <= ID_CHARS
    assert lawful_id(made) == made == lawful_id(id)
    ids = ["x" * 65, "x" * 66, "x" * 64 + "y", "a.b", "a:b", "a_b"]
    assert len({lawful_id(id) for id in ids}) == len(ids)


def test_repeated_long_ids() -> None:
    """An id that is used again stays within its length, and results find their call."""
    ids = Ids()
    for _ in range(12):
        made = ids.call("x" * ID_CHARS)
        assert len(made) == ID_CHARS
        assert ids.result("x" * ID_CHARS) == made
    assert ids.call("y") == ids.result("y") == "y"
    assert ids.result("never called") == lawful_id("never called")


@all_cases(
    ("id", "derived"),
    [
        (derived_id("seed"), True),
        (derived_id("\udc00"), True),
        ("call_abc", False),
        ("call_" + "a" * 24, False),
        ("", False),
    ],
)
def test_derived(id: str, derived: bool) -> None:
    """Ids made from content are told from those a provider gave."""
    assert is_derived(id) is derived
