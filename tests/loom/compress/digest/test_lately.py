"""Values made lately are made once for the same objects."""

from loom.compress.digest.digest import KEPT, RecentValues


def test_the_same_objects_give_the_same_value() -> None:
    """Objects that are only equal, fewer of them, or others beside them, have their own; what was
    made before the last few is made again."""
    known, one = RecentValues[str](), ["a"]
    assert known.of((one,), lambda: "first") == "first"
    assert known.of((["a"],), lambda: "equal") == "equal"
    assert known.of((), lambda: "fewer") == "fewer"
    assert known.of((one,), lambda: "beside", 1) == "beside"
    assert known.of((one,), lambda: "again") == "first"
    objects = [object() for _ in range(KEPT + 1)]
    for at, other in enumerate(objects):
        known.of((other,), lambda at=at: str(at))
    assert [known.of((objects[at],), lambda: "anew") for at in (1, 0)] == ["1", "anew"]
