"""Which units an entry shows."""

from loom.compress.worth.residency import holds
from loom.compress.worth.units import Unit
from loom_partitions.message import Text
from tests.kit.cases import all_cases


def lines(first: int, last: int) -> Unit:
    """A unit of these lines."""
    return Unit(("outputs/x.txt", "", first), "read", "result", 0, 9, "", first=first, last=last)


@all_cases(
    ("text", "held"),
    [
        (Text(9, 9, "whole"), True),
        (Text(9, 9, None, "outputs/x.txt"), True),
        (Text(9, 9, "short", "outputs/x.txt"), False),
        (Text(9, 9, "short", "outputs/x.txt", ((11, 20),)), True),
        (Text(9, 9, "short", "outputs/x.txt", ((1, 4), (10, 30))), True),
        (Text(9, 9, "short", "outputs/x.txt", ((11, 19),)), True),
        (Text(9, 9, "short", "outputs/x.txt", ((1, 10), (21, 40))), False),
    ],
)
def test_holds(text: Text, held: bool) -> None:
    """A whole text shows every line, a shortened one its ranges: a part of a unit is one too."""
    assert holds(text, lines(11, 20)) is held
