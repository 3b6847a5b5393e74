"""Values made lately are made once for the same objects."""

from loom.compress.digest.digest import KEPT, Lately


def test_the_same_objects_give_the_same_value() -> None:
    """What was made of the same objects is not made again."""
    known, one, two = Lately[str](), object(), object()
    assert known.of((one, two), lambda: "first") == "first"
    assert known.of((one, two), lambda: "second") == "first"


def test_equal_objects_are_others() -> None:
    """Objects that are only equal, fewer of them, or others beside them, have their own value."""
    known, one = Lately[str](), ["a"]
    known.of((one,), lambda: "first")
    assert known.of((["a"],), lambda: "equal") == "equal"
    assert known.of((), lambda: "fewer") == "fewer"
    assert known.of((one,), lambda: "beside", 1) == "beside"
    assert known.of((one,), lambda: "no") == "first"


def test_only_the_last_are_kept() -> None:
    """What was made before the last few is made again."""
    known = Lately[int]()
    objects = [object() for _ in range(KEPT + 1)]
    for at, one in enumerate(objects):
        known.of((one,), lambda at=at: at)  # type: ignore[misc]
    assert known.of((objects[1],), lambda: -1) == 1
    assert known.of((objects[0],), lambda: -1) == -1
