"""The focus: who spoke of a term last, and which units share it."""

import numpy as np

from loom.compress.worth.focus import relevance
from tests.kit.cases import all_cases
from tests.kit.opened import Open
from tests.kit.scene import catalog
from tests.kit.step import act

FILLER = "".join(f"ordinary line number {n}\n" for n in range(30))


@all_cases(
    ("wanted", "holders", "best"),
    [
        ({}, 1, None),
        ({"unheard_of": 1.0}, 1, None),
        ({"rare_term": 1.0}, 1, "rare_term"),
        ({"rare_term": 1.0}, 20, None),
        ({"rare_term": 1.0, "ordinary": 9.0}, 1, "rare_term"),
    ],
)
def test_relevance(opened: Open, wanted: dict[str, float], holders: int, best: str) -> None:
    """Units that hold a wanted rare term are relevant; what nearly all hold says nothing."""
    ctx = opened()
    for number in range(20):
        more = "rare_term here\n" if number < holders else ""
        act(ctx, "Bash", {"command": f"run {number}"}, FILLER + more)
    made = catalog(ctx)
    values = relevance(made, wanted, np.arange(len(made.columns)))
    found = {key for key, row in made.columns.rows.items() if values[row]}
    assert found == {unit.key for unit in made.units.values() if best in unit.terms}
    assert (values >= 0).all()
